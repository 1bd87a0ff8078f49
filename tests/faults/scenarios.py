"""What can go wrong under a server, one function each. All but the checks is here."""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import journal_check
from load import Load
from served import NoAnswer, Server, ServerEnded, wait_until

ARMS = ["a", "b", "c", "d", "e"]
SECTOR = 512


class Skipped(Exception):
    """Cannot run here, and says why."""


class Trial:
    """One scenario's server, store, clients and findings."""

    def __init__(self, setup, name, directory=None):
        self.setup = setup
        self.random = random.Random(f"{setup.seed}/{name}")
        self.directory = setup.directory / name
        self.directory.mkdir()
        self.store_directory = directory or self.directory / "store"
        self.store_directory.mkdir(exist_ok=True)
        self.store = self.store_directory / "duel.db"
        self.server = Server(setup.binary, str(self.store), str(self.directory / "messages"))
        self.load = None
        self.violations = []
        self.checks = 0
        self.acknowledged = 0
        self.probes = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            if self.load is not None:
                self.end_load()
        finally:
            self.server.__exit__()

    def violation(self, text):
        self.violations.append(text)

    def expect(self, condition, text):
        if not condition:
            self.violation(text)

    # --- Experiments and load --------------------------------------------------------------------

    def create(self, experiment, timeout_s=3600):
        base = f"/v1/experiments/{experiment}"
        body = {
            "arms": [{"arm_id": arm} for arm in ARMS],
            "seed": self.random.randrange(1 << 30),
            "feedback": {"timeout_s": timeout_s},
        }
        status, told = self.server.ask("PUT", base, body)
        assert status == 201, told
        status, told = self.server.ask("POST", base + "/start")
        assert status == 200, told

    def begin_load(self, experiment, lost_serves=False, clients=6):
        self.load = Load(
            self.server, experiment, self.directory, self.setup.seed, clients, lost_serves
        )
        self.load.start()

    def end_load(self):
        load, self.load = self.load, None
        load.stop()
        self.acknowledged += load.acknowledged
        for refusal in load.refused[:5]:
            self.violation(f"a client was refused: {refusal}")

    def wait_for_outcomes(self, more):
        """Until so many more outcomes were acknowledged."""
        target = self.load.acknowledged + more
        if not wait_until(lambda: self.load.acknowledged >= target):
            self.violation(f"the load stands still: {self.load.acknowledged} of {target} outcomes")

    # --- Duels of the scenario itself ------------------------------------------------------------

    def note(self, experiment, event, duel, **more):
        with open(self.directory / f"{experiment}-probe.jsonl", "a", encoding="utf-8") as out:
            out.write(json.dumps({"event": event, "duel": duel, **more}) + "\n")

    def serve(self, experiment):
        self.probes += 1
        duel = f"probe-{self.probes}"
        self.note(experiment, "asked", duel)
        path = f"/v1/experiments/{experiment}/duels"
        return self.server.ask("POST", path, {"duel_id": duel})[1]

    def skip(self, experiment, served):
        """The status of the answer to an outcome that says nothing."""
        duel = served["duel_id"]
        self.note(experiment, "reported", duel, result="skip")
        path = f"/v1/experiments/{experiment}/duels/{duel}/outcome"
        return self.server.ask("PUT", path, {"result": "skip"})[0]

    # --- Checks --------------------------------------------------------------------------------

    def exported(self, server, experiment):
        status, text = server.text(f"/v1/experiments/{experiment}/export?what=audit")
        assert status == 200, text
        return text

    def check(self, experiment, lost_serves=False):
        """Journals against log, `duel verify`, and the state against a fold of the log.

        While nobody asks: the load is paused or has ended.
        """
        self.checks += 1
        before = self.journals_of(experiment)
        # Asked for first: an experiment that is loaded after a loss of power writes that down.
        _, result = self.server.ask("GET", f"/v1/experiments/{experiment}/result")
        text = self.exported(self.server, experiment)
        records = [json.loads(line) for line in text.splitlines()]
        self.violations += journal_check.violations(before, before, records, result, lost_serves)
        log = self.directory / f"{experiment}.jsonl"
        log.write_bytes(text)
        verified = subprocess.run(
            [self.setup.binary, "verify", "--log", str(log)], capture_output=True, check=False
        )
        # 4: the log is sound, and what chance told the clients to answer looks odd.
        said = (verified.stdout + verified.stderr).decode().strip()
        self.expect(verified.returncode in (0, 4), f"duel verify: {said}")
        self.compare_with_fold(experiment, text, result)
        return before, records, result

    def journals_of(self, experiment):
        paths = self.directory.glob(f"{experiment}-*.jsonl")
        return journal_check.Journals(journal_check.read_events(sorted(paths)))

    def compare_with_fold(self, experiment, text, result):
        """The log, imported by another server, must give the same state: the same head, the same
        result, and the same choices from there on."""
        base = f"/v1/experiments/{experiment}"
        fresh = self.directory / "fold"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        with Server(self.setup.binary, str(fresh / "duel.db"), str(fresh / "messages")) as other:
            # A log from under a clock that was ahead is imported like any other.
            other.start_with(["--listen", "127.0.0.1:0", "--most-ahead", "100000"])
            connection = other.connection()
            status, told = connection.request(
                "POST", base + "/import", text, "application/x-ndjson"
            )
            self.expect(status == 201, f"the export cannot be imported: {told[:300]!r}")
            if status != 201:
                return
            _, shown = self.server.ask("GET", base)
            _, folded = connection.ask("GET", base)
            for field in ("head", "sequence", "served", "pending", "state", "policy"):
                self.expect(
                    shown[field] == folded[field],
                    f"{field} is {shown[field]}, and {folded[field]} in the fold of the log",
                )
            _, again = connection.ask("GET", base + "/result")
            for difference in differences(result, again)[:3]:
                self.violation(f"the result and that of a fold of the log: {difference}")
            for _ in range(3):
                here = self.serve(experiment)
                _, there = connection.ask("POST", base + "/duels", {"duel_id": here["duel_id"]})
                self.expect(
                    here["arms"] == there["arms"],
                    f"{here['duel_id']}: {here['arms']}, and {there['arms']} after a fold of the log",
                )
            connection.close()
            self.expect(other.stop() == 0, "a server that was asked to stop did not exit with 0")


