"""Clients of a Duel server: ``Client`` blocks, ``AsyncClient`` is for asyncio.

    import duel
    c = duel.Client("http://127.0.0.1:7557", token_file="token.txt")
    c.create("logo", ["red", "blue", "green"])
    c.start("logo")
    d = c.next("logo")
    c.report("logo", d, winner=d.first)

Both have the same methods. Each call chooses its ids once and is tried again, with growing pauses,
for ``patience`` seconds while the server is out of reach or overloaded, so that what was asked for
happens once however often the network fails.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import time
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator

from ._client_routes import EventParser, Json, RemoteDuel, Routes, StreamEvent, new_id
from ._client_transport import (AccessRefused, AsyncTransport, BlockingTransport,
                                ConflictOnServer, Lost, NotOnServer, OutOfReach, Reply, Request,
                                RequestRefused, Server, ServerError, parse_server)
from .errors import InvalidArgument, StorageError

__all__ = ["AccessRefused", "AsyncClient", "Client", "ConflictOnServer", "NotOnServer",
           "OutOfReach", "RemoteDuel", "RequestRefused", "ServerError", "StreamEvent", "new_id"]

_DEFAULT_SERVER = "http://127.0.0.1:7557"


def _token(token: str | None, token_file: str | os.PathLike[str] | None) -> str:
    if token is not None and token_file is not None:
        raise InvalidArgument("give the token or its file, not both", field="token")
    if token is not None:
        return token
    file = token_file or os.environ.get("DUEL_TOKEN_FILE")
    if not file:
        return os.environ.get("DUEL_TOKEN", "")
    try:
        with open(file, encoding="utf-8") as opened:
            text = opened.readline(4096).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"the token cannot be read ({error})", where=os.fspath(file),
                           field="token_file") from None
    if not text:
        raise InvalidArgument("the file is empty", where=os.fspath(file), field="token_file")
    return text


def _server(server: str | None, token: str | None, token_file: str | os.PathLike[str] | None,
            timeout: float, patience: float, context: ssl.SSLContext | None) -> Server:
    if not (isinstance(patience, (int, float)) and 0 <= patience < 1e9):
        raise InvalidArgument("it is not a number of seconds", field="patience")
    url = server if server is not None else os.environ.get("DUEL_SERVER") or _DEFAULT_SERVER
    return parse_server(url, _token(token, token_file), context, timeout)


def _stream_request(experiment: str, last_id: str) -> Request:
    headers = {"Accept": "text/event-stream"}
    if last_id:
        headers["Last-Event-ID"] = last_id
    return Request("GET", Routes._at(experiment, "/stream"), headers=headers)


class _StreamTries:
    """Pauses between tries of a stream. An event that arrives restarts the client's patience."""

    def __init__(self, place: str, patience: float) -> None:
        self._place, self._patience = place, patience
        self._failed, self._since = 0, 0.0

    def came(self) -> None:
        self._failed = 0

    def pause(self, why: str) -> float:
        if self._failed == 0:
            self._since = time.monotonic()
        self._failed += 1
        pause = min(5.0, 0.1 * 2.0 ** min(self._failed - 1, 10))
        if time.monotonic() + pause - self._since > self._patience:
            raise OutOfReach(why, where=self._place, sent=True)
        return pause


class Client(Routes[Json, str, RemoteDuel, "list[RemoteDuel]"]):
    """A blocking client. It may be used by many threads; each has a connection of its own.

    ``server`` is a URL (default: the variable ``DUEL_SERVER``, then ``http://127.0.0.1:7557``).
    The token comes from ``token``, ``token_file``, or the variables ``DUEL_TOKEN_FILE`` and
    ``DUEL_TOKEN``. ``timeout`` limits one try and ``patience`` all tries of one call, in seconds;
    with ``patience=0`` there is one try.
    """

    def __init__(self, server: str | None = None, token: str | None = None, *,
                 token_file: str | os.PathLike[str] | None = None, timeout: float = 60.0,
                 patience: float = 30.0, ssl_context: ssl.SSLContext | None = None) -> None:
        self._patience = patience
        self._transport = BlockingTransport(
            _server(server, token, token_file, timeout, patience, ssl_context), patience)

    def __repr__(self) -> str:
        return f"<Client of {self._transport.server.place}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections. The next call opens new ones."""
        self._transport.close()

    def _read(self, request: Request, read: Callable[[Reply], Any]) -> Any:
        return read(self._transport.ask(request))

    def experiments(self) -> Iterator[Json]:
        """All experiments, by id."""
        cursor = None
        while True:
            page = self.experiments_page(cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def stream(self, experiment: str, last_event_id: str = "") -> Iterator[StreamEvent]:
        """Events of an experiment as they happen, without end.

        A lost connection is opened again, with the id of the last event. Leave the loop, or close
        the iterator, to end it.
        """
        parser = EventParser()
        parser.last_id = str(last_event_id)
        tries = _StreamTries(self._transport.server.place, self._patience)
        while True:
            why = "the server ended the stream"
            try:
                for line in self._transport.lines(_stream_request(experiment, parser.last_id)):
                    event = parser.take(line)
                    if event is not None:
                        tries.came()
                        yield event
            except Lost as lost:
                why = str(lost)
            except ServerError as error:
                if not error.retryable:
                    raise
                why = str(error)
            time.sleep(tries.pause(why))


class AsyncClient(Routes[Awaitable[Json], Awaitable[str], Awaitable[RemoteDuel],
                         Awaitable["list[RemoteDuel]"]]):
    """A client for asyncio, over its streams: the methods of ``Client``, to be awaited.

    It belongs to one event loop. Many tasks may use it at once; each request in flight has a
    connection of its own. A cancelled call may have been carried out.

        async with duel.AsyncClient() as c:
            d = await c.next("logo")
            await c.report("logo", d, winner=d.first)
    """

    def __init__(self, server: str | None = None, token: str | None = None, *,
                 token_file: str | os.PathLike[str] | None = None, timeout: float = 60.0,
                 patience: float = 30.0, ssl_context: ssl.SSLContext | None = None) -> None:
        self._patience = patience
        self._transport = AsyncTransport(
            _server(server, token, token_file, timeout, patience, ssl_context), patience)

    def __repr__(self) -> str:
        return f"<AsyncClient of {self._transport.server.place}>"

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections. The next call opens new ones."""
        await self._transport.close()

    async def _read(self, request: Request, read: Callable[[Reply], Any]) -> Any:
        return read(await self._transport.ask(request))

    async def experiments(self) -> AsyncIterator[Json]:
        """All experiments, by id."""
        cursor = None
        while True:
            page = await self.experiments_page(cursor=cursor)
            for item in page["items"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def stream(self, experiment: str, last_event_id: str = "") -> AsyncIterator[StreamEvent]:
        """Events of an experiment as they happen, without end; see ``Client.stream``."""
        parser = EventParser()
        parser.last_id = str(last_event_id)
        tries = _StreamTries(self._transport.server.place, self._patience)
        while True:
            why = "the server ended the stream"
            try:
                async for line in self._transport.lines(
                        _stream_request(experiment, parser.last_id)):
                    event = parser.take(line)
                    if event is not None:
                        tries.came()
                        yield event
            except Lost as lost:
                why = str(lost)
            except ServerError as error:
                if not error.retryable:
                    raise
                why = str(error)
            await asyncio.sleep(tries.pause(why))
