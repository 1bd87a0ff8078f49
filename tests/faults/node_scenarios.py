"""What can go wrong where several nodes share a store on PostgreSQL, one function each."""

import json
import os
import random
import shutil
import signal
import socket
import time

import journal_check
from postgres import Postgres, programs
from scenarios import Skipped, Trial
from served import Connection, NoAnswer, Server, ServerEnded, wait_until

NODES = 3
LEASE = 2  # seconds


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Node(Server):
    """One `duel serve` on the shared store. Its port stays, as an advertised address does."""

    def __init__(self, binary, location, messages):
        super().__init__(binary, location, messages)
        self.port = free_port()
        self.paused = False

    def start(self, environment=None, wrapper=()):
        listen = f"127.0.0.1:{self.port}"
        arguments = ["--advertise", f"http://{listen}", "--lease", str(LEASE)]
        self.start_with(["--listen", listen, *arguments], environment, wrapper)

    def pause(self):
        self.paused = True
        os.killpg(self.process.pid, signal.SIGSTOP)

    def go_on(self):
        os.killpg(self.process.pid, signal.SIGCONT)
        self.paused = False


class NodeConnection(Connection):
    """A client behind a proxy: now this node, now that, another one after a failure."""

    def __init__(self, cluster):
        super().__init__(self.choose, seconds=10)
        self.cluster = cluster
        self.node = None

    def choose(self):
        if self.node is None or random.random() < 0.1:
            self.node = random.choice(self.cluster.nodes)
        return self.node.address

    def request(self, method, path, body=None, media="application/json"):
        try:
            status, text = super().request(method, path, body, media)
        except NoAnswer:
            self.node = None
            raise
        if status == 503:
            self.node = None
        return status, text


class Cluster:
    """Stands where a scenario has its server."""

    def __init__(self, binary, location, directory):
        self.nodes = [
            Node(binary, location, str(directory / f"messages-{k}")) for k in range(NODES)
        ]

    def start(self):
        for node in self.nodes:
            node.start()

    def connection(self):
        return NodeConnection(self)

    def ask(self, method, path, body=None):
        """Until there is an answer that is not `later`."""
        connection = self.connection()
        end = time.monotonic() + 120
        try:
            while True:
                try:
                    status, told = connection.ask(method, path, body)
                    if status != 503:
                        return status, told
                except NoAnswer:
                    pass
                if time.monotonic() > end:
                    raise NoAnswer(f"{method} {path}")
                time.sleep(0.05)
        finally:
            connection.close()

    def text(self, path):
        return self.nodes[0].text(path)

    def owner_of(self, postgres, experiment):
        url = postgres.sql(
            "SELECT n.url FROM duel.experiments e JOIN duel.nodes n ON n.id = e.owner "
            f"WHERE e.name = '{experiment}'"
        )
        return next((node for node in self.nodes if url.endswith(f":{node.port}")), None)

    def all_ready(self):
        def ready(node):
            try:
                return node.ask("GET", "/readyz")[0] == 200
            except NoAnswer:
                return False

        return wait_until(lambda: all(ready(node) for node in self.nodes))

    def __exit__(self, *_):
        for node in self.nodes:
            if node.process is not None:
                if node.paused:
                    node.go_on()
                node.kill()


