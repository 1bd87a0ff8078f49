"""The routes of the HTTP API as methods, written once for the blocking and the async client.

Every method builds one request. Ids that make a repeat harmless are chosen here, before the first
try, so that each try of one call carries the same id.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import time
from abc import ABC, abstractmethod
from typing import (Any, Callable, Generic, Iterable, Mapping, NamedTuple, Sequence, TypeVar,
                    Union)
from urllib.parse import quote, urlencode

from ._client_transport import Reply, Request
from ._features import row_of, rows_of
from .errors import InvalidArgument

Json = dict[str, Any]

# What a call gives: for the blocking client the thing, for the other one an awaitable of it.
Answer = TypeVar("Answer")
Text = TypeVar("Text")
Served = TypeVar("Served")
ServedMany = TypeVar("ServedMany")

_MOST_OUTCOMES = 10_000  # of one batch, as the server has it


class RemoteDuel(NamedTuple):
    """A duel that the server chose.

    ``first`` and ``second`` are the arms as they are to be shown; ``second`` is empty where the
    server serves one arm only (``serving`` is ``exploit`` or ``fallback``), and both are empty for
    a member of a panel who has nothing left to say (``done``). Then there is nothing to report.
    ``payloads`` holds what the arms stand for by id, ``task`` what the duel is about, ``items`` the
    merged list of an interleaving, and ``content`` the whole answer.
    """

    duel_id: str
    first: str
    second: str
    serving: str
    learn: bool
    payloads: dict[str, Any]
    task: Any
    report_token: str
    items: list[Json]
    content: Json


DuelLike = Union[RemoteDuel, str]


def duel_of(content: Json) -> RemoteDuel:
    arms = sorted(content["arms"], key=lambda arm: int(arm["position"]))
    first, second = ([arm["arm_id"] for arm in arms] + ["", ""])[:2]
    return RemoteDuel(
        duel_id=content["duel_id"],
        first=first,
        second=second,
        serving=content["serving"],
        learn=content["learn"],
        payloads={arm["arm_id"]: arm.get("payload") for arm in arms},
        task=content.get("task"),
        report_token=content.get("report_token", ""),
        items=content.get("items", []),
        content=content,
    )


def duels_of(content: Json) -> list[RemoteDuel]:
    if "items" in content and "batch_id" in content:
        return [duel_of(item) for item in content["items"]]
    return [duel_of(content)]


class StreamEvent(NamedTuple):
    """Something happened to an experiment: ``result``, ``state``, ``certified`` or ``reset``."""

    name: str
    sequence: int
    data: Any


class EventParser:
    """Lines of a stream of server-sent events to events."""

    def __init__(self) -> None:
        self._name, self._data = "message", ""
        self.last_id = ""

    def take(self, line: bytes) -> StreamEvent | None:
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if not text:
            if not self._data:
                return None
            try:
                data = json.loads(self._data)
            except ValueError:
                data = self._data
            number = int(self.last_id) if self.last_id.isdigit() else 0
            event = StreamEvent(self._name, number, data)
            self._name, self._data = "message", ""
            return event
        name, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            self._name = value
        elif name == "data":
            self._data += ("\n" if self._data else "") + value
        elif name == "id":
            self.last_id = value
        return None


def new_id() -> str:
    """An id that nobody else chooses; ids of later calls sort after it."""
    return f"c{int(1000 * time.time()):012x}{secrets.token_hex(8)}"


def id_of(duel: DuelLike) -> str:
    if isinstance(duel, str):
        return duel
    if isinstance(duel, RemoteDuel):
        return duel.duel_id
    raise TypeError(f"a duel or its id is needed, not {type(duel).__name__}")


def _segment(text: Any, field: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{field} must be a text")
    if not text:
        raise InvalidArgument("it is empty", field=field)
    return quote(text, safe="")


def _encoded(value: Any, field: str) -> bytes:
    def plain(other: Any) -> Any:
        # numpy's numbers and arrays, without importing numpy
        if hasattr(other, "tolist"):
            return other.tolist()
        if isinstance(other, os.PathLike):
            return os.fspath(other)
        raise TypeError(f"{field}: a {type(other).__name__} cannot be written as JSON")

    try:
        return json.dumps(value, allow_nan=False, default=plain).encode()
    except RecursionError:
        raise InvalidArgument("it is nested too deep", field=field) from None
    except ValueError as error:
        raise InvalidArgument(str(error), field=field) from None


def _given(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def outcome(winner: str | None, tie: bool, both_bad: bool, skip: bool, invalid: bool,
            judgements: Sequence[Mapping[str, Any]] | None = None,
            score: float | None = None) -> Json:
    said = [word for word, given in (("tie", tie), ("both_bad", both_bad), ("skip", skip),
                                     ("invalid", invalid)) if given]
    others = [winner, judgements, score]
    if len(said) + sum(other is not None for other in others) != 1:
        raise InvalidArgument("exactly one of winner, score, tie, both_bad, skip and invalid is "
                              "needed", field="winner")
    if judgements is not None:
        return {"judgements": list(judgements)}
    if score is not None:
        return {"score": score}
    if winner is None:
        return {"result": said[0]}
    if not isinstance(winner, str):
        raise TypeError("winner must be the id of an arm")
    return {"result": "win", "winner": winner}


def _wish(subject_id: str | None, exclude: Sequence[str] | None, task_id: str | None,
          slices: Mapping[str, str] | None,
          context: Mapping[str, Sequence[float]] | None) -> Json:
    """What is asked of the next duel, whether alone, in a batch or with its page."""
    return _given(subject_id=subject_id, exclude=None if exclude is None else list(exclude),
                  task_id=task_id, slices=None if slices is None else dict(slices),
                  context=None if context is None else rows_of(context, "context"))


def _lists(lists: Any) -> dict[str, list[str]]:
    if not isinstance(lists, Mapping):
        raise TypeError("lists must be a dict of rankings by arm")
    answer: dict[str, list[str]] = {}
    for arm, ranking in lists.items():
        if isinstance(ranking, (str, bytes)):
            raise InvalidArgument("a list of ids is needed, not one text", field=f"lists[{arm!r}]")
        answer[str(arm)] = [str(item) for item in ranking]
    return answer


def _arms(arms: Any, default: str | None) -> list[Json]:
    if isinstance(arms, (str, bytes)):
        raise InvalidArgument("a list of arms is needed, not one text", field="arms")
    if isinstance(arms, Mapping):
        listed = [{"arm_id": str(arm), "payload": payload} for arm, payload in arms.items()]
    else:
        listed = [dict(arm) if isinstance(arm, Mapping) else {"arm_id": str(arm)} for arm in arms]
    if default is not None:
        if default not in [arm.get("arm_id") for arm in listed]:
            raise InvalidArgument(f"there is no arm '{default}'", field="default")
        for arm in listed:
            if arm.get("arm_id") == default:
                arm["default"] = True
    return listed


def _with_features(arms: Iterable[Json], features: Any) -> list[Json]:
    rows = rows_of(features, "features")
    listed = [dict(arm) for arm in arms]
    for arm in listed:
        if arm["arm_id"] not in rows:
            raise InvalidArgument(f"'{arm['arm_id']}' has no features", field="features",
                                  hint="every arm has some, or none has any")
        arm["features"] = rows.pop(arm["arm_id"])
    for unknown in rows:
        raise InvalidArgument(f"there is no arm '{unknown}'", field="features")
    return listed


class Routes(ABC, Generic[Answer, Text, Served, ServedMany]):
    """What a Duel server can be asked. Experiments, arms and duels are named by their ids."""

    @abstractmethod
    def _read(self, request: Request, read: Callable[[Reply], Any]) -> Any:
        """What ``read`` makes of the reply, or an awaitable of that."""

    def _ask(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        answer: Answer = self._read(self._request(method, path, body, **more), Reply.json)
        return answer

    def _text(self, path: str, **more: Any) -> Text:
        text: Text = self._read(self._request("GET", path, **more), Reply.text)
        return text

    @staticmethod
    def _request(method: str, path: str, body: Any = None, *, safe: bool = True,
                 query: Mapping[str, Any] | None = None,
                 headers: Mapping[str, str] | None = None) -> Request:
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        if asked:
            path += "?" + urlencode(asked)
        return Request(method, path, None if body is None else _encoded(body, "request"),
                       "application/json", dict(headers or {}), safe)

    @staticmethod
    def _at(experiment: str, rest: str = "") -> str:
        return f"/v1/experiments/{_segment(experiment, 'experiment')}{rest}"

    # Experiments and arms

    def create(self, experiment: str, arms: Any = None, *, config: Mapping[str, Any] | None = None,
               name: str | None = None, mode: str | None = None, policy: Any = None,
               goal: str | None = None, alpha: float | None = None, default: str | None = None,
               max_duels: int | None = None, tasks: Any = None, seed: int | None = None,
               features: Mapping[str, Sequence[float]] | None = None,
               **fields: Any) -> Answer:
        """Creates an experiment as a draft; the same call again changes nothing.

        ``arms`` are ids, or a dict of ids and payloads; ``default`` is the one that a fallback
        shows. ``config`` is a body of ``PUT /v1/experiments/{eid}``, over which the arguments go.
        ``features`` are numbers of every arm, for policies such as ``lin-ts``.
        Further fields of that body (``stopping``, ``feedback``, ``guardrails``, ``interleave``,
        ``presentation``, ..) are keyword arguments.
        """
        given = _given(name=name, mode=mode, goal=goal, seed=seed, **fields)
        # A copy: what the caller gave is not changed below.
        body: Json = json.loads(_encoded({**(config or {}), **given}, "config"))
        if policy is not None:
            body["policy"] = str(policy)
        if arms is not None:
            body["arms"] = _arms(arms, default)
        if features is not None:
            body["arms"] = _with_features(body.get("arms", []), features)
        if tasks is not None:
            body["tasks"] = ([{"task_id": str(task), "payload": payload}
                              for task, payload in tasks.items()]
                             if isinstance(tasks, Mapping) else list(tasks))
        if alpha is not None:
            body.setdefault("stopping", {})["alpha"] = alpha
        if max_duels is not None:
            body.setdefault("stopping", {})["max_duels"] = max_duels
        return self._ask("PUT", self._at(experiment), body)

    def experiment(self, experiment: str) -> Answer:
        """Configuration and state."""
        return self._ask("GET", self._at(experiment))

    def experiments_page(self, limit: int | None = None, cursor: str | None = None) -> Answer:
        """One page of the list of experiments, with ``next_cursor``."""
        return self._ask("GET", "/v1/experiments", query={"limit": limit, "cursor": cursor})

    def change(self, experiment: str, *, etag: str = "*", name: str | None = None,
               feedback: Mapping[str, Any] | None = None,
               guardrails: Mapping[str, Any] | None = None) -> Answer:
        """Changes what may change; what is not named stays, and ``None`` in a mapping is the default.

        ``etag`` is that of the version you saw, or ``*``."""
        body = _given(name=name, feedback=feedback, guardrails=guardrails)
        return self._ask("PATCH", self._at(experiment), body, safe=etag == "*",
                         headers={"If-Match": _header(etag, "etag")})

    def start(self, experiment: str) -> Answer:
        """Starts a draft."""
        return self._ask("POST", self._at(experiment, "/start"))

    def pause(self, experiment: str) -> Answer:
        """Serves fallbacks until it is resumed."""
        return self._ask("POST", self._at(experiment, "/pause"))

    def resume(self, experiment: str) -> Answer:
        """Goes on after a pause."""
        return self._ask("POST", self._at(experiment, "/resume"))

    def complete(self, experiment: str) -> Answer:
        """Ends it: only fallbacks are served from now on."""
        return self._ask("POST", self._at(experiment, "/complete"))

    def archive(self, experiment: str) -> Answer:
        """Puts a completed experiment away."""
        return self._ask("POST", self._at(experiment, "/archive"))

    def close_panel(self, experiment: str) -> Answer:
        """The panel is those who have answered by now, for good."""
        return self._ask("POST", self._at(experiment, "/panel/close"))

    def absent(self, experiment: str, subjects: Iterable[str]) -> Answer:
        """These members of an early panel will not come, for good."""
        if isinstance(subjects, (str, bytes)):
            raise InvalidArgument("a list of members is needed, not one text", field="subjects")
        return self._ask("POST", self._at(experiment, "/panel/absent"),
                         {"subjects": list(subjects)})

    def add_arm(self, experiment: str, arm: str, payload: Any = None,
                features: Sequence[float] | None = None) -> Answer:
        """Adds an arm, where ``stopping.arms`` is ``open`` or nothing has started."""
        body = _given(payload=payload,
                      features=None if features is None else row_of(features, arm, "features"))
        return self._ask("PUT", self._at(experiment, "/arms/" + _segment(arm, "arm")), body)

    def retire_arm(self, experiment: str, arm: str) -> Answer:
        """Shows an arm no more. Nothing is erased, and the id is not used again."""
        return self._ask("DELETE", self._at(experiment, "/arms/" + _segment(arm, "arm")))

    # Duels and outcomes

    def next(self, experiment: str, *, duel_id: str | None = None, subject_id: str | None = None,
             exclude: Sequence[str] | None = None, task_id: str | None = None,
             slices: Mapping[str, str] | None = None,
             context: Mapping[str, Sequence[float]] | None = None,
             voter: bool | None = None) -> Served:
        """Serves one duel. Without ``duel_id`` the client chooses one and keeps it over retries.

        ``slices`` has the duel's value of each slice, ``{"language": "de"}``. ``context`` has
        features of every arm for who will see it, in place of its own. With ``voter`` it is served
        as by a share link: blind, and the server makes the subject.
        """
        body = _given(duel_id=duel_id or new_id(), voter=voter,
                      **_wish(subject_id, exclude, task_id, slices, context))
        served: Served = self._read(self._request("POST", self._at(experiment, "/duels"), body),
                                    lambda reply: duel_of(reply.json()))
        return served

    def next_batch(self, experiment: str, count: int, *, batch_id: str | None = None,
                   subject_id: str | None = None,
                   exclude: Sequence[str] | None = None, task_id: str | None = None,
                   slices: Mapping[str, str] | None = None,
                   context: Mapping[str, Sequence[float]] | None = None) -> ServedMany:
        """Serves ``count`` duels at once, at most 1000."""
        body = _given(batch_id=batch_id or new_id(), count=count,
                      **_wish(subject_id, exclude, task_id, slices, context))
        served: ServedMany = self._read(self._request("POST", self._at(experiment, "/duels"), body),
                                        lambda reply: duels_of(reply.json()))
        return served

    def duel(self, experiment: str, duel: DuelLike) -> Answer:
        """One duel with its outcome."""
        return self._ask("GET", self._duel(experiment, duel))

    def duels(self, experiment: str, limit: int | None = None) -> Answer:
        """The last duels, the newest first."""
        return self._ask("GET", self._at(experiment, "/duels"), query={"limit": limit})

    def _duel(self, experiment: str, duel: DuelLike, rest: str = "") -> str:
        return self._at(experiment, f"/duels/{_segment(id_of(duel), 'duel')}{rest}")

    def report(self, experiment: str, duel: DuelLike, winner: str | None = None, *,
               tie: bool = False, both_bad: bool = False, skip: bool = False,
               invalid: bool = False, judgements: Sequence[Mapping[str, Any]] | None = None,
               place: int | None = None, score: float | None = None,
               source: str | None = None, source_type: str | None = None,
               response_ms: int | None = None, note: str | None = None,
               reason: str | None = None, cost: float | None = None, tokens: int | None = None,
               cached: bool | None = None, features: Any = None,
               report_token: str | None = None,
               next: bool = False, next_duel_id: str | None = None) -> Answer:
        """Reports the outcome: a winner, a score, or one of tie, both_bad, skip and invalid.

        The answer's ``status`` is ``applied``, ``duplicate``, ``late``, ``expired`` or
        ``ignored``. With ``next`` it brings the next duel as ``next`` as well. Where one arm was
        shown twice, ``place`` (1 or 2) says which of the two won. ``score`` from 0 to 1 says how
        much better the arm shown first is.

        ``reason`` is why it was judged so, ``cost`` what the answer cost and ``tokens`` how many a
        language model took; ``cached`` says that the judge had answered this before. ``features``
        are numbers for each place. They are kept and shown, and are no evidence.
        """
        body = outcome(winner, tie, both_bad, skip, invalid, judgements, score)
        body.update(_given(response_ms=response_ms, note=note, report_token=report_token,
                           place=place, reason=reason, cost=cost, tokens=tokens, cached=cached,
                           features=features))
        if source is not None or source_type is not None:
            body["source"] = {"type": source_type or "program", "id": source or ""}
        query = {"next": "1" if next else None, "next_duel_id": next_duel_id if next else None}
        return self._ask("PUT", self._duel(experiment, duel, "/outcome"), body, query=query)

    def report_many(self, experiment: str, outcomes: Iterable[Mapping[str, Any]]) -> Answer:
        """Reports at most 10 000 outcomes, ``{"duel_id": .., "result": .., "winner": ..}`` each.

        The other members are those of ``PUT .../outcome``: ``score``, ``reason``, ``cost`` and so
        on. The answer's ``items`` has a status for each.
        """
        listed = [dict(one) for one in outcomes]
        if len(listed) > _MOST_OUTCOMES:
            raise InvalidArgument(f"{len(listed)} are too many for one batch",
                                  hint=f"at most {_MOST_OUTCOMES}", field="outcomes")
        return self._ask("POST", self._at(experiment, "/outcomes"), listed)

    def add_comparisons(self, experiment: str,
                        comparisons: Iterable[Mapping[str, Any]]) -> Answer:
        """Comparisons made elsewhere: the policy learns from them, the certificate does not.

        Each is ``{"first": .., "second": .., "result": "win", "winner": ..}``. By its
        ``comparison_id`` the server knows a repeat and does not count it again; one without gets
        an id here, before the first try.
        """
        batch = new_id()
        listed = [{"comparison_id": f"{batch}.{k}", **one}
                  for k, one in enumerate(comparisons, 1)]
        return self._ask("POST", self._at(experiment, "/comparisons"), listed)

    # Rankings and clicks

    def interleave(self, experiment: str, lists: Mapping[str, Sequence[str]], *,
                   duel_id: str | None = None, subject_id: str | None = None,
                   exclude: Sequence[str] | None = None, task_id: str | None = None,
                   slices: Mapping[str, str] | None = None,
                   context: Mapping[str, Sequence[float]] | None = None,
                   user_query: str | None = None,
                   offset: int | None = None, limit: int | None = None) -> Served:
        """All rankings in, a pair chosen, one merged list out, as ``items`` of the duel."""
        body = _given(duel_id=duel_id or new_id(), lists=_lists(lists), user_query=user_query,
                      offset=offset, limit=limit,
                      **_wish(subject_id, exclude, task_id, slices, context))
        request = self._request("POST", self._at(experiment, "/interleavings"), body)
        served: Served = self._read(request, lambda reply: duel_of(reply.json()))
        return served

    def page(self, experiment: str, duel: DuelLike, lists: Mapping[str, Sequence[str]], *,
             user_query: str | None = None, offset: int | None = None,
             limit: int | None = None) -> Answer:
        """The merged page of a duel that was served: its two rankings in, ``items`` out."""
        body = _given(lists=_lists(lists), user_query=user_query, offset=offset, limit=limit)
        return self._ask("PUT", self._duel(experiment, duel, "/interleaving"), body)

    def events(self, events: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> Answer:
        """UBI events. The server knows an event by its content, so a repeat counts once."""
        listed = ([dict(events)] if isinstance(events, Mapping)
                  else [dict(event) for event in events])
        return self._ask("POST", "/v1/events", listed)

    def click(self, duel: DuelLike, object_id: str, *, action: str = "click",
              ordinal: int | None = None, session_id: str | None = None,
              timestamp: str | None = None, experiment: str | None = None,
              report_token: str | None = None) -> Answer:
        """One click on an item of a merged list, as a UBI event; its time is now."""
        attributes: Json = {"object": {"object_id": str(object_id)}}
        if ordinal is not None:
            attributes["position"] = {"ordinal": ordinal}
        own = _given(experiment_id=experiment, report_token=report_token)
        if own:
            attributes["duel"] = own
        event = _given(action_name=action, query_id=id_of(duel), session_id=session_id,
                       timestamp=timestamp or _now(), event_attributes=attributes)
        return self.events(event)

    def close_duel(self, experiment: str, duel: DuelLike) -> Answer:
        """Ends a page of results before its time, and settles the duel from its clicks."""
        return self._ask("PUT", self._duel(experiment, duel, "/outcome"), {"result": "close"})

    # What came out

    def result(self, experiment: str) -> Answer:
        """Verdict, leader, pairs with intervals, certificate: ``duel result --json``."""
        return self._ask("GET", self._at(experiment, "/result"))

    def certificate(self, experiment: str) -> Text:
        """The text of the certificate, which ``duel verify`` checks against the log; it is JSON.

        ``NotOnServer`` while there is none."""
        return self._text(self._at(experiment, "/certificate"))

    def health(self, experiment: str) -> Answer:
        """Whether the answers can be trusted, check by check."""
        return self._ask("GET", self._at(experiment, "/health"))

    def slices(self, experiment: str) -> Answer:
        """Of a space: what its learner believes along each dimension. It proves nothing."""
        return self._ask("GET", self._at(experiment, "/slices"))

    def timeline(self, experiment: str, points: int | None = None) -> Answer:
        """Series for plots, about ``points`` moments long."""
        return self._ask("GET", self._at(experiment, "/timeline"), query={"points": points})

    def progress(self, experiment: str) -> Answer:
        """How far the evidence has got, without naming an arm."""
        return self._ask("GET", self._at(experiment, "/progress"))

    def export(self, experiment: str, what: str = "duels", format: str | None = None) -> Text:
        """The duels, nonvotes or events as text, or the whole log (``audit``).

        ``format`` is ``jsonl``, ``csv`` or ``arena``. ``duel verify --log`` checks an audit log.
        """
        return self._text(self._at(experiment, "/export"), query={"what": what, "format": format})

    def import_log(self, experiment: str, log: str | bytes) -> Answer:
        """Makes an experiment of the text of a log (``export(.., "audit")``)."""
        if not isinstance(log, (str, bytes, bytearray)):
            raise TypeError(f"log: the text of a log is needed, not {type(log).__name__}")
        answer: Answer = self._read(
            Request("POST", self._at(experiment, "/import"),
                    log.encode() if isinstance(log, str) else bytes(log), "application/x-ndjson",
                    safe=False), Reply.json)
        return answer

    # The server

    def plan(self, arms: int, gap: float, **fields: Any) -> Answer:
        """How many duels will it take? Fields are those of ``POST /v1/plan``."""
        return self._ask("POST", "/v1/plan", {"arms": arms, "gap": gap, **_given(**fields)})

    def policies(self) -> Answer:
        """The policies that can serve, with their options."""
        return self._ask("GET", "/v1/policies")

    def tokens(self) -> Answer:
        """All tokens, without their secrets."""
        return self._ask("GET", "/v1/tokens")

    def create_token(self, scope: str, *, name: str | None = None, experiment: str | None = None,
                     expires_at: str | None = None, one_browser: bool | None = None,
                     max_subjects_per_day: int | None = None,
                     max_subjects_per_address_per_day: int | None = None,
                     member: str | None = None) -> Answer:
        """A new token, shown once as ``token``. A lost answer is not tried again.

        ``one_browser`` and the two after it limit a share link (scope ``vote``); ``member`` makes
        it the link of one member of a panel's list, in any browser."""
        body = _given(scope=scope, name=name, experiment_id=experiment, expires_at=expires_at,
                      one_browser=one_browser, max_subjects_per_day=max_subjects_per_day,
                      max_subjects_per_address_per_day=max_subjects_per_address_per_day,
                      member=member)
        return self._ask("POST", "/v1/tokens", body, safe=False)

    def revoke_token(self, token_id: str) -> Answer:
        """Revokes a token, within five seconds. A lost answer is not tried again."""
        return self._ask("DELETE", "/v1/tokens/" + _segment(token_id, "token_id"), safe=False)

    def version(self) -> Answer:
        """The version of the server."""
        return self._ask("GET", "/v1/version")

    def ready(self) -> Answer:
        """``{"status": "ready"}``, or an exception where outcomes cannot be taken."""
        return self._ask("GET", "/readyz")

    def metrics(self) -> Text:
        """Figures for Prometheus."""
        return self._text("/metrics")

    def openapi(self) -> Answer:
        """The API in OpenAPI 3.1."""
        return self._ask("GET", "/openapi.json")


def _header(text: Any, field: str) -> str:
    if not isinstance(text, str) or any(not " " <= c < "\x7f" for c in text):
        raise InvalidArgument("it is not the value of a header", field=field)
    return text


def _now() -> str:
    milliseconds = math.floor(1000 * time.time())
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(milliseconds // 1000))
    return f"{text}.{milliseconds % 1000:03d}Z"
