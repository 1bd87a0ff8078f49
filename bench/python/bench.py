"""What the Python module costs, beside the command line and beside plain Python.

    PYTHONPATH=build/release/python python3 bench/python/bench.py [--program build/release/bin/duel]

Times are CPU times, so that other work on the machine matters little. Each is measured several
times; the table has the median and the spread from the least to the greatest.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time
from typing import Callable

import duel


def measured(work: Callable[[], float], times: int) -> tuple[float, float, float]:
    values = sorted(work() for _ in range(times))
    return statistics.median(values), values[0], values[-1]


def shown(name: str, values: tuple[float, float, float], unit: str, note: str = "") -> None:
    middle, least, most = values
    print(f"{name:<46} {middle:10.4g} {unit:<10} ({least:.4g} .. {most:.4g}) {note}")


def steps(policy: str, arms: int, rounds: int) -> float:
    """Microseconds for one select and one observe."""
    asked = duel.Policy(policy, arms=arms, rounds=rounds)
    select, observe = asked.select, asked.observe
    begun = time.process_time()
    for _ in range(rounds):
        observe(select(), True)
    loop = time.process_time() - begun
    begun = time.process_time()
    for _ in range(rounds):
        pass
    empty = time.process_time() - begun
    return 1e6 * (loop - empty) / rounds


def native_step(policy: str, rounds: int) -> float:
    """Microseconds for one round of a policy in the simulator, on arxiv."""
    begun = time.process_time()
    duel.simulate("arxiv", policy, rounds=rounds, trials=1, threads=1, checkpoints=[rounds])
    return 1e6 * (time.process_time() - begun) / rounds


class PlainRucb:
    """RUCB as one writes it in plain Python: lists, loops, one object per trial (as in duelpy)."""

    def __init__(self, arms: int, alpha: float = 0.51, seed: int = 0) -> None:
        self.arms, self.alpha, self.rng = arms, alpha, random.Random(seed)
        self.wins = [[0] * arms for _ in range(arms)]
        self.best: int | None = None

    def select(self, round: int) -> tuple[int, int]:
        bound = [[0.5] * self.arms for _ in range(self.arms)]
        for i in range(self.arms):
            for j in range(self.arms):
                if i != j:
                    n = self.wins[i][j] + self.wins[j][i]
                    bound[i][j] = 2.0 if n == 0 else (
                        self.wins[i][j] / n + math.sqrt(self.alpha * math.log(round) / n))
        left = [i for i in range(self.arms) if all(bound[i][j] >= 0.5 for j in range(self.arms))]
        if self.best not in left:
            self.best = None
        if len(left) == 1:
            self.best = left[0]
        if not left:
            champion = self.rng.randrange(self.arms)
        elif self.best is not None and self.rng.random() < 0.5:
            champion = self.best
        else:
            champion = self.rng.choice(left)
        most = max(bound[j][champion] for j in range(self.arms) if j != champion)
        rivals = [j for j in range(self.arms) if bound[j][champion] == most] or [champion]
        return champion, self.rng.choice(rivals)

    def observe(self, first: int, second: int, first_won: bool) -> None:
        winner, loser = (first, second) if first_won else (second, first)
        self.wins[winner][loser] += 1


def plain_round(rounds: int) -> float:
    """Microseconds per round of the plain loop on arxiv."""
    matrix = duel.PreferenceMatrix("arxiv").values.tolist()
    policy, rng = PlainRucb(len(matrix)), random.Random(1)
    begun = time.process_time()
    for round in range(1, rounds + 1):
        first, second = policy.select(round)
        if first != second:
            policy.observe(first, second, rng.random() < matrix[first][second])
    return 1e6 * (time.process_time() - begun) / rounds


def asked_round(rounds: int) -> float:
    """The same loop around a native policy."""
    matrix = duel.PreferenceMatrix("arxiv").values.tolist()
    policy, rng = duel.Policy("rucb", arms=len(matrix)), random.Random(1)
    begun = time.process_time()
    for _ in range(rounds):
        chosen = policy.select()
        policy.observe(chosen, rng.random() < matrix[chosen.first][chosen.second])
    return 1e6 * (time.process_time() - begun) / rounds


def simulated_round(rounds: int, trials: int) -> float:
    out = duel.simulate("arxiv", "rucb", rounds=rounds, trials=trials, threads=1,
                        checkpoints=[rounds])
    return 1e6 * sum(out.cpu_seconds.values()) / rounds / trials


def of_module(rounds: int, trials: int) -> float:
    """CPU seconds of the whole call, summary included."""
    begun = time.process_time()
    duel.simulate("arxiv", "rucb,rmed1", rounds=rounds, trials=trials, threads=1)
    return time.process_time() - begun


def of_program(program: str, rounds: int, trials: int) -> float:
    """CPU seconds of the same work by the program, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.check_output(
        [program, "simulate", "--policy", "rucb,rmed1", "--matrix", "arxiv", "--rounds", str(rounds),
         "--trials", str(trials), "--threads", "1", "--json", "--quiet"])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def interruption(work: Callable[[], object]) -> float:
    """Milliseconds from the signal to the exception."""
    sent = []

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.5, send).start()
    try:
        work()
    except KeyboardInterrupt:
        return 1000 * (time.monotonic() - sent[0])
    raise RuntimeError("the work ended by itself")


