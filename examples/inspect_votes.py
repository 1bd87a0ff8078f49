# %% [markdown]
# # Votes from the logs of Inspect
#
# You evaluated several models on the same task with Inspect (`inspect eval task.py --model ..`), and
# each run left a log, `.eval` or `.json`. On every sample one model did better than another, or both
# did as well: that is a vote. Duel counts the votes and says which model is the best, and whether
# that is beyond doubt.
#
# On your logs: `python3 inspect_votes.py logs/*.eval > votes.csv`, then `duel result votes.csv`.

# %%
from __future__ import annotations

import csv
import itertools
import json
import os
import random
import sys
import tempfile
import zipfile
from typing import Any, Iterator

import duel

# What the built-in scorers write; their `value_to_float` reads it so.
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0,
          "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def read_log(file: str) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    """The header of a log, and its samples one by one: a log may be larger than memory."""
    if not zipfile.is_zipfile(file):
        with open(file, encoding="utf-8") as text:
            log = json.load(text)
        return log, iter(log.get("samples") or [])
    archive = zipfile.ZipFile(file)
    if "header.json" not in archive.namelist():
        raise SystemExit(f"{file}: the evaluation has not ended (there is no header.json)")
    names = [name for name in archive.namelist()
             if name.startswith("samples/") and name.endswith(".json")]
    return (json.loads(archive.read("header.json")),
            (json.loads(archive.read(name)) for name in names))


def grade_of(value: Any) -> float | None:
    """A score as a number; None where it is a list or a dict, or not there."""
    if isinstance(value, str):
        try:
            return GRADES[value] if value in GRADES else float(value)
        except ValueError:
            return GRADES.get(value.lower())
    return float(value) if isinstance(value, (bool, int, float)) else None


def votes_of(files: list[str], scorer: str | None = None) -> list[dict[str, str]]:
    """A vote for every two models and every sample that both were graded on."""
    grades: dict[str, dict[tuple[str, int], float]] = {}
    for file in files:
        header, samples = read_log(file)
        model = header["eval"]["model"]
        of_model = grades.setdefault(model, {})
        for sample in samples:
            scores = sample.get("scores") or {}
            score = scores.get(scorer) if scorer else next(iter(scores.values()), None)
            grade = grade_of(score["value"]) if score else None
            # A sample that failed says nothing of the model, and is no lost comparison.
            if grade is not None and not sample.get("error"):
                of_model[str(sample["id"]), sample.get("epoch", 1)] = grade
    votes = []
    for one, other in itertools.combinations(sorted(grades), 2):
        for sample, epoch in sorted(grades[one].keys() & grades[other].keys()):
            mine, yours = grades[one][sample, epoch], grades[other][sample, epoch]
            winner = "tie" if mine == yours else one if mine > yours else other
            # Nobody saw the two side by side. Who stands first is drawn, so that no place is favoured.
            first, second = random.Random(f"{one} {other} {sample}").sample([one, other], 2)
            votes.append({"first": first, "second": second, "winner": winner,
                          "sample": sample, "epoch": str(epoch)})
    return votes


# %% [markdown]
# Without files of yours the models are simulated: each knows the answer to some of the questions,
# and the same questions are hard for all. The logs have the form of Inspect's.

# %%
def simulated_logs(folder: str) -> list[str]:
    rng = random.Random(4)
    difficulty = [rng.gauss(0, 1) for _ in range(400)]
    files = []
    for model, skill in {"lab/large": 1.6, "lab/small": 0.4, "other/tiny": -0.8}.items():
        samples = []
        for k, hard in enumerate(difficulty):
            right = skill + rng.gauss(0, 1) > hard
            samples.append({"id": k + 1, "epoch": 1, "input": f"Question {k + 1}", "target": "42",
                            "output": {"completion": "42" if right else "41"},
                            "scores": {"match": {"value": "C" if right else "I"}}})
        header = {"version": 2, "status": "success", "eval": {"task": "sums", "model": model}}
        file = os.path.join(folder, model.replace("/", "-"))
        if model == "lab/large":
            with zipfile.ZipFile(file + ".eval", "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("header.json", json.dumps(header))
                for sample in samples:
                    archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
            files.append(file + ".eval")
        else:
            with open(file + ".json", "w", encoding="utf-8") as text:
                json.dump({**header, "samples": samples}, text)
            files.append(file + ".json")
    return files


given = [] if "ipykernel" in sys.modules else sys.argv[1:]
if given:
    rows = csv.DictWriter(sys.stdout, ["first", "second", "winner", "sample", "epoch"])
    rows.writeheader()
    rows.writerows(votes_of(given))
    sys.exit()

votes = votes_of(simulated_logs(tempfile.mkdtemp()))
assert len(votes) == 3 * 400

# %% [markdown]
# Ties are many, since most questions are easy for both or hard for both. They move nothing, and where
# they are more than half, the check `ties` says so. The votes come without an order, so the verdict is
# that of one look at all of them, and about samples like these.

# %%
found = duel.result(votes)
print(found)
print("ties:", next(check.detail for check in found.health if check.name == "ties"))
assert found.leader == "lab/large" and found["duels"]["ties"] > 300
assert "position_bias" not in found.failed_checks
