#!/usr/bin/env python3
"""Serves and reports through 1, 2 and 3 nodes on one PostgreSQL, on one hot experiment and on many.

Starts its own PostgreSQL in a temporary directory and its own nodes on loopback. Prints pairs of
one serve and one report per second, the median time of a request at the owner and through another node,
and the time from kill -9 of an owner until another node has acknowledged an outcome.
"""

import argparse
import http.client
import json
import multiprocessing
import pathlib
import statistics
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "faults"))
sys.dont_write_bytecode = True

import node_scenarios  # noqa: E402
from node_scenarios import Node  # noqa: E402
from postgres import Postgres  # noqa: E402

ARMS = [{"arm_id": f"a{k}"} for k in range(5)]


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method, path, body=None):
        headers = {"Content-Type": "application/json"} if body is not None else {}
        text = json.dumps(body) if body is not None else None
        self.connection.request(method, path, text, headers)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def pair(self, experiment):
        """One serve and one report; their times, or None where one failed."""
        base = f"/v1/experiments/{experiment}/duels"
        began = time.monotonic()
        status, duel = self.ask("POST", base, {})
        served = time.monotonic()
        if status != 201 or not duel["learn"]:
            return None
        body = {"result": "win", "winner": duel["arms"][0]["arm_id"]}
        status, _ = self.ask("PUT", f"{base}/{duel['duel_id']}/outcome", body)
        if status != 200:
            return None
        return served - began, time.monotonic() - served


def work(ports, experiments, threads, seconds, number, out):
    """One process of clients: `threads` of them, each with one request at a time."""
    done = []
    failed = [0]

    def run(k):
        client = Client(ports[k % len(ports)])
        own = experiments[k % len(experiments) :] + experiments[: k % len(experiments)]
        end = time.monotonic() + seconds
        n = 0
        while time.monotonic() < end:
            times = client.pair(own[n % len(own)])
            n += 1
            if times is None:
                failed[0] += 1
            else:
                done.append(times)

    clients = [threading.Thread(target=run, args=(number * threads + k,)) for k in range(threads)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    out.put((len(done), failed[0]))


def rate(ports, experiments, arguments):
    out = multiprocessing.Queue()
    processes = [
        multiprocessing.Process(
            target=work,
            args=(ports, experiments, arguments.clients, arguments.seconds, k, out),
        )
        for k in range(arguments.processes)
    ]
    began = time.monotonic()
    for process in processes:
        process.start()
    totals = [out.get() for _ in processes]
    for process in processes:
        process.join()
    took = time.monotonic() - began
    return sum(done for done, _ in totals) / took, sum(failed for _, failed in totals)


def latency(port, experiment, count):
    client = Client(port)
    times = [times for times in (client.pair(experiment) for _ in range(count)) if times]
    return [statistics.median(one) * 1000 for one in zip(*times)]


def shown(values):
    spread = statistics.stdev(values) if len(values) > 1 else 0
    return f"{statistics.mean(values):.0f} ± {spread:.0f}"


def create(port, experiment):
    client = Client(port)
    status, told = client.ask(
        "PUT", f"/v1/experiments/{experiment}", {"arms": ARMS, "seed": 1}
    )
    assert status == 201, told
    client.ask("POST", f"/v1/experiments/{experiment}/start")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/duel"))
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--clients", type=int, default=16, help="of each process")
    parser.add_argument("--many", type=int, default=100, help="experiments")
    parser.add_argument("--turns", type=int, default=30, help="of 20 requests at each of two nodes")
    parser.add_argument("--takeovers", type=int, default=5)
    parser.add_argument("--lease", type=int, default=10)
    arguments = parser.parse_args()
    node_scenarios.LEASE = arguments.lease
    postgres = Postgres()
    messages = pathlib.Path(tempfile.mkdtemp(prefix="duel-bench-"))
    nodes = [
        Node(arguments.binary, postgres.location, str(messages / f"node-{k}")) for k in range(3)
    ]
    try:
        print(" ".join(sys.argv))
        names = ("nodes", "experiments", "pairs/s (mean ± sd)", "rounds", "failed")
        print("{:>6} {:>12} {:>22} {:>7} {:>7}".format(*names))
        for count in (1, 2, 3):
            nodes[count - 1].start()
            ports = [node.port for node in nodes[:count]]
            for many in (1, arguments.many):
                names = [f"b{count}-{many}-{k}" for k in range(many)]
                for k, name in enumerate(names):
                    create(ports[k % count], name)  # so owners are spread
                rates, failures = [], 0
                for _ in range(arguments.rounds):
                    pairs, failed = rate(ports, names, arguments)
                    rates.append(pairs)
                    failures += failed
                row = (count, many, shown(rates), arguments.rounds, failures)
                print("{:>6} {:>12} {:>22} {:>7} {:>7}".format(*row), flush=True)
        create(nodes[0].port, "forward")
        # In turn, since a machine is busier at one moment than at another.
        here, there = [], []
        for _ in range(arguments.turns):
            here.append(latency(nodes[0].port, "forward", 20))
            there.append(latency(nodes[1].port, "forward", 20))
        for k, what in enumerate(("serve", "report")):
            at, through = [one[k] for one in here], [one[k] for one in there]
            more = [b - a for a, b in zip(at, through)]
            error = statistics.stdev(more) / len(more) ** 0.5
            print(
                f"{what}: median {statistics.median(at):.2f} ms at the owner, "
                f"{statistics.median(through):.2f} ms through another node; "
                f"difference {statistics.mean(more):.2f} ± {error:.2f} ms "
                f"(mean ± standard error of {len(more)} turns of 20)"
            )
        waits = []
        for k in range(arguments.takeovers):
            owner, other = nodes[k % 3], nodes[(k + 1) % 3]
            name = f"takeover-{k}"
            create(owner.port, name)
            client = Client(other.port)
            client.pair(name)
            owner.kill()
            began = time.monotonic()
            while client.pair(name) is None:
                time.sleep(0.02)
            waits.append(time.monotonic() - began)
            owner.start()
        print(
            f"take-over after kill -9, lease {arguments.lease} s: median "
            f"{statistics.median(waits):.2f} s, {min(waits):.2f} to {max(waits):.2f} "
            f"({len(waits)} kills)"
        )
    finally:
        for node in nodes:
            if node.process is not None:
                node.kill()
        postgres.close()


if __name__ == "__main__":
    main()
