# %% [markdown]
# # Search configurations of OpenSearch
#
# OpenSearch's Search Relevance Workbench keeps *query sets* and *search configurations*, and runs both
# in experiments of the type `PAIRWISE_COMPARISON`. It shows the lists side by side and how much they
# overlap, but not which is better. Here a judge says so, list against list: the configurations are
# the arms, the queries of the query set are the tasks, and Duel stops as soon as the best
# configuration is certain.
#
# On your cluster: `python3 opensearch_relevance.py http://localhost:9200 EXPERIMENT EXPERIMENT ..`,
# with the ids of pairwise experiments on one query set, prints the tasks for `duel run --tasks`. For
# a judge, see lm_eval_tasks.py. With users instead of a judge, merge the lists and count clicks:
# interleave_rankers.py.

# %%
from __future__ import annotations

import json
import random
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import duel

PLUGIN = "/_plugins/_search_relevance"


class Workbench:
    """The parts of the plugin's API that are needed here. OpenSearch 3.1 and later."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            self.url + PLUGIN + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def source(self, kind: str, name: str) -> dict[str, Any]:
        return self.ask("GET", f"/{kind}/{name}")["hits"]["hits"][0]["_source"]

    def compare(self, query_set: str, one: str, other: str, size: int = 10) -> str:
        """Starts an experiment of two configurations; its id."""
        return self.ask("PUT", "/experiments", {
            "type": "PAIRWISE_COMPARISON", "querySetId": query_set,
            "searchConfigurationList": [one, other], "size": size})["experiment_id"]

    def lists_of(self, experiment: str) -> dict[str, dict[str, list[str]]]:
        """What each configuration found for each query, by the names of the configurations."""
        found = self.source("experiments", experiment)
        if found.get("status", "COMPLETED") != "COMPLETED":
            raise SystemExit(f"{experiment} is {found['status']}, not completed")
        names = {one: self.source("search_configurations", one)["name"]
                 for one in found["searchConfigurationList"]}
        return {row["queryText"]: {names[shown["searchConfigurationId"]]: shown["docIds"]
                                   for shown in row["snapshots"]}
                for row in found["results"]}


def tasks_of(workbench: Workbench, experiments: list[str]) -> list[dict[str, Any]]:
    """A task for each query, with the lists of all configurations."""
    lists: dict[str, dict[str, list[str]]] = {}
    for experiment in experiments:
        for query, of_query in workbench.lists_of(experiment).items():
            lists.setdefault(query, {}).update(of_query)
    everyone = {name for of_query in lists.values() for name in of_query}
    return [{"id": f"q{k}", "query": query, "lists": of_query}
            for k, (query, of_query) in enumerate(sorted(lists.items()))
            if of_query.keys() == everyone]


# %% [markdown]
# Without a cluster of yours, a small server plays the plugin: three configurations, which put relevant
# documents first more or less often.

# %%
class FakePlugin(BaseHTTPRequestHandler):
    skills = {"c1": ("keyword", 0.5), "c2": ("hybrid", 0.85), "c3": ("neural", 0.6)}
    experiments: dict[str, dict[str, Any]] = {}

    def found(self, configuration: str, query: str) -> list[str]:
        rng = random.Random(configuration + query)
        skill = self.skills[configuration][1]
        return [f"{'good' if rng.random() < skill else 'bad'}-{query}-{place}" for place in range(5)]

    def answer(self, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_PUT(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name = f"e{len(self.experiments)}"
        queries = [f"query {k}" for k in range(300)]  # those of the query set
        self.experiments[name] = {**body, "status": "COMPLETED", "results": [
            {"queryText": query, "metrics": [{"metric": "jaccard", "value": 0.5}],
             "snapshots": [{"searchConfigurationId": one, "docIds": self.found(one, query)}
                           for one in body["searchConfigurationList"]]} for query in queries]}
        self.answer({"experiment_id": name, "experiment_result": "CREATED"})

    def do_GET(self) -> None:
        kind, name = self.path[len(PLUGIN) + 1:].split("/")
        source = (self.experiments[name] if kind == "experiments"
                  else {"id": name, "name": self.skills[name][0], "index": "shop"})
        self.answer({"hits": {"hits": [{"_id": name, "_source": source}]}})

    def log_message(self, *arguments: Any) -> None:
        pass


given = [] if "ipykernel" in sys.modules else sys.argv[1:]
if given:
    for task in tasks_of(Workbench(given[0]), given[1:]):
        print(json.dumps(task, ensure_ascii=False))
    sys.exit()

server = HTTPServer(("127.0.0.1", 0), FakePlugin)
threading.Thread(target=server.serve_forever, daemon=True).start()
workbench = Workbench(f"http://127.0.0.1:{server.server_port}")
experiments = [workbench.compare("queries", "c1", "c2"), workbench.compare("queries", "c1", "c3")]
tasks = tasks_of(workbench, experiments)
server.shutdown()
server.server_close()
assert len(tasks) == 300


# %% [markdown]
# The judge is simulated as well: it likes good documents near the top. Yours would show a language
# model the query and both lists. Two lists that are equal are a tie, and need no judge.

# %%
def judge(first: str, second: str, task: dict[str, Any]) -> str:
    def worth(documents: list[str]) -> float:
        return sum(1 / (place + 1) for place, document in enumerate(documents)
                   if document.startswith("good"))

    one, other = task["lists"][first], task["lists"][second]
    if one == other or worth(one) == worth(other):
        return duel.TIE
    return duel.FIRST if worth(one) > worth(other) else duel.SECOND


found = duel.run(["keyword", "hybrid", "neural"], judge, tasks=tasks, seed=5)
print(found)
assert found.winner == "hybrid"