class NodeTrial(Trial):
    """A scenario's database, nodes, clients and findings."""

    def __init__(self, setup, name):
        if programs() is None:
            raise Skipped("NOT TESTED: there is no PostgreSQL (scripts/setup --test)")
        super().__init__(setup, name)
        self.postgres = Postgres()
        self.server = Cluster(setup.binary, self.postgres.location, self.directory)

    def __enter__(self):
        try:
            self.server.start()
        except ServerEnded as ended:
            self.server.__exit__()
            self.postgres.close()
            if "built without PostgreSQL" in ended.message:
                raise Skipped("NOT TESTED: duel was built without PostgreSQL") from ended
            raise
        return self

    def __exit__(self, *arguments):
        try:
            super().__exit__(*arguments)
        finally:
            self.postgres.close()

    def check_all(self, experiment, lost_serves=False):
        """While nobody asks: what every node says is the same, and true."""
        self.load.pause()
        self.expect(self.server.all_ready(), "a node does not become ready again")
        before, records, result = self.check(experiment, lost_serves)
        if self.checks == 1 and not lost_serves:
            for lie in journal_check.self_test(before, before, records, result):
                self.violation(f"the checker does not see: {lie}")
        late = [duel for duel, status in before.acknowledged.items() if status == "late"]
        self.expect(not late, f"outcomes were `late` within an hour: {late[:3]}")
        base = f"/v1/experiments/{experiment}"
        heads, exports, results = set(), set(), set()
        for node in self.server.nodes:
            heads.add(json.dumps([node.ask("GET", base)[1][key] for key in ("sequence", "head")]))
            exports.add(node.text(f"{base}/export?what=audit")[1])
            results.add(self.result_at_head(node, base))
        self.expect(len(heads) == 1, f"the nodes have several heads: {sorted(heads)}")
        self.expect(len(exports) == 1, "the exports through the nodes differ")
        self.expect(len(results) == 1, "the results through the nodes differ")
        self.load.go_on()

    @staticmethod
    def result_at_head(node, base):
        """A result that is dear to make may be a second behind."""
        head = node.ask("GET", base)[1]["sequence"]
        for _ in range(50):
            text = node.text(f"{base}/result")[1]
            if json.loads(text)["sequence"] >= head:
                break
            time.sleep(0.1)
        return text

    def sum_of(self, metric):
        total = 0
        for node in self.server.nodes:
            for line in node.text("/metrics")[1].decode().splitlines():
                if line.startswith(metric + " ") or line.startswith(metric + "{"):
                    total += float(line.rsplit(" ", 1)[1])
        return int(total)

    def begin(self, experiment, lost_serves=False):
        self.create(experiment)
        self.begin_load(experiment, lost_serves)


# --- Scenarios -----------------------------------------------------------------------------------


def node_kills(setup, name):
    """kill -9 of a node, mostly of the owner, which comes back as another node."""
    rounds = 2 if setup.short else 40
    with NodeTrial(setup, name) as trial:
        trial.begin("kills")
        slowest = 0
        for _ in range(rounds):
            trial.wait_for_outcomes(20)
            owner = trial.server.owner_of(trial.postgres, "kills")
            node = owner or trial.random.choice(trial.server.nodes)
            if trial.random.random() < 0.3 and not setup.short:
                node = trial.random.choice(trial.server.nodes)
            time.sleep(trial.random.uniform(0, 0.2))
            node.kill()
            began = time.monotonic()
            trial.wait_for_outcomes(5)
            slowest = max(slowest, time.monotonic() - began)
            node.start()
            trial.check_all("kills")
        trial.end_load()
        epoch = trial.postgres.sql("SELECT epoch FROM duel.experiments WHERE name = 'kills'")
        return trial, f"{rounds} kills, {epoch} owners, at most {slowest:.1f} s without an outcome"


def node_pauses(setup, name):
    """SIGSTOP of the owner for longer than a lease, in whatever it is doing. When it goes on it
    finds itself fenced, and has told nobody anything from old memory."""
    rounds = 1 if setup.short else 15
    with NodeTrial(setup, name) as trial:
        trial.begin("pauses")
        moved = 0
        for _ in range(rounds):
            trial.wait_for_outcomes(20)
            owner = trial.server.owner_of(trial.postgres, "pauses")
            trial.expect(owner is not None, "a loaded experiment has no owner")
            if owner is None:
                break
            time.sleep(trial.random.uniform(0, 0.1))
            owner.pause()
            trial.wait_for_outcomes(20)  # by another node, after the lease
            moved += trial.server.owner_of(trial.postgres, "pauses") is not owner
            time.sleep(trial.random.uniform(0, 0.5))
            owner.go_on()
            trial.wait_for_outcomes(20)
            trial.check_all("pauses")
        trial.end_load()
        trial.expect(moved == rounds, f"{rounds - moved} pauses did not move the experiment")
        return trial, f"{rounds} pauses longer than a lease, each moved the experiment"


def is_cut_off(node, experiment):
    """Whether it gives fallbacks and refuses reports for now."""
    base = f"/v1/experiments/{experiment}/duels"
    status, duel = node.ask("POST", base, {})
    refused, problem = node.ask("PUT", f"{base}/nothing/outcome", {"result": "skip"})
    return (status, refused) == (201, 503) and not duel["learn"] and problem["retryable"]


