"""HTTP for the client: one request and its answer, by blocking calls and by asyncio.

Only the standard library is used. What can be sent again after a lost answer and what cannot is
decided by the route (``Request.safe``); when to send it again is decided here, once for both.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import random
import socket
import ssl
import threading
import time
import weakref
from dataclasses import dataclass, field
from typing import Any, AsyncIterator, Iterator, Mapping, NamedTuple
from urllib.parse import urlsplit

from .errors import Conflict, Error, InvalidArgument, NotFound

_TEMPORARY = (429, 502, 503, 504)
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
_LONGEST_LINE = 1 << 20  # of a header or an event


class OutOfReach(Error, ConnectionError):
    """No answer came: the server is down, the network is, or the time was up.

    ``sent`` says whether the request may have arrived. If it may have, and repeating it could do
    the same thing twice, the client does not repeat it: look first, then decide.
    """

    def __init__(self, message: str, *, where: str = "", hint: str = "", field: str = "",
                 sent: bool = False) -> None:
        super().__init__(message, where=where, hint=hint, field=field)
        self.sent = sent


class ServerError(Error):
    """The server refused. The fields are those of its problem document (RFC 9457).

    ``status`` is the HTTP status, ``detail`` says what is wrong, ``errors`` lists each wrong field
    as ``{"pointer": .., "message": ..}``, and ``retryable`` says whether the same request may
    succeed later.
    """

    def __init__(self, message: str, *, where: str = "", hint: str = "", field: str = "",
                 status: int = 0, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, where=where, hint=hint, field=field)
        self.status = status
        self.problem: dict[str, Any] = dict(problem or {})
        self.type = str(self.problem.get("type", "about:blank"))
        self.title = str(self.problem.get("title", ""))
        self.detail = str(self.problem.get("detail", message))
        self.retryable = bool(self.problem.get("retryable", status in _TEMPORARY))
        errors = self.problem.get("errors")
        self.errors: list[dict[str, Any]] = errors if isinstance(errors, list) else []

    def __reduce__(self) -> tuple[Any, ...]:
        return _error_again, (type(self), self.message, self.where, self.hint, self.field,
                              self.status, self.problem)


def _error_again(kind: type[ServerError], message: str, where: str, hint: str, field: str,
                 status: int, problem: dict[str, Any]) -> ServerError:
    return kind(message, where=where, hint=hint, field=field, status=status, problem=problem)


class RequestRefused(ServerError, InvalidArgument):
    """400, 413, 415 or 422: the request itself is wrong."""


class AccessRefused(ServerError, PermissionError):
    """401 or 403: no token, or one that does not reach so far."""


class NotOnServer(ServerError, NotFound):
    """404 or 410: there is no such experiment, duel or certificate, or not any more."""


class ConflictOnServer(ServerError, Conflict):
    """409, 412 or 428: what is there says otherwise."""


_KINDS: dict[int, type[ServerError]] = {
    **dict.fromkeys((401, 403), AccessRefused), **dict.fromkeys((404, 410), NotOnServer),
    **dict.fromkeys((409, 412, 428), ConflictOnServer),
    **dict.fromkeys((400, 413, 415, 422), RequestRefused)}


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: bytes | None = None
    media_type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    # Whether it may be sent again although the first one may have been carried out.
    safe: bool = True


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise Error("the answer is not JSON", hint="is this a Duel server?") from None

    def text(self) -> str:
        return self.body.decode()


def error_of(reply: Reply, place: str) -> ServerError:
    problem: dict[str, Any] = {}
    try:
        content = json.loads(reply.body)
        if isinstance(content, dict):
            problem = content
    except ValueError:
        pass
    reason = http.client.responses.get(reply.status, "")
    message = str(problem.get("detail") or f"the server answered {reply.status} {reason}".rstrip())
    hint = ""
    if reply.status == 401:
        hint = "give token=, token_file=, or set DUEL_TOKEN_FILE"
    where = ""
    errors = problem.get("errors")
    if isinstance(errors, list) and errors and isinstance(errors[0], dict):
        where = str(errors[0].get("pointer", ""))
        if where and message.startswith(where + " "):
            message = message[len(where) + 1:]
    kind = _KINDS.get(reply.status, ServerError)
    return kind(message, where=where or place, hint=hint, status=reply.status, problem=problem)


class Server(NamedTuple):
    """Where requests go, and what goes with each."""

    scheme: str
    host: str
    port: int
    prefix: str
    token: str
    context: ssl.SSLContext | None
    timeout: float

    @property
    def place(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.prefix}"

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = 443 if self.scheme == "https" else 80
        return host if self.port == usual else f"{host}:{self.port}"

    def headers_of(self, request: Request) -> dict[str, str]:
        headers = {"Host": self.authority, "Accept": "application/json, */*",
                   "User-Agent": "duel-python"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if request.body is not None:
            headers["Content-Type"] = request.media_type
        headers.update(request.headers)
        return headers


def parse_server(url: str, token: str, context: ssl.SSLContext | None, timeout: float) -> Server:
    def refuse(message: str) -> InvalidArgument:
        return InvalidArgument(message, hint="such as http://127.0.0.1:7557", field="server")

    if not isinstance(url, str):
        raise TypeError("server must be a URL")
    try:
        parts = urlsplit(url if "://" in url else "http://" + url)
        port = parts.port
    except ValueError:
        raise refuse(f"'{url}' is not a URL") from None
    if parts.scheme not in ("http", "https"):
        raise refuse(f"'{parts.scheme}' is not a protocol that the client speaks")
    if not parts.hostname:
        raise refuse(f"'{url}' names no host")
    if parts.username is not None or parts.query or parts.fragment:
        raise refuse("the URL has more than protocol, host, port and path")
    if any(not " " < c < "\x7f" for c in parts.hostname + parts.path):
        raise refuse("the URL has a character that does not belong there")
    if any(not " " < c < "\x7f" for c in token):
        raise InvalidArgument("the token has a character that does not belong there",
                              field="token")
    if not (isinstance(timeout, (int, float)) and 0 < timeout < 1e6):
        raise InvalidArgument("it is not a positive number of seconds", field="timeout")
    if parts.scheme == "https" and context is None:
        context = ssl.create_default_context()
    return Server(parts.scheme, parts.hostname,
                  port if port is not None else (443 if parts.scheme == "https" else 80),
                  parts.path.rstrip("/"), token, context, float(timeout))


class Lost(Exception):
    """A try that brought no answer."""

    def __init__(self, why: str, sent: bool) -> None:
        super().__init__(why)
        self.sent = sent


class Tries:
    """When to try again: both clients ask this after each try that failed."""

    def __init__(self, request: Request, server: Server, patience: float) -> None:
        self._request, self._server = request, server
        self._deadline = time.monotonic() + patience
        self._failed = 0

    def _pause(self) -> float:
        self._failed += 1
        longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(self._failed - 1, 10))
        # Clients that lost the server together must not come back together.
        return longest * random.uniform(0.5, 1.0)

    def after_loss(self, lost: Lost) -> float:
        """Seconds until the next try; raises where there is none."""
        pause = self._pause()
        may_repeat = self._request.safe or not lost.sent
        if may_repeat and time.monotonic() + pause <= self._deadline:
            return pause
        hint = "" if may_repeat else "it may have been carried out: look before you repeat it"
        raise OutOfReach(str(lost), where=self._server.place, hint=hint, sent=lost.sent)

    def after_reply(self, reply: Reply) -> float | None:
        """None where the reply is final; else seconds until the next try."""
        if reply.status not in _TEMPORARY:
            return None
        pause = max(self._pause(), _retry_after(reply))
        return pause if time.monotonic() + pause <= self._deadline else None


def _retry_after(reply: Reply) -> float:
    try:
        return min(3600.0, max(0.0, float(reply.headers.get("retry-after", ""))))
    except ValueError:
        return 0.0


class _Connection:
    """The connection of a thread. It is closed with the thread, whose storage then goes away."""

    def __init__(self, http_connection: http.client.HTTPConnection) -> None:
        self.http = http_connection

    def close(self) -> None:
        self.http.close()

    def __del__(self) -> None:
        self.close()


class BlockingTransport:
    """One connection per living thread, kept open between requests."""

    def __init__(self, server: Server, patience: float) -> None:
        self.server = server
        self._patience = patience
        self._forget()

    def _forget(self) -> None:
        self._process = os.getpid()
        self._mine = threading.local()
        self._lock = threading.Lock()
        # Weakly: what a thread has left behind is not kept open here.
        self._open: weakref.WeakSet[_Connection] = weakref.WeakSet()

    def connect(self) -> http.client.HTTPConnection:
        server = self.server
        if server.scheme == "https":
            return http.client.HTTPSConnection(server.host, server.port, timeout=server.timeout,
                                               context=server.context)
        return http.client.HTTPConnection(server.host, server.port, timeout=server.timeout)

    def _drop(self) -> None:
        connection: _Connection | None = getattr(self._mine, "connection", None)
        if connection is not None:
            connection.close()
            with self._lock:
                self._open.discard(connection)
            self._mine.connection = None

    def _once(self, request: Request) -> Reply:
        if self._process != os.getpid():
            self._forget()  # a child of fork must not talk on its parent's connections
        connection: _Connection | None = getattr(self._mine, "connection", None)
        # The server may have closed an idle connection. What must not be repeated takes a new one.
        if connection is not None and not request.safe:
            self._drop()
            connection = None
        used = connection is not None
        if connection is None:
            connection = _Connection(self.connect())
            self._mine.connection = connection
            with self._lock:
                self._open.add(connection)
        try:
            reply = send(connection.http, self.server, request)
        except Lost:
            self._drop()
            if used and request.safe:
                return self._once(request)
            raise
        except BaseException:  # an interrupted exchange leaves half an answer on the wire
            self._drop()
            raise
        if reply.headers.get("connection", "").lower() == "close":
            self._drop()
        return reply

    def ask(self, request: Request) -> Reply:
        tries = Tries(request, self.server, self._patience)
        while True:
            try:
                reply = self._once(request)
            except Lost as lost:
                time.sleep(tries.after_loss(lost))
                continue
            pause = tries.after_reply(reply)
            if pause is None:
                if reply.status >= 400:
                    raise error_of(reply, self.server.place)
                return reply
            time.sleep(pause)

    def lines(self, request: Request) -> Iterator[bytes]:
        """The lines of an answer as they come, on a connection of its own. Raises Lost."""
        connection = self.connect()
        try:
            response = begin(connection, self.server, request)
            if response.status >= 400:
                reply = Reply(response.status, _headers(response), response.read())
                raise error_of(reply, self.server.place)
            while True:
                try:
                    line = response.readline(_LONGEST_LINE)
                except (OSError, http.client.HTTPException) as error:
                    raise Lost(f"the connection was lost ({error})", True) from None
                if not line:
                    return
                yield line
        finally:
            connection.close()

    def close(self) -> None:
        with self._lock:
            connections, self._open = list(self._open), weakref.WeakSet()
        for connection in connections:
            connection.close()
        self._mine = threading.local()


def _headers(response: http.client.HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.getheaders()}


def begin(connection: http.client.HTTPConnection, server: Server,
          request: Request) -> http.client.HTTPResponse:
    if connection.sock is None:
        try:
            connection.connect()
        except OSError as error:
            raise Lost(f"the server is out of reach ({error})", False) from None
        connected: Any = connection.sock
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        connection.request(request.method, server.prefix + request.path, request.body,
                           server.headers_of(request))
        return connection.getresponse()
    except (OSError, http.client.HTTPException) as error:
        why = "it took too long" if isinstance(error, TimeoutError) else str(error) or "closed"
        raise Lost(f"the connection was lost ({why})", True) from None


def send(connection: http.client.HTTPConnection, server: Server, request: Request) -> Reply:
    response = begin(connection, server, request)
    try:
        return Reply(response.status, _headers(response), response.read())
    except (OSError, http.client.HTTPException) as error:
        raise Lost(f"the connection was lost ({error})", True) from None


class _AsyncConnection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.used = False

    def close(self) -> None:
        self.writer.close()


class _Head(NamedTuple):
    status: int
    headers: dict[str, str]


class AsyncTransport:
    """Connections of asyncio's streams, kept open between requests. For one event loop."""

    def __init__(self, server: Server, patience: float) -> None:
        self.server = server
        self._patience = patience
        self._idle: list[_AsyncConnection] = []

    async def _connect(self) -> _AsyncConnection:
        server = self.server
        try:
            reader, writer = await asyncio.wait_for(
                asyncio.open_connection(server.host, server.port, ssl=server.context,
                                        limit=_LONGEST_LINE), server.timeout)
        except (OSError, asyncio.TimeoutError) as error:
            raise Lost(f"the server is out of reach ({error or 'it took too long'})",
                       False) from None
        return _AsyncConnection(reader, writer)

    async def _begin(self, connection: _AsyncConnection, request: Request) -> _Head:
        headers = self.server.headers_of(request)
        if request.body is not None or request.method in ("POST", "PUT"):
            headers["Content-Length"] = str(len(request.body or b""))
        lines = [f"{request.method} {self.server.prefix}{request.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        text = "\r\n".join(lines) + "\r\n\r\n"
        connection.writer.write(text.encode("latin-1") + (request.body or b""))
        await connection.writer.drain()
        return await _read_head(connection.reader)

    async def _exchange(self, connection: _AsyncConnection, request: Request) -> Reply:
        head = await self._begin(connection, request)
        body = await _read_body(connection.reader, head)
        return Reply(head.status, head.headers, body)

    async def _once(self, request: Request) -> Reply:
        # As in the blocking client: what must not be repeated takes a new connection.
        connection = self._idle.pop() if self._idle and request.safe else await self._connect()
        try:
            reply = await asyncio.wait_for(self._exchange(connection, request),
                                           self.server.timeout)
        except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
            connection.close()
            if connection.used and request.safe and not isinstance(error, asyncio.TimeoutError):
                self._close_idle()
                return await self._once(request)
            why = ("it took too long" if isinstance(error, asyncio.TimeoutError)
                   else str(error) or "closed")
            raise Lost(f"the connection was lost ({why})", True) from None
        except BaseException:  # a cancelled exchange leaves half an answer on the wire
            connection.close()
            raise
        if reply.headers.get("connection", "").lower() == "close":
            connection.close()
        else:
            connection.used = True
            self._idle.append(connection)
        return reply

    async def ask(self, request: Request) -> Reply:
        tries = Tries(request, self.server, self._patience)
        while True:
            try:
                reply = await self._once(request)
            except Lost as lost:
                await asyncio.sleep(tries.after_loss(lost))
                continue
            pause = tries.after_reply(reply)
            if pause is None:
                if reply.status >= 400:
                    raise error_of(reply, self.server.place)
                return reply
            await asyncio.sleep(pause)

    async def lines(self, request: Request) -> AsyncIterator[bytes]:
        """The lines of an answer as they come, on a connection of its own. Raises Lost."""
        connection = await self._connect()
        try:
            try:
                head = await asyncio.wait_for(self._begin(connection, request),
                                              self.server.timeout)
                if head.status >= 400:
                    body = await _read_body(connection.reader, head)
                    raise error_of(Reply(head.status, head.headers, body), self.server.place)
                rest = b""
                async for piece in _pieces(connection.reader, head, self.server.timeout):
                    rest += piece
                    *whole, rest = rest.split(b"\n")
                    if len(rest) > _LONGEST_LINE:
                        raise ValueError("a line is too long")
                    for line in whole:
                        yield line + b"\n"
                if rest:
                    yield rest
            except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
                if isinstance(error, Error):
                    raise
                raise Lost(f"the connection was lost ({error})", True) from None
        finally:
            connection.close()

    def _close_idle(self) -> None:
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
            try:
                await connection.writer.wait_closed()
            except OSError:
                pass


async def _read_head(reader: asyncio.StreamReader) -> _Head:
    while True:
        line = await reader.readline()
        if not line:
            raise EOFError("closed")
        words = line.decode("latin-1").split(None, 2)
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
            raise ValueError("the answer is not HTTP")
        headers: dict[str, str] = {}
        while True:
            line = await reader.readline()
            if not line:
                raise EOFError("closed")
            text = line.decode("latin-1").strip("\r\n")
            if not text:
                break
            name, _, value = text.partition(":")
            headers[name.strip().lower()] = value.strip()
        status = int(words[1])
        if status >= 200:  # 1xx announce; the answer follows
            return _Head(status, headers)


async def _pieces(reader: asyncio.StreamReader, head: _Head,
                  timeout: float | None) -> AsyncIterator[bytes]:
    """The body as it comes. Each wait is at most `timeout` long."""
    if head.status in (204, 304):
        return
    if head.headers.get("transfer-encoding", "").lower() == "chunked":
        while True:
            line = await asyncio.wait_for(reader.readline(), timeout)
            size = int(line.split(b";")[0].strip() or b"-1", 16)
            if size < 0:
                raise EOFError("closed in the middle of the answer")
            if size == 0:
                while (await asyncio.wait_for(reader.readline(), timeout)).strip():
                    pass
                return
            yield (await asyncio.wait_for(reader.readexactly(size + 2), timeout))[:-2]
    elif "content-length" in head.headers:
        left = int(head.headers["content-length"])
        while left > 0:
            piece = await asyncio.wait_for(reader.read(min(left, 1 << 16)), timeout)
            if not piece:
                raise EOFError("closed in the middle of the answer")
            left -= len(piece)
            yield piece
    else:
        while True:
            piece = await asyncio.wait_for(reader.read(1 << 16), timeout)
            if not piece:
                return
            yield piece


async def _read_body(reader: asyncio.StreamReader, head: _Head) -> bytes:
    return b"".join([piece async for piece in _pieces(reader, head, None)])
