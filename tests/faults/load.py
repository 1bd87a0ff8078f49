"""Clients that ask, report and retry, and write down what they did."""

import contextlib
import json
import random
import threading
import time

from served import NoAnswer


class Stopped(Exception):
    pass


class Client(threading.Thread):
    """Works one duel after the other. What it has begun it retries until there is an answer."""

    def __init__(self, load, number):
        super().__init__(daemon=True)
        self.load = load
        self.number = number
        self.random = random.Random(f"{load.seed}/{number}")
        self.connection = load.server.connection()
        self.path = load.directory / f"{load.experiment}-client-{number}.jsonl"
        self.journal = open(self.path, "a", encoding="utf-8")
        self.error = None

    def note(self, event, duel, **more):
        self.journal.write(json.dumps({"event": event, "duel": duel, **more}) + "\n")
        self.journal.flush()

    def run(self):
        try:
            n = 0
            while not self.load.stopping.is_set():
                n += 1
                if self.number % 4 == 3:
                    self.several(n)
                else:
                    self.one(f"c{self.number}-{n}")
        except Stopped:
            pass
        except Exception as error:  # noqa: BLE001: reported when the load is waited for
            self.error = error
        finally:
            self.connection.close()
            self.journal.close()

    # --- One duel ------------------------------------------------------------------------------

    def one(self, duel):
        served = self.serve(duel)
        if served is None:
            return
        if self.random.random() < 0.1 and not self.load.lost_serves:
            self.serve(duel)  # asks again, as a page does that was loaded again
        body = self.answer(served)
        self.note("reported", duel, **{k: body[k] for k in ("result", "winner") if k in body})
        if self.random.random() < 0.5:
            body["report_token"] = served["report_token"]
        status, told = self.until_answered("PUT", f"/duels/{duel}/outcome", body)
        if status == 404 and self.load.lost_serves:
            # The serve was lost with the power; the token proves it.
            body["report_token"] = served["report_token"]
            status, told = self.until_answered("PUT", f"/duels/{duel}/outcome", body)
        if status == 200:
            self.note("acknowledged", duel, status=told["status"])
            self.load.acknowledged += 1
        else:
            self.note("refused", duel, status=status, detail=told.get("detail"))
            self.load.refused.append(f"{duel}: {status} {told.get('detail')}")

    def several(self, n):
        bodies = []
        for k in range(1, 6):
            duel = f"c{self.number}-{n}-{k}"
            served = self.serve(duel)
            if served is None:
                continue
            body = self.answer(served)
            self.note("reported", duel, **body)
            bodies.append({"duel_id": duel, "report_token": served["report_token"], **body})
        if not bodies:
            return
        status, told = self.until_answered("POST", "/outcomes", bodies)
        if status != 200:
            self.load.refused.append(f"batch {n}: {status} {told.get('detail')}")
            return
        for item in told["items"]:
            if item["status"] in ("applied", "duplicate", "late", "ignored"):
                self.note("acknowledged", item["duel_id"], status=item["status"])
                self.load.acknowledged += 1
            else:
                self.note("refused", item["duel_id"], status=item["status"])
                self.load.refused.append(f"{item['duel_id']}: {item}")

    def serve(self, duel):
        self.note("asked", duel)
        # A repeated request must have the same body, so the subject follows from the duel.
        body = {"duel_id": duel, "subject_id": f"s{random.Random(duel).randrange(1000)}"}
        status, told = self.until_answered("POST", "/duels", body)
        if status not in (200, 201):
            self.load.refused.append(f"{duel}: {status} {told.get('detail')}")
            return None
        if told["serving"] == "fallback":
            self.load.fallbacks += 1
            time.sleep(0.02)
            return None
        self.note("served", duel, arms=[arm["arm_id"] for arm in told["arms"]])
        return told

    def answer(self, served):
        chance = self.random.random()
        if chance < 0.05:
            return {"result": "skip"}
        if chance < 0.15:
            return {"result": "tie"}
        arms = [arm["arm_id"] for arm in served["arms"]]
        return {"result": "win", "winner": self.random.choice(arms)}

    # --- Requests ------------------------------------------------------------------------------

    def until_answered(self, method, path, body):
        path = f"/v1/experiments/{self.load.experiment}{path}"
        while True:
            try:
                with self.load.request():
                    status, told = self.connection.ask(method, path, body)
            except NoAnswer:
                self.load.unanswered += 1
            else:
                if status not in (429, 500, 502, 503):
                    return status, told
                self.load.refused_for_now += 1
                if status == 500:
                    self.load.refused.append(f"500: {told.get('detail')}")
            time.sleep(self.random.uniform(0.005, 0.05))


class Load:
    """Several clients on one experiment. Counts are for the table; the journals are the truth."""

    def __init__(self, server, experiment, directory, seed, clients=6, lost_serves=False):
        self.server = server
        self.experiment = experiment
        self.directory = directory
        self.seed = f"{seed}/{experiment}"
        self.lost_serves = lost_serves
        self.changed = threading.Condition()
        self.paused = False
        self.under_way = 0
        self.stopping = threading.Event()
        self.acknowledged = 0
        self.unanswered = 0
        self.refused_for_now = 0
        self.fallbacks = 0
        self.refused = []
        self.clients = [Client(self, number) for number in range(clients)]

    def start(self):
        for client in self.clients:
            client.start()

    @contextlib.contextmanager
    def request(self):
        """Around each request of a client; waits while the load is paused."""
        with self.changed:
            self.changed.wait_for(lambda: not self.paused or self.stopping.is_set())
            if self.stopping.is_set():
                raise Stopped
            self.under_way += 1
        try:
            yield
        finally:
            with self.changed:
                self.under_way -= 1
                self.changed.notify_all()

    def pause(self):
        """Returns when no request is under way."""
        with self.changed:
            self.paused = True
            self.changed.wait_for(lambda: self.under_way == 0)

    def go_on(self):
        with self.changed:
            self.paused = False
            self.changed.notify_all()

    def stop(self):
        with self.changed:
            self.stopping.set()
            self.changed.notify_all()
        for client in self.clients:
            client.join(120)
        errors = [client.error for client in self.clients if client.error]
        if errors:
            raise errors[0]

    @property
    def journals(self):
        return [client.path for client in self.clients]
