# %% [markdown]
# # Votes from the results of promptfoo
#
# `promptfoo eval -o results.json` runs every prompt on every provider for every test case, and scores
# the answers. Two columns of that table meet on every test case: the one with the higher score wins.
# Duel counts these votes and says which column is the best, and whether that is beyond doubt.
#
# On your results: `python3 promptfoo_votes.py results.json > votes.csv`, then `duel result votes.csv`.

# %%
from __future__ import annotations

import csv
import itertools
import json
import os
import random
import sys
import tempfile
from typing import Any

import duel


def column_of(row: dict[str, Any], prompts: int, providers: int) -> str:
    """What a column is called: what differs between columns, the prompt or the provider or both."""
    provider = row.get("provider") or {}
    of_provider = provider.get("label") or provider.get("id") or "provider"
    of_prompt = (row.get("prompt") or {}).get("label") or f"prompt {row.get('promptIdx', 0)}"
    if prompts == 1:
        return str(of_provider)
    return str(of_prompt) if providers == 1 else f"{of_provider}, {of_prompt}"


def votes_of(results: dict[str, Any], metric: str | None = None) -> list[dict[str, str]]:
    """A vote for every two columns and every test case; by one of the named scores if you like."""
    table = results["results"]
    rows = table["results"] if isinstance(table, dict) else table
    # An error is no answer: it says something of the network, and nothing of the prompt.
    rows = [row for row in rows if not row.get("error") or row.get("gradingResult")]
    prompts = len({json.dumps(row.get("prompt"), sort_keys=True) for row in rows})
    providers = len({json.dumps(row.get("provider"), sort_keys=True) for row in rows})
    scores: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        score = row.get("score") if metric is None else (row.get("namedScores") or {}).get(metric)
        if not isinstance(score, (int, float)):
            continue
        # A test case is known by its number; older versions have only its variables. With
        # `--repeat` it comes several times.
        case = str(row["testIdx"]) if "testIdx" in row else json.dumps(row["vars"], sort_keys=True)
        column = column_of(row, prompts, providers)
        scores.setdefault(column, {}).setdefault(case, []).append(float(score))
    votes = []
    for one, other in itertools.combinations(sorted(scores), 2):
        for case in scores[one]:
            for mine, yours in zip(scores[one][case], scores[other].get(case, [])):
                winner = "tie" if mine == yours else one if mine > yours else other
                # Nobody saw the two side by side. Who stands first is drawn, so that no place is
                # favoured.
                first, second = random.Random(f"{one} {other} {case}").sample([one, other], 2)
                votes.append({"first": first, "second": second, "winner": winner, "case": case})
    return votes


# %% [markdown]
# Without a file of yours the model is simulated: it follows one prompt better than the others. The
# file has the form of promptfoo's.

# %%
def simulated_results(file: str) -> None:
    rng = random.Random(9)
    prompts = {"plain": 0.5, "with examples": 0.74, "shouting": 0.35}
    rows = []
    for case in range(300):
        luck = rng.gauss(0, 0.1)
        for index, (label, quality) in enumerate(prompts.items()):
            graded = [rng.random() < quality + luck for _ in range(3)]
            rows.append({"promptIdx": index, "testIdx": case, "vars": {"question": f"q{case}"},
                         "prompt": {"raw": label, "label": label},
                         "provider": {"id": "fake:model", "label": ""},
                         "response": {"output": ".."}, "success": all(graded),
                         "score": sum(graded) / 3, "namedScores": {"polite": float(graded[0])},
                         "gradingResult": {"pass": all(graded), "score": sum(graded) / 3}})
    rows[5].update(error="the connection was reset", score=0, gradingResult=None)
    with open(file, "w", encoding="utf-8") as text:
        json.dump({"evalId": "eval-1", "results": {"version": 3, "prompts": [], "results": rows}},
                  text)


def read_results(file: str) -> dict[str, Any]:
    with open(file, encoding="utf-8") as text:
        return json.load(text)


given = [] if "ipykernel" in sys.modules else sys.argv[1:]
if given:
    lines = csv.DictWriter(sys.stdout, ["first", "second", "winner", "case"])
    lines.writeheader()
    for name in given:
        lines.writerows(votes_of(read_results(name)))
    sys.exit()

results = os.path.join(tempfile.mkdtemp(), "results.json")
simulated_results(results)
votes = votes_of(read_results(results))
assert len(votes) == 3 * 300 - 2  # one answer did not come, and two columns miss it

# %%
found = duel.result(votes)
print(found)
assert found.leader == "with examples" and "position_bias" not in found.failed_checks

# %% [markdown]
# A file of results is one look at a fixed number of test cases. Where each answer costs money, ask
# Duel first which two prompts to run on the next case, and stop when the best one is certain:
# `duel.run` with the test cases as `tasks` (see choose_prompt.py) asks only for what it needs.

# %%
by_manners = votes_of(read_results(results), metric="polite")
print(f"by 'polite' alone: {duel.result(by_manners).verdict}")