def differences(one, other, where=""):
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [d for key in one for d in differences(one[key], other[key], f"{where}/{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other))
        return [d for k, (a, b) in pairs for d in differences(a, b, f"{where}/{k}")]
    return [] if one == other else [f"{where} is {one} here and {other} there"]


# --- Scenarios -----------------------------------------------------------------------------------


def kills(setup, name):
    """kill -9 under load, again and again."""
    with Trial(setup, name) as trial:
        trial.server.start()
        slowest = 0
        for kill in range(setup.kills):
            experiment = f"kills-{kill // 20}"
            if kill % 20 == 0:
                if trial.load is not None:
                    trial.end_load()
                trial.create(experiment)
                trial.begin_load(experiment)
            trial.wait_for_outcomes(1)
            time.sleep(trial.random.uniform(0, 0.3))
            trial.server.kill()
            began = time.monotonic()
            trial.server.start()
            slowest = max(slowest, time.monotonic() - began)
            trial.load.pause()
            before, records, result = trial.check(experiment)
            if kill == 0:
                missed = journal_check.self_test(before, before, records, result)
                for lie in missed:
                    trial.violation(f"the checker does not see: {lie}")
            trial.load.go_on()
        trial.end_load()
        return trial, f"{setup.kills} kills, slowest start {slowest:.2f} s"


def terminations(setup, name):
    """SIGTERM under load: everything is answered or refused, the exit code is 0."""
    rounds = 2 if setup.short else 20
    with Trial(setup, name) as trial:
        trial.server.start()
        trial.create("term")
        trial.begin_load("term")
        for _ in range(rounds):
            trial.wait_for_outcomes(20)
            code = trial.server.stop(signal.SIGTERM)
            trial.expect(code == 0, f"SIGTERM gave exit code {code}")
            trial.server.start()
            trial.load.pause()
            trial.check("term")
            trial.load.go_on()
        trial.end_load()
        return trial, f"{rounds} times SIGTERM, exit code 0"


def full_disk(setup, name):
    """The file system is full: readiness goes, pages get a fallback, reports are to be retried;
    when there is room again everything goes on without a restart."""
    with small_file_system(setup, name, "16m") as mounted, Trial(setup, name, mounted) as trial:
        trial.server.start()
        trial.create("full")
        trial.begin_load("full")
        trial.wait_for_outcomes(50)
        # The clients of the load may all have a report under way when the disk is full, or none of
        # them, so the scenario has duels of its own. Several: a small record may still find room.
        open_duels = [trial.serve("full") for _ in range(20)]
        ballast = mounted / "ballast"
        fill(ballast)
        load = trial.load

        def falls_back():
            return trial.serve("full").get("serving") == "fallback"

        trial.expect(wait_until(falls_back), "no fallback on a full disk")
        refused = any(trial.skip("full", served) == 503 for served in open_duels)
        trial.expect(refused, "every report is taken on a full disk")
        unready = wait_until(lambda: trial.server.ask("GET", "/readyz")[0] == 503)
        trial.expect(unready, "/readyz says ready on a full disk")
        status, _ = trial.server.ask("GET", "/healthz")
        trial.expect(status == 200, f"/healthz is {status} on a full disk")
        ballast.unlink()
        ready = wait_until(lambda: trial.server.ask("GET", "/readyz")[0] == 200)
        trial.expect(ready, "/readyz does not come back when there is room")
        trial.wait_for_outcomes(50)
        trial.load.pause()
        trial.check("full")
        fill(ballast)
        trial.load.go_on()
        trial.expect(wait_until(falls_back), "no fallback on a disk that is full again")
        trial.server.kill()
        ballast.unlink()
        trial.server.start()
        trial.wait_for_outcomes(20)
        trial.load.pause()
        trial.check("full")
        trial.end_load()
        return trial, f"{load.fallbacks} fallbacks, {load.refused_for_now} to be retried"


def read_only_store(setup, name):
    """A store that cannot be written is refused at the start, by its name."""
    with small_file_system(setup, name, "8m") as mounted, Trial(setup, name, mounted) as trial:
        trial.server.start()
        trial.create("fixed")
        trial.begin_load("fixed")
        trial.wait_for_outcomes(20)
        trial.load.pause()
        trial.check("fixed")
        trial.server.stop()
        subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True)
        try:
            trial.server.start()
            trial.violation("a read-only store is served")
            trial.server.stop()
        except ServerEnded as ended:
            trial.expect(ended.code == 1, f"a read-only store gave exit code {ended.code}")
            trial.expect("duel.db" in ended.message, f"the store is not named: {ended.message}")
        subprocess.run(["mount", "-o", "remount,rw", str(mounted)], check=True)
        trial.server.start()
        trial.load.go_on()
        trial.wait_for_outcomes(10)
        trial.load.pause()
        trial.check("fixed")
        trial.end_load()
        return trial, "refused at the start with exit code 1"


def failed_syncs(setup, name):
    """A sync fails: the process exits, and what was acknowledged was synced before."""
    rounds = 2 if setup.short else 20
    with Trial(setup, name) as trial:
        disk = Disk(setup, trial)
        experiment = "sync"
        trial.server.start(disk.environment())
        trial.create(experiment)
        trial.begin_load(experiment, lost_serves=True)
        for _ in range(rounds):
            trial.wait_for_outcomes(10)
            trial.server.stop()
            fails_at = trial.random.randrange(5, 60)
            trial.server.start(disk.environment(fails_at))
            code = trial.server.wait(120)
            trial.expect(code is not None, "the process goes on after a sync that failed")
            trial.expect(code != 0, "the exit code after a failed sync is 0")
            if code is None:
                trial.server.kill()
            # The system may have dropped all that it could not write.
            disk.lose_power("nothing")
            trial.server.start(disk.environment())
            trial.load.pause()
            trial.check(experiment, lost_serves=True)
            trial.load.go_on()
        trial.end_load()
        return trial, f"{rounds} failed syncs, each ended the process"


def failed_sync_calls(setup, name):
    """The same by the kernel's word: strace makes fsync and fdatasync fail."""
    if shutil.which("strace") is None:
        raise Skipped("there is no strace")
    with Trial(setup, name) as trial:
        trial.server.start()
        trial.create("strace")
        trial.server.stop()
        trace = trial.directory / "strace"
        calls = "fsync,fdatasync"
        wrapper = ["strace", "-f", "-q", "-o", str(trace), "-e", f"trace={calls}"]
        wrapper += ["-e", f"inject={calls}:error=EIO:when=30+"]
        try:
            trial.server.start(wrapper=wrapper)
        except ServerEnded as ended:
            raise Skipped(f"strace cannot trace here ({ended})") from ended
        trial.begin_load("strace")
        code = trial.server.wait(120)
        trial.expect(code not in (None, 0), f"the exit code after a failed sync is {code}")
        failed = trace.read_text(errors="replace").count("EIO")
        trial.expect(failed > 0, "no sync failed, so this proves nothing")
        trial.server.start()
        trial.wait_for_outcomes(10)
        trial.load.pause()
        trial.check("strace")
        trial.end_load()
        return trial, f"{failed} failed calls, exit code {code}"


def power_losses(setup, name):
    """The power fails under load: any part of what was not synced may be gone."""
    rounds = 4 if setup.short else 60
    with Trial(setup, name) as trial:
        disk = Disk(setup, trial)
        trial.server.start(disk.environment())
        kept = []
        for loss in range(rounds):
            experiment = f"power-{loss // 10}"
            if loss % 10 == 0:
                if trial.load is not None:
                    trial.end_load()
                trial.create(experiment)
                trial.begin_load(experiment, lost_serves=True)
            trial.wait_for_outcomes(5)
            time.sleep(trial.random.uniform(0, 0.3))
            trial.server.kill()
            kept.append(["nothing", "sectors", "beginning"][loss % 3])
            disk.lose_power(kept[-1])
            trial.server.start(disk.environment())
            trial.load.pause()
            _, records, _ = trial.check(experiment, lost_serves=True)
            recovered = sum(record["record"] == "recovered" for record in records)
            trial.expect(recovered > 0, "a loss of power left no `recovered` record")
            trial.load.go_on()
        trial.end_load()
        return trial, f"{rounds} losses of power, {kept.count('sectors')} with torn sectors"


def clock_jumps(setup, name):
    """The clock is set forth and back, between two starts and under a running server. Nobody's duel
    expires for that, and the log's times never go back."""
    library = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if library is None:
        raise Skipped("there is no faketime")
    with Trial(setup, name) as trial:
        clock = trial.directory / "clock"
        environment = {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(clock),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

        # Beyond an hour ahead of its clock an experiment would not be served.
        arguments = ["--listen", "127.0.0.1:0", "--most-ahead", "100000"]

        def set_clock(offset_s):
            partial = clock.with_suffix(".partial")
            partial.write_text(f"{offset_s:+d}\n")
            os.replace(partial, clock)

        set_clock(0)
        trial.server.start_with(arguments, environment)
        trial.create("clock", timeout_s=600)
        base = "/v1/experiments/clock"
        holder = open(trial.directory / "clock-holder.jsonl", "w", encoding="utf-8")

        def note(**event):
            holder.write(json.dumps(event) + "\n")
            holder.flush()

        def hold(count):
            held = []
            for _ in range(count):
                trial.probes += 1
                duel = f"held-{trial.probes}"
                note(event="asked", duel=duel)
                _, told = trial.server.ask("POST", base + "/duels", {"duel_id": duel})
                note(event="served", duel=duel, arms=[arm["arm_id"] for arm in told["arms"]])
                held.append((duel, trial.random.choice(told["arms"])["arm_id"]))
            return held

        def report(held, after):
            for duel, winner in held:
                note(event="reported", duel=duel, result="win", winner=winner)
                body = {"result": "win", "winner": winner}
                status, told = trial.server.ask("PUT", f"{base}/duels/{duel}/outcome", body)
                said = told.get("status") if status == 200 else status
                trial.expect(said == "applied", f"{after}: {duel} is {said}")
                if status == 200:
                    note(event="acknowledged", duel=duel, status=said)
                    trial.acknowledged += 1

        with holder:
            jumps = 0
            for offset in (3600, -3600, 7200, 0, 86400, 60):
                # Down while the clock moves, as for an hour.
                held = hold(5)
                trial.server.stop(trial.random.choice([signal.SIGTERM, signal.SIGKILL]))
                set_clock(offset)
                trial.server.start_with(arguments, environment)
                report(held, f"restart with the clock at {offset:+d} s")
                # And under a running server.
                held = hold(5)
                set_clock(-offset)
                time.sleep(0.7)  # longer than the server's own beat
                report(held, f"the clock jumps to {-offset:+d} s")
                jumps += 2
                trial.check("clock")
        return trial, f"{jumps} jumps of up to a day, nothing expired"


def damaged_files(setup, name):
    """A store file is cut short or changed: that is said, or the log is still the same."""
    rounds = 12 if setup.short else 200
    with Trial(setup, name) as trial:
        trial.server.start()
        trial.create("damaged")
        trial.begin_load("damaged")
        trial.wait_for_outcomes(150)
        trial.load.pause()
        trial.check("damaged")
        text = trial.exported(trial.server, "damaged")
        trial.end_load()
        trial.server.stop()
        sound = trial.store.read_bytes()
        seen = {"refused at the start": 0, "named by the server": 0, "harmless": 0}
        for damage in range(rounds):
            content = bytearray(sound)
            how = damage_file(trial.random, content)
            for old in trial.store_directory.iterdir():
                old.unlink()
            trial.store.write_bytes(content)
            seen[fate_of(trial, text, how)] += 1
        trial.expect(seen["harmless"] < rounds, "no damage was noticed")
        return trial, ", ".join(f"{count} {fate}" for fate, count in seen.items())


def fate_of(trial, text, how):
    try:
        trial.server.start()
    except ServerEnded as ended:
        trial.expect(ended.code == 1, f"{how}: exit code {ended.code}: {ended.message}")
        trial.expect("duel.db" in ended.message, f"{how}: not named: {ended.message}")
        return "refused at the start"
    try:
        status, told = trial.server.text("/v1/experiments/damaged/result")
        if status == 200:
            status, told = trial.server.text("/v1/experiments/damaged/export?what=audit")
    except NoAnswer as broken:
        # The export is cut off in the middle; a crash is another matter.
        status, told = 0, str(broken).encode()
    alive = trial.server.process.poll() is None
    trial.expect(alive, f"{how}: the server died")
    code = trial.server.stop()
    trial.expect(not alive or code is not None, f"{how}: the server does not stop")
    if status == 200 and told == text:
        return "harmless"
    trial.expect(status != 200, f"{how}: another log is given out as if it were sound")
    return "named by the server"


def damage_file(rng, content):
    kind = rng.randrange(4)
    if kind == 0:
        size = rng.randrange(len(content))
        del content[size:]
        return f"cut to {size} bytes"
    at = rng.randrange(len(content))
    if kind == 1:
        content[at] ^= 1 << rng.randrange(8)
        return f"a bit at {at}"
    size = min(rng.choice([1, 16, 512, 4096]), len(content) - at)
    if kind == 2:
        content[at : at + size] = bytes(size)
        return f"{size} zeros at {at}"
    content[at : at + size] = rng.randbytes(size)
    return f"{size} random bytes at {at}"


SCENARIOS = {
    "kill -9": kills,
    "SIGTERM": terminations,
    "full disk": full_disk,
    "read-only store": read_only_store,
    "failed sync": failed_syncs,
    "failed sync (strace)": failed_sync_calls,
    "power loss": power_losses,
    "clock jumps": clock_jumps,
    "damaged files": damaged_files,
}


# --- Disks ---------------------------------------------------------------------------------------


class Disk:
    """What of a store survives a loss of power; see synced_disk.cc."""

    def __init__(self, setup, trial):
        if setup.disk is None:
            raise Skipped("there is no C++ compiler for the preloaded disk")
        self.library = setup.disk
        self.trial = trial
        self.copies = trial.directory / "copies"
        self.copies.mkdir()
        self.boot = trial.directory / "boot"
        self.boots = 0
        self.reboot()

    def reboot(self):
        self.boots += 1
        self.boot.write_text(f"boot-{self.boots}\n")

    def environment(self, fails_at=None):
        environment = {
            "LD_PRELOAD": str(self.library),
            "DUEL_DISK_OF": str(self.trial.store_directory),
            "DUEL_DISK_COPIES": str(self.copies),
            "DUEL_BOOT_ID": str(self.boot),
        }
        if fails_at is not None:
            environment["DUEL_DISK_FAILS_AT"] = str(fails_at)
        return environment

    def lose_power(self, kept):
        """Keeps `nothing` of what was not synced, the `beginning` of it, or random
        `sectors`."""
        rng = self.trial.random
        for name in ("duel.db", "duel.db-wal"):
            path = self.trial.store_directory / name
            copy = self.copies / name
            now = path.read_bytes() if path.exists() else b""
            synced = copy.read_bytes() if copy.exists() else b""
            if kept == "beginning" and len(now) > len(synced):
                synced += now[len(synced) : rng.randrange(len(synced), len(now) + 1)]
            elif kept == "sectors":
                size = rng.choice([len(synced), len(now)])
                synced = torn(rng, synced, now, size)
            path.write_bytes(synced)
            copy.write_bytes(synced)
        (self.trial.store_directory / "duel.db-shm").unlink(missing_ok=True)
        self.reboot()


def torn(rng, old, new, size):
    pieces = []
    for begin in range(0, max(size, len(old)), SECTOR):
        before, after = (
            content[begin : begin + SECTOR].ljust(SECTOR, b"\0") for content in (old, new)
        )
        pieces.append(rng.choice([before, after]) if begin < len(new) else before)
    # What was synced is there, however long the file is now.
    return b"".join(pieces)[: max(size, len(old))]


class small_file_system:  # noqa: N801: used as a function
    """A tmpfs of its own, mounted for the time of a scenario."""

    def __init__(self, setup, name, size):
        self.path = setup.directory / f"{name.replace(' ', '-')}-disk"
        self.size = size

    def __enter__(self):
        self.path.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={self.size}", "duel-fault-test", str(self.path)],
            capture_output=True,
            check=False,
        )
        if mounted.returncode != 0:
            raise Skipped("mounting a small file system needs root")
        return self.path

    def __exit__(self, *_):
        subprocess.run(["umount", str(self.path)], check=True)


def fill(ballast):
    with open(ballast, "wb", buffering=0) as out:
        try:
            while True:
                out.write(bytes(4096))
        except OSError:
            pass