def database_kills(setup, name):
    """kill -9 of the database: what it had not written is lost, and appended again by the owner."""
    rounds = 1 if setup.short else 15
    with NodeTrial(setup, name) as trial:
        trial.begin("crashes", lost_serves=True)
        load = trial.load
        for _ in range(rounds):
            trial.wait_for_outcomes(50)
            owner = trial.server.owner_of(trial.postgres, "crashes")
            trial.postgres.kill()
            if owner is not None:
                trial.expect(
                    wait_until(lambda owner=owner: is_cut_off(owner, "crashes")),
                    "without a database the owner gives no fallback, or takes reports",
                )
            trial.postgres.start()
            trial.wait_for_outcomes(20)
            trial.check_all("crashes", lost_serves=True)
        trial.end_load()
        again = trial.sum_of("duel_node_tails_appended_again_total")
        what = f"{rounds} crashes, {load.fallbacks} fallbacks, {again} tails appended again"
        return trial, what


def database_pauses(setup, name):
    """The database stands still for longer than a lease: every lease runs out."""
    rounds = 1 if setup.short else 5
    with NodeTrial(setup, name) as trial:
        trial.begin("stills")
        for _ in range(rounds):
            trial.wait_for_outcomes(20)
            trial.postgres.pause()
            time.sleep(LEASE + 1)
            trial.postgres.go_on()
            trial.wait_for_outcomes(20)
            trial.check_all("stills")
        trial.end_load()
        return trial, f"{rounds} pauses of the database longer than a lease"


def cut_connections(setup, name):
    """Connections to the database are cut in the middle of commits."""
    rounds = 10 if setup.short else 200
    with NodeTrial(setup, name) as trial:
        trial.begin("cuts")
        for cut in range(rounds):
            trial.wait_for_outcomes(3)
            trial.postgres.cut_connections()
            if cut % 20 == 9:
                trial.check_all("cuts")
        trial.check_all("cuts")
        trial.end_load()
        return trial, f"{rounds} cuts, {trial.sum_of('duel_node_reconnects_total')} reconnects"


def moved_clocks(setup, name):
    """Nodes whose clocks are an hour ahead and an hour behind: time is the database's."""
    if shutil.which("faketime") is None:
        raise Skipped("there is no faketime")
    with NodeTrial(setup, name) as trial:
        trial.begin("clocks")
        trial.wait_for_outcomes(20)
        for node, offset in zip(trial.server.nodes, ("+3600s", "-3600s")):
            trial.expect(node.stop() == 0, "a node that was asked to stop did not exit with 0")
            node.start(
                environment={"FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"},
                wrapper=("faketime", "-f", offset),
            )
            # Alone, the node with the wrong clock owns everything.
            others = [other for other in trial.server.nodes if other is not node]
            for other in others:
                other.stop()
            trial.wait_for_outcomes(20)
            for other in others:
                other.start()
            trial.wait_for_outcomes(5)
            trial.check_all("clocks")
        trial.end_load()
        return trial, "an hour ahead, an hour behind; recorded time never goes back"


def node_stops(setup, name):
    """SIGTERM, one node after the other, as when a new version is rolled out."""
    rounds = 1 if setup.short else 5
    with NodeTrial(setup, name) as trial:
        trial.begin("stops")
        slowest = 0
        for _ in range(rounds):
            for node in trial.server.nodes:
                trial.wait_for_outcomes(10)
                code = node.stop()
                trial.expect(code == 0, f"SIGTERM gave exit code {code}")
                began = time.monotonic()
                trial.wait_for_outcomes(1)
                slowest = max(slowest, time.monotonic() - began)
                node.start()
            trial.check_all("stops")
        trial.end_load()
        return trial, f"{NODES * rounds} stops, longest wait {slowest:.2f} s"


NODE_SCENARIOS = {
    "node kill -9": node_kills,
    "node paused": node_pauses,
    "node SIGTERM": node_stops,
    "database kill -9": database_kills,
    "database paused": database_pauses,
    "connections cut": cut_connections,
    "clocks moved": moved_clocks,
}
