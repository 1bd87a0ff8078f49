# %% [markdown]
# # Tasks from the logs of lm-evaluation-harness
#
# `lm_eval --log_samples --output_path out` leaves `out/MODEL/samples_TASK_DATE.jsonl`, with the
# question, the model's answer and the metrics of every document. Metrics of free text say little; a
# judge who reads two answers says more, but every question to the judge costs. The documents become
# the tasks of a run: Duel asks the judge about the answers that were recorded, about the models that
# matter, and stops as soon as the best model is certain. No model has to answer again.
#
# On your logs: `python3 lm_eval_tasks.py out/*/samples_*.jsonl > tasks.jsonl`, and then
# `duel run --arms a,b,c --tasks tasks.jsonl --judge ./judge.sh`: the judge finds the answers in the
# task, under the names of the models.

# %%
from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from typing import Any

import duel


def first_text(value: Any) -> str | None:
    """The answer within `[["text"]]`, `["text"]` or `"text"`. A likelihood is none."""
    while isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else None


def question_of(sample: dict[str, Any]) -> str:
    """What the model was asked: `arguments` is a dict since version 0.4.4, and was a list before."""
    arguments = sample["arguments"]
    if isinstance(arguments, dict):
        return str(next(iter(next(iter(arguments.values())).values())))
    return str(arguments[0][0])


def tasks_of(files: list[str]) -> list[dict[str, Any]]:
    """The documents that every model answered in words, each with all answers."""
    models: set[str] = set()
    documents: dict[str, dict[str, Any]] = {}
    for file in files:
        model = os.path.basename(os.path.dirname(os.path.abspath(file)))
        task = os.path.basename(file)[len("samples_"):].rsplit("_", 1)[0]
        models.add(model)
        with open(file, encoding="utf-8") as lines:
            for sample in map(json.loads, filter(str.strip, lines)):
                answer = first_text(sample.get("resps"))
                if answer is None:
                    continue
                # A task with several filters has a line for each of them, with the same answer.
                known = documents.setdefault(f"{task}-{sample['doc_id']}", {
                    "hash": sample.get("doc_hash"), "question": question_of(sample),
                    "target": sample.get("target"), "answers": {}})
                if known["hash"] != sample.get("doc_hash"):
                    raise SystemExit(f"{file}: document {sample['doc_id']} is another one than in "
                                     "the logs before; were they made with the same data?")
                known["answers"].setdefault(model, answer)
    return [{"id": name, "question": one["question"], "target": one["target"],
             "answers": one["answers"]}
            for name, one in documents.items() if one["answers"].keys() == models]


# %% [markdown]
# Without files of yours the models are simulated, and so is the judge: it prefers the answer that
# says more of what was asked for. Yours would send both answers to a language model.

# %%
def simulated_logs(folder: str) -> list[str]:
    rng = random.Random(2)
    files = []
    for model, skill in {"org__base": 0.45, "org__tuned": 0.8, "org__merged": 0.55}.items():
        os.makedirs(os.path.join(folder, model))
        file = os.path.join(folder, model, "samples_advice_2026-05-01T10-00-00.000000.jsonl")
        with open(file, "w", encoding="utf-8") as lines:
            for k in range(500):
                points = [f"point {p}" for p in range(6) if rng.random() < skill]
                sample = {"doc_id": k, "doc": {"question": f"What helps against {k}?"},
                          "target": "", "doc_hash": f"h{k}",
                          "arguments": {"gen_args_0": {"arg_0": f"Q: What helps against {k}?\nA:"}},
                          "resps": [["; ".join(points)]], "filtered_resps": ["; ".join(points)],
                          "filter": "none", "metrics": ["bleu"], "bleu": rng.random()}
                lines.write(json.dumps(sample) + "\n")
        files.append(file)
    return files


given = [] if "ipykernel" in sys.modules else sys.argv[1:]
if given:
    for task in tasks_of(given):
        print(json.dumps(task, ensure_ascii=False))
    sys.exit()

logs = simulated_logs(tempfile.mkdtemp())
tasks = tasks_of(logs)
assert len(tasks) == 500
models = sorted(tasks[0]["answers"])


def judge(first: str, second: str, task: dict[str, Any]) -> str:
    one, other = task["answers"][first], task["answers"][second]
    if one.count("point") == other.count("point"):
        return duel.TIE
    return duel.FIRST if one.count("point") > other.count("point") else duel.SECOND


# %%
found = duel.run(models, judge, tasks=tasks, seed=1)
print(found)
asked = found["duels"]["served"]
print(f"asked the judge {asked} times; all pairs on all documents would have been "
      f"{len(tasks) * len(models) * (len(models) - 1) // 2}")
assert found.winner == "org__tuned" and asked < 500
