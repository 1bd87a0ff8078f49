"""The examples that read the files of other programs, on small files with everything odd in them."""

import csv
import io
import json
import os
import subprocess
import sys
import zipfile

from program import PROGRAM, ask

EXAMPLES = os.path.join(os.environ["DUEL_SOURCE_DIR"], "examples")


def adapted(name, *files):
    return subprocess.run([sys.executable, os.path.join(EXAMPLES, name), *map(str, files)],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def votes_of(name, *files):
    """Each vote as (pair, winner, rest), whoever stands first."""
    done = adapted(name, *files)
    assert done.returncode == 0, done.stderr
    found = []
    for row in csv.DictReader(io.StringIO(done.stdout)):
        pair = tuple(sorted([row.pop("first"), row.pop("second")]))
        found.append((pair, row.pop("winner"), tuple(row.values())))
    return found, done.stdout


def sample(name, value, epoch=1, **more):
    scores = {"match": {"value": value}, "length": {"value": len(str(value))}}
    return {"id": name, "epoch": epoch, "scores": scores, **more}


def test_inspect_logs_of_both_forms_become_votes(tmp_path):
    header = {"version": 2, "status": "success"}
    one, other = tmp_path / "one.eval", tmp_path / "other.json"
    samples = [sample("q1", "C"), sample("q1", "I", epoch=2), sample("q2", "P"),
               sample("q3", "C", error={"message": "limit"}), sample("q4", "C"),
               sample("q5", [1, 2]), {"id": "q6", "epoch": 1}]
    with zipfile.ZipFile(one, "w") as archive:
        archive.writestr("header.json", json.dumps({**header, "eval": {"model": "lab/a"}}))
        archive.writestr("summaries.json", "[]")
        for k, each in enumerate(samples):
            archive.writestr(f"samples/{k}.json", json.dumps(each))
    other.write_text(json.dumps({**header, "eval": {"model": "lab/b"}, "samples": [
        sample("q1", "I"), sample("q1", 0.5, epoch=2), sample("q2", 0.5), sample("q3", "I"),
        sample("q5", 1), sample("q6", True)]}))
    votes, text = votes_of("inspect_votes.py", one, other)
    pair = ("lab/a", "lab/b")
    # What failed, was not graded, or was graded for one of them alone says nothing.
    assert votes == [(pair, "lab/a", ("q1", "1")), (pair, "lab/b", ("q1", "2")),
                     (pair, "tie", ("q2", "1"))]
    (tmp_path / "votes.csv").write_text(text)
    counted = ask("result", "--log", tmp_path / "votes.csv", "--json")
    assert counted["duels"]["served"] == 3 and counted["duels"]["ties"] == 1


def test_inspect_log_that_has_not_ended_is_refused(tmp_path):
    file = tmp_path / "running.eval"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    done = adapted("inspect_votes.py", file)
    assert done.returncode == 1 and "has not ended" in done.stderr


def test_promptfoo_columns_meet_on_every_test_case(tmp_path):
    def row(prompt, case, score, **more):
        return {"promptIdx": prompt, "testIdx": case, "vars": {"q": case}, "score": score,
                "prompt": {"raw": f"p{prompt}", "label": f"p{prompt}"},
                "provider": {"id": "openai:x", "label": ""}, "gradingResult": {"pass": True}, **more}

    file = tmp_path / "results.json"
    file.write_text(json.dumps({"evalId": "e", "results": {"version": 3, "results": [
        row(0, 0, 1), row(1, 0, 0.5), row(0, 1, 0), row(1, 1, 0),
        row(0, 2, 0, error="timeout", gradingResult=None), row(1, 2, 1),
        row(0, 3, 0.25), row(1, 3, 1), row(0, 3, 1), row(1, 3, 0)]}}))  # the last one came twice
    votes, _ = votes_of("promptfoo_votes.py", file)
    pair = ("p0", "p1")
    assert votes == [(pair, "p0", ("0",)), (pair, "tie", ("1",)), (pair, "p1", ("3",)),
                     (pair, "p0", ("3",))]


def lm_eval_log(folder, model, answers, doc_hash="h"):
    place = folder / model
    place.mkdir(exist_ok=True)
    file = place / "samples_gsm8k_2026-05-01T10-00-00.000000.jsonl"
    lines = []
    for number, answer in answers:
        lines.append(json.dumps({"doc_id": number, "doc": {}, "target": "4", "doc_hash": doc_hash,
                                 "arguments": {"gen_args_0": {"arg_0": f"Q{number}", "arg_1": {}}},
                                 "resps": answer, "filtered_resps": answer}))
    file.write_text("\n".join(lines) + "\n\n")
    return file


def test_lm_eval_documents_become_tasks(tmp_path):
    a = lm_eval_log(tmp_path, "a", [(0, [["four"]]), (1, [["five"]]), (1, [["five"]])])
    b = lm_eval_log(tmp_path, "b", [(0, [["4"]]), (2, [["six"]])])
    likelihoods = lm_eval_log(tmp_path, "c", [(0, [[[-1.5, False]]])])
    done = adapted("lm_eval_tasks.py", a, b)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"id": "gsm8k-0", "question": "Q0", "target": "4", "answers": {"a": "four", "b": "4"}}]
    # A model that answered nothing in words leaves no task, and other data are not the same task.
    assert adapted("lm_eval_tasks.py", a, likelihoods).stdout == ""
    other = lm_eval_log(tmp_path, "d", [(0, [["4"]])], doc_hash="other")
    refused = adapted("lm_eval_tasks.py", a, other)
    assert refused.returncode == 1 and "document 0 is another one" in refused.stderr
    # The program reads what was printed: the judge is asked about it.
    work = tmp_path / "work"
    work.mkdir()
    (work / "tasks.jsonl").write_text(done.stdout)
    (work / "judge.sh").write_text("#!/bin/sh\ncat >> asked\necho first\n")
    (work / "judge.sh").chmod(0o755)
    asked = subprocess.run([PROGRAM, "run", "--arms", "a,b", "--tasks", "tasks.jsonl", "--judge",
                            "./judge.sh", "--max-duels", "1", "--log", "log.jsonl"], cwd=work,
                           text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert asked.returncode == 3, asked.stderr  # one answer is no verdict
    assert "four" in (work / "asked").read_text()
