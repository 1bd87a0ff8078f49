#!/usr/bin/env python3
"""Memory of one server with many experiments, and how fast those out of memory come back.

Starts `duel serve` on a store in a temporary directory on loopback, creates experiments, and serves
and reports duels in batches, all experiments in turn, so that each leaves memory and is woken many
times. Prints the server's resident memory as the outcomes grow, and in the end the times of the
first duel of experiments that were out of memory.
"""

import argparse
import http.client
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def resident_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


class Client:
    def __init__(self, url):
        self.connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=600)

    def ask(self, method, path, body=None):
        text = json.dumps(body) if body is not None else None
        headers = {"Content-Type": "application/json"} if body is not None else {}
        self.connection.request(method, path, text, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:300]!r}")
        return json.loads(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/duel"))
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument("--arms", type=int, default=100)
    parser.add_argument("--outcomes", type=float, default=1e7, help="of all experiments together")
    parser.add_argument("--batch", type=int, default=1000, help="duels of one request")
    parser.add_argument("--seconds", type=float, default=1800, help="give up after that")
    parser.add_argument("--woken", type=int, default=50)
    given = parser.parse_args()
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as place:
        server = subprocess.Popen(
            [given.binary, "serve", "--listen", "127.0.0.1:0", "--store", f"{place}/duel.db"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            measure(given, Client(server.stdout.readline().strip()), server.pid, chance)
        finally:
            server.terminate()
            server.wait()


def measure(given, client, pid, chance):
    arms = [{"arm_id": f"a{k}"} for k in range(given.arms)]
    names = [f"e{k}" for k in range(given.experiments)]
    for name in names:
        client.ask("PUT", f"/v1/experiments/{name}",
                   {"arms": arms, "guardrails": {"max_pending": given.batch}})
        client.ask("POST", f"/v1/experiments/{name}/start")
    begun = time.monotonic()
    done = 0
    turns = max(1, round(given.outcomes / given.experiments / given.batch))
    print("| outcomes | seconds | resident, MiB |\n|--:|--:|--:|")
    for turn in range(1, turns + 1):
        for name in names:
            served = client.ask("POST", f"/v1/experiments/{name}/duels", {"count": given.batch})
            # The arm with the lower number wins three times in four.
            outcomes = []
            for duel in served["items"]:
                if len(duel["arms"]) != 2:
                    continue
                ids = sorted((arm["arm_id"] for arm in duel["arms"]), key=lambda arm: int(arm[1:]))
                winner = ids[0] if chance.random() < 0.75 else ids[1]
                outcomes.append({"duel_id": duel["duel_id"], "result": "win", "winner": winner})
            if outcomes:
                client.ask("POST", f"/v1/experiments/{name}/outcomes", outcomes)
            done += len(outcomes)
            if time.monotonic() - begun > given.seconds:
                print(f"given up after {given.seconds} s")
                break
        else:
            if turn % max(1, turns // 10) == 0 or turn == turns:
                print(f"| {done} | {time.monotonic() - begun:.0f} | {resident_mib(pid):.0f} |",
                      flush=True)
            continue
        break
    print(f"at the end: {done} outcomes, {resident_mib(pid):.0f} MiB")
    # The last experiments of a turn are in memory, the first are not.
    times = []
    for name in names[:given.woken]:
        before = time.monotonic()
        client.ask("POST", f"/v1/experiments/{name}/duels", {})
        times.append(1e3 * (time.monotonic() - before))
    print(f"a duel of an experiment out of memory: median {statistics.median(times):.1f} ms, "
          f"highest {max(times):.1f} ms, of {len(times)}")


if __name__ == "__main__":
    sys.exit(main())