class Idle:
    def __init__(self, arms: int, rng: object) -> None:
        pass

    def select(self, round: int) -> tuple[int, int]:
        return 0, 1

    def observe(self, chosen: object, outcome: object) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/bin/duel")
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="small work, to see that it runs")
    given = parser.parse_args()
    scale, times = (100, 2) if given.quick else (1, given.times)
    print(f"duel {duel.__version__}, Python {sys.version.split()[0]}, {os.uname().machine}, "
          f"{times} times each")

    rounds = 200_000 // scale
    step = measured(lambda: steps("uniform", 6, rounds), times)
    shown("select + observe, uniform, 6 arms", step, "us", "the bar is 1 us of overhead")
    shown("the same in the simulator", measured(lambda: native_step("uniform", rounds), times),
          "us")
    shown("select + observe, rucb, 6 arms", measured(lambda: steps("rucb", 6, rounds), times), "us")

    plain = measured(lambda: plain_round(20_000 // scale), times)
    asked = measured(lambda: asked_round(200_000 // scale), times)
    batch = measured(lambda: simulated_round(1_000_000 // scale, 4), times)
    shown("rucb on arxiv, plain Python, per round", plain, "us")
    shown("rucb on arxiv, duel.Policy, per round", asked, "us", f"{plain[0] / asked[0]:.0f} times")
    shown("rucb on arxiv, duel.simulate, per round", batch, "us",
          f"{plain[0] / batch[0]:.0f} times")

    # In turn, so that what the machine does otherwise meets both alike.
    ratios, module, program = [], [], []
    trials = 400 if scale == 1 else 2
    for _ in range(times):
        module.append(of_module(1_000_000 // scale, trials))
        program.append(of_program(given.program, 1_000_000 // scale, trials))
        ratios.append(module[-1] / program[-1])
    ratios.sort()
    shown("duel.simulate, CPU", (statistics.median(module), min(module), max(module)), "s")
    shown("duel simulate, CPU", (statistics.median(program), min(program), max(program)), "s")
    shown("ratio", (statistics.median(ratios), ratios[0], ratios[-1]), "", "the bar is 1.02")

    for name, work in {
        "native": lambda: duel.simulate("arxiv", "uniform", rounds=1e12, trials=4),
        "policy in Python": lambda: duel.simulate("arxiv", [("idle", Idle)], rounds=1e12, trials=4),
        "environment": lambda: duel.simulate(lambda *_: True, "uniform", rounds=1e12, trials=4, arms=3),
    }.items():
        shown(f"Ctrl-C, {name}", measured(lambda: interruption(work), times), "ms",
              "the bar is 100 ms")


if __name__ == "__main__":
    main()
