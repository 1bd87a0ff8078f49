"""A `duel serve` of our own: started, asked, killed."""

import http.client
import json
import os
import select
import signal
import subprocess
import time

REQUEST_SECONDS = 60
START_SECONDS = 120


class NoAnswer(Exception):
    """The request may or may not have had an effect."""


class Connection:
    """One client's connection, opened again whenever it breaks or the server has moved."""

    def __init__(self, address_of, seconds=REQUEST_SECONDS):
        self.address_of = address_of
        self.seconds = seconds
        self.address = None
        self.connection = None

    def request(self, method, path, body=None, media="application/json"):
        address = self.address_of()
        if address is None:
            raise NoAnswer("the server is down")
        if self.connection is None or self.address != address:
            self.close()
            self.address = address
            self.connection = http.client.HTTPConnection(*address, timeout=self.seconds)
        headers = {} if body is None else {"Content-Type": media}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        try:
            self.connection.request(method, path, body=body, headers=headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise NoAnswer(str(error)) from error
        return answer.status, text

    def ask(self, method, path, body=None):
        status, text = self.request(method, path, body)
        return status, json.loads(text) if text else None

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Server:
    def __init__(self, binary, store, messages):
        self.binary = binary
        self.store = store
        self.messages = messages
        self.process = None
        self.address = None
        self.starts = 0

    def start(self, environment=None, wrapper=()):
        """Returns when it takes requests; raises where it ends before that."""
        self.start_with(["--listen", "127.0.0.1:0"], environment, wrapper)

    def start_with(self, arguments, environment=None, wrapper=()):
        command = [*wrapper, self.binary, "serve", "--store", self.store, *arguments]
        with open(self.messages, "ab") as messages:
            self.process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=messages,
                env={**os.environ, **(environment or {})},
                # A wrapper does not take its program along when it is killed; a group goes as one.
                start_new_session=True,
            )
        self.starts += 1
        ready, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        line = self.process.stdout.readline().decode() if ready else ""
        if not line.startswith("http://"):
            code = self.stop(signal.SIGKILL) if not ready else self.process.wait()
            raise ServerEnded(code, self.last_message())
        host, port = line.strip().removeprefix("http://").rsplit(":", 1)
        self.address = (host, int(port))

    def last_message(self):
        with open(self.messages, encoding="utf-8", errors="replace") as messages:
            lines = [line.strip() for line in messages if line.strip()]
        return lines[-1] if lines else "(nothing)"

    def connection(self):
        return Connection(lambda: self.address)

    def ask(self, method, path, body=None):
        connection = self.connection()
        try:
            return connection.ask(method, path, body)
        finally:
            connection.close()

    def text(self, path):
        connection = self.connection()
        try:
            return connection.request("GET", path)
        finally:
            connection.close()

    def wait(self, seconds):
        """Its exit code, or None if it still runs after that time."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        self._forget()
        return code

    def stop(self, number=signal.SIGTERM, seconds=120):
        """Only the process that `start` started."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            code = None
        self._forget()
        return code

    def kill(self):
        self.address = None
        return self.stop(signal.SIGKILL)

    def _forget(self):
        self.address = None
        self.process.stdout.close()
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.kill()


class ServerEnded(Exception):
    def __init__(self, code, message):
        super().__init__(f"exit code {code}: {message}")
        self.code = code
        self.message = message


def wait_until(condition, seconds=120):
    """Whether it came true; generous, since the machine may be busy."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
