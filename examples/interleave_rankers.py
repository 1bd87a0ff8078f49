# %% [markdown]
# # Interleave two rankers and certify the better one
#
# You have a new ranker for your search and want to know whether people like its results better. An
# A/B test on click rates needs many users. Interleaving needs few: every user sees one list that
# mixes both rankers' results, and the clicks say whose results were better.
#
# The documents, rankers and users of this example are simulated; the steps are those of production.

# %%
import os
import shutil
import subprocess
import tempfile

import numpy

import duel

data = duel.letor.synthetic(queries=200, documents=20, features=8, grades=5, seed=3)
truth = numpy.linalg.lstsq(data.features - data.features.mean(axis=0),
                           data.grades - data.grades.mean(), rcond=None)[0]
rng = numpy.random.default_rng(5)
weights = {"old": truth + rng.normal(size=8) * abs(truth).mean(), "new": truth}

# %% [markdown]
# The judgements say that the new ranker is better. In production you would not know.

# %%
judged = duel.metrics.rankers(data, weights)
for ranker in judged["rankers"]:
    ndcg = ranker["NDCG@10"]
    print(f"{ranker['name']}: NDCG@10 {ndcg['mean']:.3f} ± {ndcg['standard_error']:.3f}")

# %% [markdown]
# Every impression is a duel of two arms. The experiment is asked for a duel, the two rankings are
# merged by team draft under the id of that duel, a user clicks, and the credit of the clicks is
# reported. The certificate holds whenever you look, so the loop may stop as soon as there is one.


# %%
def ranking(name: str, query: duel.letor.Query) -> list[str]:
    """The ids of a query's documents, best first. Yours would ask the search engine."""
    return [str(number) for number in numpy.argsort(-query.features @ weights[name],
                                                    kind="stable")]


user = duel.clicks.ClickModel("navigational", grades=5)
log = os.path.join(tempfile.mkdtemp(), "search.jsonl")
# Each impression is another user's, with a query of their own: the answers are fresh draws.
search = duel.Experiment(["old", "new"], alpha=0.05, log=log, max_duels=5000, seed=1,
                         pairs_independent=True)
answered: list[int] = []  # +1 for each win of the new ranker, -1 for each of the old one
impressions, clicks = [], []

while not search.done:
    impression = search.served + 1
    shown = search.next(duel_id=f"impression-{impression}")
    if shown is None:
        break
    query = data[int(rng.integers(len(data)))]
    lists = {name: ranking(name, query) for name in ("old", "new")}
    page = duel.interleave.team_draft(lists, duel_id=shown.duel_id, length=10, seed=1)
    clicked = user.click([query.grades[int(item)] for item in page.ids], seed=impression)[0]
    ids = [item for item, hit in zip(page.ids, clicked) if hit]
    outcome = duel.interleave.team_draft(lists, duel_id=shown.duel_id, length=10, seed=1,
                                         clicks=ids).outcome
    assert outcome is not None
    if outcome["result"] == "win":
        search.report(shown, winner=outcome["winner"])
        answered.append(1 if outcome["winner"] == "new" else -1)
    elif outcome["result"] == "tie":
        search.report(shown, tie=True)
    else:  # nobody clicked, or the list could not distinguish the rankers
        search.report(shown, skip=True)
    impressions.append({"query_id": shown.duel_id, "lists": lists,
                        "user_id": f"user-{impression}"})
    clicks += [{"action_name": "click", "query_id": shown.duel_id,
                "timestamp": "2026-01-01T00:00:00Z",
                "event_attributes": {"object": {"object_id": item}}} for item in ids]

print(f"after {search.served} impressions and {len(answered)} decisive ones: {search.verdict}")
assert search.certified and search.result()["leader"] == "new"
assert duel.verify(log)["verified"]

# %% [markdown]
# If you have logs and not a live experiment, `duel.clicks.credit` does the same for all of them at
# once: impressions with both lists, and clicks as UBI events.

# %%
credited = duel.clicks.credit(impressions, clicks, seed=1, in_order=True)
pair = credited.pairs[0]
print(f"{pair['first']} against {pair['second']}: {pair['wins']} won, {pair['losses']} lost, "
      f"{pair['ties']} tied, {pair['no_feedback']} without a click")
assert pair["wins"] + pair["losses"] == len(answered)

# %% [markdown]
# In production a server keeps the experiment: your search sends rankings and gets the page, and the
# browser sends clicks. `duel.Client` retries under the same ids, so nothing is counted twice.

# %%
program = os.environ.get("DUEL_PROGRAM") or shutil.which("duel")
if program is None:
    print("no server: the program duel is not installed")
else:
    served = subprocess.Popen(
        [program, "serve", "--listen", "127.0.0.1:0", "--store", log + ".db"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert served.stdout is not None
        with duel.Client(served.stdout.readline().strip()) as client:
            client.create("search", ["old", "new"], mode="interleave", default="old")
            client.start("search")
            for number in range(25):
                query = data[number]
                merged = client.interleave(
                    "search", {name: ranking(name, query) for name in weights},
                    subject_id=f"user-{number}")
                best = max(merged.items, key=lambda item: int(query.grades[int(item["object_id"])]))
                client.click(merged, best["object_id"], ordinal=best["ordinal"])
                client.close_duel("search", merged)
            print("the server served", client.result("search")["served"], "pages")
    finally:
        served.terminate()
        served.wait()

# %%
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no figure: matplotlib is not installed")
else:
    figure, axes = plt.subplots(figsize=(7, 3.5))
    steps = numpy.arange(1, len(answered) + 1)
    axes.step(steps, numpy.cumsum(answered), where="post", color="#4477aa",
              label="wins of new minus wins of old")
    axes.plot(steps, 2 * numpy.sqrt(steps), "k--", linewidth=1,
              label="two standard deviations of a fair coin")
    axes.plot(steps, -2 * numpy.sqrt(steps), "k--", linewidth=1)
    axes.set_xlabel("decisive impressions")
    axes.set_title("Interleaved impressions until the certificate", loc="left")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig("interleave_rankers.png", dpi=120)
    print("wrote interleave_rankers.png")
