"""Scripts of tests/golden through Python: the same bytes as before, times aside.

What the steps mean is said in tests/golden/local_door.h. Goldens are written again with
DUEL_WRITE_GOLDENS=1 in the environment.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re

import pytest

import duel

GOLDEN = pathlib.Path(os.environ["DUEL_SOURCE_DIR"]) / "tests" / "golden"


def hash_text(text):
    """FNV-1a, as duel/core/rng.h has it."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def said_about(duel_id):
    """As tests/golden/script.cc decides."""
    lot = hash_text(duel_id) % 10
    return "tie" if lot == 0 else "better" if lot < 9 else "worse"


def steps_of(file):
    lines = []
    for line in file.read_text().splitlines():
        if line.startswith(" "):
            lines[-1] += line.strip()
        elif line and not line.startswith("#"):
            lines.append(line)
    for line in lines:
        head, brace, rest = line.partition(" {")
        words = head.split()
        yield line, words[0], words[1:], json.loads("{" + rest) if brace else None


def retimed(text):
    """The log with its lines a second apart, however long an answer took; the hashes follow."""
    lines, head = [], "0" * 64
    moment = datetime.datetime(2026, 11, 15)
    for line in text.splitlines():
        written = moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        line = re.sub(r'"time":"[^"]*"', f'"time":"{written}"', line, count=1)
        line = re.sub(r'"response_ms":\d+', '"response_ms":1', line)
        line = line[:line.rindex(',"hash":')]
        head = hashlib.sha256((head + line).encode()).hexdigest()
        lines.append(f'{line},"hash":"{head}"}}\n')
        moment += datetime.timedelta(seconds=1)
    return "".join(lines)


def expect_golden(name, actual):
    file = GOLDEN / "data" / name
    if os.environ.get("DUEL_WRITE_GOLDENS") == "1":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(actual)
        return
    expected = file.read_text() if file.exists() else ""
    for number, (old, new) in enumerate(zip(expected.splitlines(), actual.splitlines()), 1):
        assert old == new, f"line {number} of {file} differs"
    assert expected == actual, f"{file} has another length"


