"""What users write passes the type checkers."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ["DUEL_SOURCE_DIR"]) / "python"

SCRIPT = """
from __future__ import annotations

import asyncio
from typing import Any, Awaitable

import duel

Prompt = dict[str, float]


def judge(first: Prompt, second: Prompt) -> bool:
    return first["quality"] > second["quality"]


async def judge_task(first: str, second: str, task: dict[str, str]) -> tuple[str, float]:
    return first, 0.25


class Model:
    def __call__(self, first: Prompt, second: Prompt) -> Awaitable[duel.Answer]:
        raise NotImplementedError


prompts: dict[str, Prompt] = {"a": {"quality": 1.0}, "b": {"quality": 2.0}}
found: duel.ExperimentResult = duel.run(prompts, judge, parallel=4)
duel.run(prompts, Model())
asyncio.run(duel.run_async(["a", "b"], judge_task, tasks=[{"q": "?"}]))
winner: str | None = found.winner
row: duel.BoardRow = found.board[0]
strength: float | None = row.strength
checks: list[str] = [check.name for check in found.health if check.verdict == "failed"]
keys: list[Any] = list(found)
exp = duel.Experiment(["a", "b"], tasks=["t"])
served = exp.next()
if served is not None:
    exp.report(served, winner=served.first)
    exp.report(served, duel.TIE)
with duel.Client("http://127.0.0.1:1") as client:
    arm: str = client.next("logo").first
out = duel.simulate("arxiv", ["rucb", duel.policies.rmed1()], rounds=10**3, seed=None)
seed: int = out.seed
plan: duel.Plan = duel.plan(arms=3, gap=0.1)
"""


@pytest.fixture
def script(tmp_path):
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    return file


def test_mypy_is_content_with_a_users_script(script, tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    said = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir",
                           str(tmp_path / "cache"), "--config-file", str(SOURCE / "mypy.ini"),
                           str(script)], capture_output=True, text=True, cwd=tmp_path,
                          env=dict(os.environ, MYPYPATH=str(SOURCE)))
    assert said.returncode == 0, said.stdout


def test_pyright_is_content_with_a_users_script(script, tmp_path):
    if shutil.which("pyright") is None:
        pytest.skip("pyright is not installed (npm install --global pyright)")
    said = subprocess.run(["pyright", str(script)], capture_output=True, text=True, cwd=tmp_path,
                          env=dict(os.environ, PYTHONPATH=str(SOURCE)))
    assert said.returncode == 0, said.stdout
