"""The clients against a real server, and against one that misbehaves on purpose.

DUEL_PROGRAM names the program.
"""

import asyncio
import contextlib
import json
import os
import pickle
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time

import pytest

import duel
from duel.client import (AccessRefused, AsyncClient, Client, ConflictOnServer, NotOnServer,
                         OutOfReach, RequestRefused, ServerError)

PROGRAM = os.environ.get("DUEL_PROGRAM", "duel")
PATIENCE = 120  # seconds: far more than a loaded machine needs


class RealServer:
    def __init__(self, folder):
        self.store = str(folder / "store.db")
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--listen", f"127.0.0.1:{self.port}", "--store", self.store],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://"), "the server did not start"
        self.port = int(self.url.rsplit(":", 1)[1])

    def stop(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def server(tmp_path, monkeypatch):
    for name in ("DUEL_SERVER", "DUEL_TOKEN", "DUEL_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    running = RealServer(tmp_path)
    yield running
    running.stop()


@pytest.fixture
def client(server):
    with Client(server.url, patience=PATIENCE) as opened:
        yield opened


class Half(bytes):
    """An answer after which the connection breaks."""


class ScriptedServer:
    """Answers requests from a list, whatever their connection; None breaks it unanswered."""

    def __init__(self, script, tls=None):
        self._script = list(script)
        self._tls = tls
        self.requests = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection):
        if self._tls is not None:
            try:
                connection = self._tls.wrap_socket(connection, server_side=True)
            except OSError:  # a client that does not trust us
                connection.close()
                return
        with connection, connection.makefile("rb") as reading:
            while True:
                request = self._read(reading)
                if request is None:
                    return
                self.requests.append(request)
                said = self._script.pop(0)
                if said is None:
                    return
                connection.sendall(said)
                if isinstance(said, Half):
                    return

    @staticmethod
    def _read(reading):
        line = reading.readline()
        if not line:
            return None
        headers = {}
        while True:
            field = reading.readline().strip().decode()
            if not field:
                break
            name, _, value = field.partition(":")
            headers[name.lower()] = value.strip()
        body = reading.read(int(headers.get("content-length", 0)))
        return line.decode().split()[:2], headers, body

    def close(self):
        self._listening.close()


def answer(status, content, *headers):
    body = json.dumps(content).encode()
    head = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


@contextlib.contextmanager
def scripted(*script):
    running = ScriptedServer(script)
    try:
        yield running
    finally:
        running.close()


SERVED = {"duel_id": "d", "experiment_id": "e", "serving": "explore", "learn": True,
          "propensity": 1, "arms": [{"arm_id": "b", "position": 2}, {"arm_id": "a", "position": 1}]}


def ask_both(url, call, **options):
    """The same call by both clients."""
    yield lambda: call(Client(url, **options))

    async def asking():
        async with AsyncClient(url, **options) as asked:
            return await call(asked)

    yield lambda: asyncio.run(asking())


def test_an_experiment_from_the_first_call_to_the_certificate(client, tmp_path):
    made = client.create("logo", {"red": 1, "blue": 2, "green": 3}, alpha=0.05, default="blue",
                         stopping={"max_duels": 5000}, name="Logo")
    assert made["state"] == "draft" and made["stopping"]["max_duels"] == 5000
    assert client.create("logo", {"red": 1, "blue": 2, "green": 3}, alpha=0.05, default="blue",
                         stopping={"max_duels": 5000}, name="Logo")["etag"] == made["etag"]
    client.start("logo")
    with pytest.raises(NotOnServer):
        client.certificate("logo")
    while not client.progress("logo")["certified"]:
        shown = client.next("logo", subject_id=None)
        assert shown.payloads[shown.first] == {"red": 1, "blue": 2, "green": 3}[shown.first]
        best = max((shown.first, shown.second))  # red beats green beats blue
        assert client.report("logo", shown, winner=best)["status"] == "applied"
    certificate = tmp_path / "logo.certificate.json"
    certificate.write_text(client.certificate("logo"))
    assert json.loads(certificate.read_text())["winner"] == "red"
    result = client.result("logo")
    assert result["leader"] == "red" and result["state"] == "certified"
    assert client.health("logo")["checks"] and client.timeline("logo", points=10)["points"]
    assert [one["experiment_id"] for one in client.experiments()] == ["logo"]
    assert client.duel("logo", shown)["outcome"]["winner"] == best
    assert client.duels("logo", limit=1)["items"][0]["duel_id"] == shown.duel_id
    log = tmp_path / "logo.jsonl"
    log.write_text(client.export("logo", "audit"))
    subprocess.run([PROGRAM, "verify", str(certificate), "--log", str(log)], check=True,
                   stdout=subprocess.DEVNULL)
    assert duel.verify(log, certificate)["verified"]
    assert client.complete("logo")["state"] == "completed"
    assert client.next("logo").serving == "fallback"
    assert client.archive("logo")["state"] == "archived"


def test_outcomes_of_every_kind_alone_and_in_batches(client):
    client.create("e", ["a", "b", "c"])
    client.start("e")
    one = client.next("e", duel_id="mine")
    assert one.duel_id == "mine" and client.next("e", duel_id="mine") == one
    assert client.report("e", one, tie=True, source="rater-7", response_ms=12)["applied"]
    assert client.report("e", one, tie=True)["status"] == "duplicate"
    with pytest.raises(ConflictOnServer):
        client.report("e", one, winner=one.first)
    follows = client.report("e", client.next("e"), skip=True, next=True)["next"]
    assert follows["duel_id"]
    with pytest.raises(duel.InvalidArgument):
        client.report("e", "x", winner="a", tie=True)
    with pytest.raises(duel.InvalidArgument):
        client.report("e", "x")
    batch = client.next_batch("e", 4, batch_id="lot")
    assert [shown.duel_id for shown in batch] == ["lot.1", "lot.2", "lot.3", "lot.4"]
    said = client.report_many("e", [
        {"duel_id": "lot.1", "result": "win", "winner": batch[0].second},
        {"duel_id": "lot.2", "result": "both_bad"},
        {"duel_id": "unheard-of", "result": "tie"},
    ])["items"]
    assert [item["status"] for item in said] == ["applied", "applied", "unknown"]
    assert client.add_comparisons(
        "e", [{"first": "a", "second": "b", "result": "win", "winner": "a"}])["accepted"] == 1


def test_a_member_of_a_panel_who_is_done_gets_no_arms(client):
    client.create("p", ["a", "b"], about="these-people", panel={"size": 3})
    client.start("p")
    while True:
        shown = client.next("p", subject_id="ann")
        if shown.serving == "done":
            break
        client.report("p", shown, winner="a")
    assert (shown.first, shown.second, shown.payloads) == ("", "", {})
    client.report("p", client.next("p", subject_id="bob"), winner="a")
    assert client.next("p", subject_id="cem").serving == "done"
    assert client.result("p")["state"] == "certified"


def test_panel_is_closed_and_members_are_absent(server, client):
    client.create("came", ["a", "b"], about="these-people")
    client.start("came")
    client.report("came", client.next("came", subject_id="ann"), winner="a")
    assert client.close_panel("came")["panel"]["size"] == 1
    names = [f"m{k}" for k in range(25)]
    client.create("early", ["a", "b"], about="these-people",
                  panel={"members": names, "early": True})
    client.start("early")
    client.absent("early", names[:2])
    assert '"record":"absent"' in client.export("early", "audit")
    with pytest.raises(duel.InvalidArgument, match="list"):
        client.absent("early", "m1")
    token = client.create_token("admin")
    with Client(server.url, token["token"]) as owner:
        link = owner.create_token("vote", experiment="early", member="m7")
        assert link["member"] == "m7"


def test_outcomes_say_how_much_and_why_and_duels_have_slices(client):
    client.create("e", ["a", "b"], slices={"language": ["de", "en"]})
    client.start("e")
    shown = client.next("e", slices={"language": "de"})
    client.report("e", shown, score=0.75, reason="shorter", cost=0.002, tokens=310, cached=True)
    said = json.loads(client.export("e", "audit").splitlines()[-1])
    assert (said["score"], said["reason"], said["cost"]) == (0.75, "shorter", 0.002)
    assert said["tokens"] == 310 and said["cached"]
    assert client.result("e")["by_slice"]["language"]["de"]["duels"]["served"] == 1
    batch = client.next_batch("e", 2, slices={"language": "en"})
    assert len(batch) == 2
    with pytest.raises(duel.InvalidArgument):
        client.report("e", batch[0], winner="a", score=1.0)


def test_arms_states_and_changes(client):
    client.create("e", ["a", "b"],
                  config={"stopping": {"arms": "open", "pairs_independent": True}})
    assert client.add_arm("e", "c", payload={"x": 1})["state"] == "active"
    client.start("e")
    assert client.retire_arm("e", "c")["state"] == "retired"
    assert client.pause("e")["state"] == "paused" and client.resume("e")["state"] == "running"
    seen = client.experiment("e")["etag"]
    assert client.change("e", etag=seen, name="other")["name"] == "other"
    with pytest.raises(ConflictOnServer) as refused:
        client.change("e", etag=seen, name="third")
    assert refused.value.status == 412


def test_rankings_and_clicks(client):
    client.create("search", ["old", "new"], mode="interleave", default="old")
    client.start("search")
    lists = {"old": ["d1", "d2", "d3"], "new": ["d3", "d4", "d1"]}
    shown = client.interleave("search", lists, subject_id="s")
    assert sorted(item["object_id"] for item in shown.items) == ["d1", "d2", "d3", "d4"]
    contested = next(item for item in shown.items if item["competitive"])
    assert client.click(shown, contested["object_id"], ordinal=contested["ordinal"]) == {
        "accepted": 1, "rejected": []}
    assert client.click(shown, "never-shown")["rejected"]
    client.close_duel("search", shown)
    assert client.duel("search", shown)["outcome"]["result"] == "win"
    second = client.next("search")
    page = client.page("search", second, {arm: lists[arm] for arm in second.payloads})
    assert len(page["items"]) == 4


def test_log_moves_to_another_server(client, tmp_path):
    client.create("e", ["a", "b"])
    client.start("e")
    for _ in range(5):
        shown = client.next("e")
        client.report("e", shown, winner=shown.first)
    (tmp_path / "other").mkdir()
    other = RealServer(tmp_path / "other")
    try:
        with Client(other.url, patience=PATIENCE) as there:
            assert there.import_log("e", client.export("e", "audit"))["served"] == 5
            with pytest.raises(ConflictOnServer):
                there.import_log("e", client.export("e", "audit"))
            assert there.result("e")["duels"] == client.result("e")["duels"]
    finally:
        other.stop()


def test_tokens_by_argument_file_and_variable(server, client, tmp_path, monkeypatch):
    admin = client.create_token("admin", name="first")["token"]
    # From now on the server wants one; a token made is known to all threads within seconds.
    with Client(server.url, admin, patience=PATIENCE) as owner:
        owner.create("e", ["a", "b"])
        reader = owner.create_token("read", experiment="e")
        assert len(owner.tokens()["items"]) == 2
        with pytest.raises(AccessRefused) as refused:
            Client(server.url).result("e")
        assert refused.value.status == 401 and "token" in refused.value.hint
        file = tmp_path / "token"
        file.write_text(reader["token"] + "\n")
        assert Client(server.url, token_file=file).result("e")["experiment_id"] == "e"
        monkeypatch.setenv("DUEL_TOKEN_FILE", str(file))
        monkeypatch.setenv("DUEL_SERVER", server.url)
        assert Client().result("e")["experiment_id"] == "e"
        with pytest.raises(AccessRefused) as refused:
            Client().start("e")
        assert refused.value.status == 403
        assert owner.revoke_token(reader["token_id"])["revoked"]
        assert len(owner.tokens()["items"]) == 1


def test_plan_and_what_the_server_says_of_itself(client):
    assert client.plan(3, 0.3, trials=10, alpha=0.1)["num_arms"] == 3
    assert client.version()["version"] and client.ready() == {"status": "ready"}
    assert "duel_build_info" in client.metrics() and client.openapi()["openapi"] == "3.1.0"
    assert "rucb" in [one["name"] for one in client.policies()["items"]]


def test_errors_carry_the_problem(client):
    with pytest.raises(NotOnServer) as missing:
        client.result("nothing")
    assert missing.value.status == 404 and not missing.value.retryable
    assert isinstance(missing.value, duel.NotFound) and isinstance(missing.value, LookupError)
    with pytest.raises(RequestRefused) as wrong:
        client.create("e", ["a", "b"], policy="rucbb")
    assert wrong.value.errors[0]["pointer"] == "/policy" and "rucb" in str(wrong.value)
    assert isinstance(wrong.value, duel.InvalidArgument)
    again = pickle.loads(pickle.dumps(wrong.value))
    assert (again.status, again.errors, str(again)) == (
        wrong.value.status, wrong.value.errors, str(wrong.value))


def test_stream_tells_what_happens_and_survives_a_restart(server, client):
    client.create("e", ["a", "b"])
    client.start("e")
    stream = client.stream("e")
    assert next(stream).name == "result"
    shown = client.next("e")
    client.report("e", shown, winner=shown.first)
    assert next(stream).sequence > 0
    server.stop()
    server.start()
    event = next(stream)  # a new connection; results are whole, so it begins with one
    assert event.name == "result" and event.sequence >= 2
    stream.close()


def test_async_client_does_the_same(server):
    async def work():
        async with AsyncClient(server.url, patience=PATIENCE) as asked:
            await asked.create("e", ["a", "b", "c"])
            await asked.start("e")
            shown = await asyncio.gather(*(asked.next("e") for _ in range(30)))
            assert len({one.duel_id for one in shown}) == 30
            said = await asyncio.gather(
                *(asked.report("e", one, winner=min(one.first, one.second)) for one in shown))
            assert {one["status"] for one in said} == {"applied"}
            assert (await asked.result("e"))["duels"]["first_wins"] >= 0
            assert [one["experiment_id"] async for one in asked.experiments()] == ["e"]
            assert len(await asked.next_batch("e", 3)) == 3
            assert (await asked.export("e", "audit")).count("\n") > 60
            stream = asked.stream("e")
            assert (await stream.__anext__()).name == "result"
            await stream.aclose()
            with pytest.raises(NotOnServer):
                await asked.result("nothing")
            # A cancelled call leaves the client usable.
            task = asyncio.ensure_future(asked.result("e"))
            await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            assert (await asked.version())["version"]

    asyncio.run(work())


def test_a_thread_that_ends_closes_its_connection():
    def open_files():
        return len(os.listdir("/proc/self/fd"))

    with scripted(*[answer(200, {"status": "ok"})] * 70) as running:
        with Client(running.url, patience=0) as c:
            c.version()
            before = open_files()
            for _ in range(60):
                thread = threading.Thread(target=c.version)
                thread.start()
                thread.join()
            # The server of the test closes its ends on threads of its own, a moment later.
            deadline = time.monotonic() + PATIENCE
            while open_files() > before + 3 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert open_files() <= before + 3
            assert len(c._transport._open) == 1


def test_child_of_fork_has_connections_of_its_own(client):
    client.create("e", ["a", "b"])
    client.start("e")
    children = []
    for child in range(3):
        process = os.fork()
        if process == 0:
            try:
                ids = {client.next("e", duel_id=f"c{child}-{k}").duel_id for k in range(20)}
                os._exit(0 if ids == {f"c{child}-{k}" for k in range(20)} else 1)
            except BaseException:
                os._exit(2)
        children.append(process)
    for k in range(20):
        assert client.next("e", duel_id=f"p-{k}").duel_id == f"p-{k}"
    for process in children:
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    assert client.experiment("e")["served"] == 80


def votes_of(log):
    """Outcomes by duel, from an audit log, each as often as it was recorded as applied."""
    served, outcomes = [], {}
    for line in log.splitlines():
        record = json.loads(line)
        if record["record"] == "serve":
            served.append(record["duel_id"])
        elif record["record"] == "outcome":
            outcomes.setdefault(record["duel_id"], []).append(record)
    return served, outcomes


def test_kill_and_restart_in_the_middle_loses_and_doubles_nothing(server, client):
    """Four threads and a few tasks keep asking while the server is killed three times."""
    client.create("e", ["a", "b", "c", "d"])
    client.start("e")
    said, failures = {}, []
    lock = threading.Lock()
    ended = threading.Event()

    def note(shown, answered):
        with lock:
            said[shown.duel_id] = (shown.first, answered["status"])

    def ask():
        try:
            while not ended.is_set():
                shown = client.next("e")
                note(shown, client.report("e", shown, winner=shown.first))
        except BaseException as error:  # told to the test below
            failures.append(error)

    async def ask_async():
        async with AsyncClient(server.url, patience=PATIENCE) as asked:
            async def one():
                while not ended.is_set():
                    shown = await asked.next("e")
                    note(shown, await asked.report("e", shown, winner=shown.first))

            await asyncio.gather(one(), one())

    def ask_in_a_loop():
        try:
            asyncio.run(ask_async())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    threads.append(threading.Thread(target=ask_in_a_loop))
    for thread in threads:
        thread.start()
    for _ in range(3):
        before = len(said)
        limit = time.monotonic() + PATIENCE
        while len(said) < before + 40 and not failures and time.monotonic() < limit:
            time.sleep(0.01)
        server.stop(signal.SIGKILL)
        server.start()
    before = len(said)
    limit = time.monotonic() + PATIENCE
    while len(said) < before + 40 and not failures and time.monotonic() < limit:
        time.sleep(0.01)
    ended.set()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert len(said) >= 160
    served, outcomes = votes_of(client.export("e", "audit"))
    # Nothing was served twice or for nobody. What was acknowledged is there, once, as it was said.
    assert sorted(served) == sorted(said)
    assert sorted(outcomes) == sorted(said)
    for duel_id, (winner, status) in said.items():
        assert status in ("applied", "duplicate")
        assert len(outcomes[duel_id]) == 1 and outcomes[duel_id][0]["winner"] == winner


def test_overload_is_tried_again_after_the_time_that_the_server_names():
    busy = answer(429, {"title": "Too Many Requests", "status": 429, "detail": "slow down",
                        "retryable": True}, "Retry-After: 1")
    for which in range(2):
        with scripted(busy, answer(503, {"retryable": True}), answer(201, SERVED)) as there:
            begun = time.monotonic()
            shown = list(ask_both(there.url, lambda c: c.next("e"), patience=PATIENCE))[which]()
            assert time.monotonic() - begun >= 1.0  # never earlier; how much later, nobody asks
            assert (shown.first, shown.second) == ("a", "b")
            ids = [json.loads(body)["duel_id"] for _, _, body in there.requests]
            assert len(ids) == 3 and len(set(ids)) == 1  # one id for all tries


def test_lost_answer_is_asked_for_again_under_the_same_id():
    for which in range(2):
        half = Half(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        with scripted(None, half, None, answer(200, SERVED)) as there:
            list(ask_both(there.url, lambda c: c.next("e"), patience=PATIENCE))[which]()
            assert len(there.requests) == 4
            assert len({body for _, _, body in there.requests}) == 1


def test_what_cannot_be_recognised_is_not_sent_twice():
    for which in range(2):
        with scripted(None, answer(200, {"accepted": 1})) as there:
            call = list(ask_both(there.url, lambda c: c.import_log("e", b""),
                                 patience=PATIENCE))[which]
            with pytest.raises(OutOfReach) as lost:
                call()
            assert lost.value.sent and "look before" in str(lost.value)
            assert len(there.requests) == 1
        # A refusal was read and nothing was done: this one is tried again.
        with scripted(answer(503, {}), answer(200, {"accepted": 1})) as there:
            assert list(ask_both(there.url, lambda c: c.import_log("e", b""),
                                 patience=PATIENCE))[which]()["accepted"] == 1


def test_comparisons_are_sent_again_under_the_same_ids():
    for which in range(2):
        with scripted(None, answer(200, {"accepted": 2, "duplicates": 2})) as there:
            two = [{"first": "a", "second": "b", "result": "tie", "comparison_id": "mine"},
                   {"first": "a", "second": "b", "result": "tie"}]
            list(ask_both(there.url, lambda c: c.add_comparisons("e", two),
                          patience=PATIENCE))[which]()
            sent = [json.loads(body) for _, _, body in there.requests]
            assert len(sent) == 2 and sent[0] == sent[1]
            assert sent[0][0]["comparison_id"] == "mine" and sent[0][1]["comparison_id"]


def test_https_is_spoken_and_the_certificate_checked(tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", str(tmp_path / "key"), "-out", str(tmp_path / "certificate")],
                   check=True, stderr=subprocess.DEVNULL)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(tmp_path / "certificate", tmp_path / "key")
    trusting = ssl.create_default_context(cafile=str(tmp_path / "certificate"))
    for which in range(2):
        running = ScriptedServer([answer(200, {"version": "1"})], serving)
        url = running.url.replace("http:", "https:")
        calls = list(ask_both(url, lambda c: c.version(), patience=0, ssl_context=trusting))
        assert calls[which]() == {"version": "1"}
        with pytest.raises(OutOfReach, match="(?i)certificate"):
            list(ask_both(url, lambda c: c.version(), patience=0))[which]()
        running.close()


def test_nobody_there_is_an_error_after_the_patience():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = "http://127.0.0.1:%d" % taken.getsockname()[1]
    for call in ask_both(url, lambda c: c.version(), patience=0):
        with pytest.raises(OutOfReach) as lost:
            call()
        assert isinstance(lost.value, ConnectionError) and not lost.value.sent


def test_answers_that_are_no_answers():
    for which in range(2):
        for garbage in (b"\x00\xff garbage\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n",
                        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"):
            with scripted(Half(garbage)) as there:
                with pytest.raises(OutOfReach):
                    list(ask_both(there.url, lambda c: c.version(), patience=0))[which]()
        with scripted(answer(200, [])[:-2] + b"{]") as there:
            with pytest.raises(duel.Error, match="not JSON"):
                list(ask_both(there.url, lambda c: c.version(), patience=0))[which]()
        with scripted(b"HTTP/1.1 500 Oh\r\nContent-Length: 4\r\n\r\noops") as there:
            with pytest.raises(ServerError) as refused:
                list(ask_both(there.url, lambda c: c.version(), patience=0))[which]()
            assert refused.value.status == 500


@pytest.mark.parametrize("url", ["", "ftp://x", "http://", "http://a:b", "http://u:p@h", 7,
                                 "http://h/?q", "http://h:99999", "http://[::1", "http://a b"])
def test_wrong_address_is_an_exception(url):
    with pytest.raises((duel.InvalidArgument, TypeError)):
        Client(url)


def test_wrong_arguments_are_exceptions_before_anything_is_sent(tmp_path):
    client = Client("http://127.0.0.1:1", patience=0)
    for call in (lambda: client.result(""), lambda: client.result(7),
                 lambda: client.create("e", "abc"), lambda: client.create("e", ["a"], default="z"),
                 lambda: client.create("e", {"a": float("nan")}),
                 lambda: client.create("e", {"a": object()}),
                 lambda: client.interleave("e", ["d1"]),
                 lambda: client.interleave("e", {"a": "d1"}),
                 lambda: client.report("e", 7, winner="a"),
                 lambda: client.report("e", "d", winner=1),
                 lambda: client.report_many("e", [{}] * 10_001),
                 lambda: client.change("e", etag="a\r\nb"),
                 lambda: Client(token="a\nb"), lambda: Client(timeout=0),
                 lambda: Client(patience=-1), lambda: Client(patience=float("nan")),
                 lambda: Client(token="a", token_file="b"),
                 lambda: Client(token_file=tmp_path / "missing")):
        with pytest.raises((duel.InvalidArgument, TypeError, duel.StorageError)):
            call()
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(duel.InvalidArgument):
        client.create("e", {"a": deep})