class PythonDoor:
    def __init__(self, directory):
        self.log_file = directory / "run.jsonl"
        self.experiment = None
        self.asked = {}
        self.replies = []

    def tell(self, text):
        self.replies.append(text.replace(str(self.log_file), "run.jsonl"))

    def open(self, wanted):
        if self.experiment is not None:
            self.experiment.close()
        options = {key: value for key, value in wanted.items() if key not in ("arms", "name")}
        if "tasks" in options:
            options["tasks"] = [{"task_id": task, "question": f"about {task}"}
                                for task in options["tasks"]]
        if options.get("about") == "these-people":
            options["subject"] = True
        self.both = options.get("order") == "both"
        self.experiment = duel.Experiment(wanted["arms"], log=self.log_file,
                                          name=wanted.get("name", "e"), **options)
        self.tell(f"resumed {self.experiment.resumed}, pending {self.experiment.pending}")

    def serve(self, duel_id, subject=None):
        served = self.experiment.next(duel_id, subject=subject)
        if served is not None:
            self.asked[duel_id] = served
        return served

    def said(self, word, served):
        """A word of a script as Python says it: arms by their names, and in both orders places."""
        if word[0].isdigit():
            return float(word)
        if served is None:
            return word
        arms = {"better": min(served.first, served.second),
                "worse": max(served.first, served.second)}
        if not self.both:
            arms.update(first=served.first, second=served.second)
        return arms.get(word, word)

    def answer(self, duel_id, word):
        served = self.asked.get(duel_id)
        word, _, other = word.partition("/")
        said = {"invalid": True} if word == "invalid" else {"winner": self.said(word, served)}
        if self.both:
            said["turned"] = self.said(other or word, served)
        return self.experiment.report(duel_id, **said, source="j", source_type="judge",
                                      response_ms=1)

    def play(self, count, prefix, begin, subject):
        for number in range(begin, begin + count):
            served = self.serve(f"{prefix}{number}", subject)
            if served is None:
                break
            # Python cannot say which place of an arm shown twice has won.
            twice = served.first == served.second
            word = "tie" if twice else said_about(served.duel_id)
            if self.both:
                word += "/" + said_about(served.duel_id + "/turned")
            self.tell(f"{served.duel_id} {served.first} {served.second} {served.serving} {word} "
                      f"{self.answer(served.duel_id, word)}")

    def run(self, wanted):
        """duel.run with a judge who is asked one duel after the other."""
        turns = iter(range(10**6))

        def judge(first, second):
            turn = next(turns)
            if turn == wanted.get("raises"):
                raise RuntimeError("the judge broke")
            if turn % 9 == 4:
                return "tie"
            return "nonsense" if turn % 13 == 6 else min(first, second)

        options = {key: value for key, value in wanted.items() if key not in ("arms", "raises")}
        result = duel.run(wanted["arms"], judge, log=self.log_file, name="e", **options)
        self.tell(f"verdict {result.verdict}")

    def step(self, text, verb, words, wanted):
        self.tell("> " + text)
        values = dict(word.split("=") for word in words if "=" in word)
        try:
            if verb == "open":
                self.open(wanted)
            elif verb == "run":
                self.run(wanted)
            elif verb == "serve":
                self.tell(repr(self.serve(words[0], values.get("subject"))))
            elif verb == "answer":
                self.tell(self.answer(words[0], words[1]))
            elif verb == "expire":
                self.tell(self.experiment.expire(words[0], "expired"))
            elif verb == "play":
                self.play(int(words[0]), words[1], int(values.get("from", 1)),
                          values.get("subject"))
            elif verb == "close-panel":
                self.experiment.close_panel()
            elif verb == "complete":
                self.experiment.complete()
            elif verb == "close":
                self.experiment.close()
            else:
                raise NotImplementedError(text)
        except (duel.Error, RuntimeError) as error:
            self.tell(f"{type(error).__name__}: {error}")

    def log(self):
        return retimed(self.log_file.read_text())


def play(door, folder, name):
    for step in steps_of(GOLDEN / "scripts" / folder / f"{name}.script"):
        door.step(*step)


def names_in(folder):
    return sorted(file.stem for file in (GOLDEN / "scripts" / folder).glob("*.script"))


@pytest.mark.filterwarnings("ignore::duel.FreshAnswersWarning")
@pytest.mark.parametrize("name", names_in("python"))
def test_script(name, tmp_path):
    door = PythonDoor(tmp_path)
    play(door, "python", name)
    log = door.log()
    expect_golden(f"python/{name}.replies", "\n".join(door.replies) + "\n")
    expect_golden(f"python/{name}.log", log)
    # Of the log whose times are known.
    file = tmp_path / "retimed.jsonl"
    file.write_text(log)
    expect_golden(f"python/{name}.result",
                  json.dumps(duel.result(file).to_dict(), indent=2) + "\n")
    verified = duel.verify(file, replay=True)
    assert verified["verified"]
    if verified["certificate"] is not None:
        expect_golden(f"python/{name}.certificate",
                      json.dumps(verified["certificate"], indent=2) + "\n")


# What Python does not play here: tests/golden/doors_test.cc has the same in its table.
ELSEWHERE = {"audit"}
CANNOT_PLAY = {"arms"}


@pytest.mark.parametrize("name", [name for name in names_in("doors") if name not in ELSEWHERE])
def test_door(name, tmp_path):
    door = PythonDoor(tmp_path)
    if name in CANNOT_PLAY:
        with pytest.raises((duel.Unsupported, TypeError)):
            door.open(next(steps_of(GOLDEN / "scripts" / "doors" / f"{name}.script"))[3])
        return
    play(door, "doors", name)
    expect_golden(f"doors/{name}.python.log", door.log())
