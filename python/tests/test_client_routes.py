"""That the clients have every operation of the API, with everything that it takes.

DUEL_PROGRAM names the program.
"""

import inspect
import re

import pytest

from duel._client_routes import Routes
from duel.client import AsyncClient, Client
from test_client import client, server  # noqa: F401, the fixtures

# A call of each operation.
CALLS = {
    "create_experiment": lambda c: c.create("e", ["a", "b"]),
    "list_experiments": lambda c: c.experiments_page(),
    "show_experiment": lambda c: c.experiment("e"),
    "patch_experiment": lambda c: c.change("e", name="n"),
    "start_experiment": lambda c: c.start("e"),
    "pause_experiment": lambda c: c.pause("e"),
    "resume_experiment": lambda c: c.resume("e"),
    "complete_experiment": lambda c: c.complete("e"),
    "archive_experiment": lambda c: c.archive("e"),
    "close_panel": lambda c: c.close_panel("e"),
    "miss_members": lambda c: c.absent("e", ["ann"]),
    "put_arm": lambda c: c.add_arm("e", "c"),
    "delete_arm": lambda c: c.retire_arm("e", "c"),
    "take_comparisons": lambda c: c.add_comparisons("e", []),
    "import_log": lambda c: c.import_log("e", ""),
    "serve_duels": lambda c: c.next("e"),
    "list_duels": lambda c: c.duels("e"),
    "show_duel": lambda c: c.duel("e", "d"),
    "interleave_duel": lambda c: c.page("e", "d", {}),
    "report_outcome": lambda c: c.report("e", "d", tie=True),
    "interleave_in_one": lambda c: c.interleave("e", {}),
    "report_outcomes": lambda c: c.report_many("e", []),
    "take_events": lambda c: c.events([]),
    "show_result": lambda c: c.result("e"),
    "show_certificate": lambda c: c.certificate("e"),
    "show_health": lambda c: c.health("e"),
    "show_slices": lambda c: c.slices("e"),
    "show_timeline": lambda c: c.timeline("e"),
    "show_progress": lambda c: c.progress("e"),
    "export_log": lambda c: c.export("e"),
    "plan": lambda c: c.plan(2, 0.1),
    "list_policies": lambda c: c.policies(),
    "list_tokens": lambda c: c.tokens(),
    "create_token": lambda c: c.create_token("read"),
    "delete_token": lambda c: c.revoke_token("t"),
    "readyz": lambda c: c.ready(),
    "metrics": lambda c: c.metrics(),
    "openapi": lambda c: c.openapi(),
    "version": lambda c: c.version(),
}
ELSEWHERE = {
    "healthz": "for load balancers; `ready` says more",
    "open_stream": "`stream` goes on after a lost connection; test_client.py has it",
}

# What the bodies of these operations take, and the methods that have a parameter for it.
METHODS = {
    "serve_duels": ["next", "next_batch"],
    "report_outcome": ["report"],
    "interleave_in_one": ["interleave"],
    "interleave_duel": ["page"],
    "patch_experiment": ["change"],
    "miss_members": ["absent"],
    "put_arm": ["add_arm"],
    "create_token": ["create_token"],
}
CALLED_OTHERWISE = {
    ("create_token", "experiment_id"): "experiment",
    ("report_outcome", "result"): "tie",
}
HAS_NO_PARAMETER = {
    ("report_outcome", "duel_id"): "in a batch",
    ("interleave_in_one", "batch_id"): "a page is asked for alone",
    ("interleave_in_one", "count"): "a page is asked for alone",
    ("interleave_in_one", "voter"): "voters see duels",
}


class Recorder(Routes):
    def _read(self, request, read):
        self.asked = request


@pytest.fixture
def api(client):  # noqa: F811
    return client.openapi()


def operations_of(api):
    return {operation["operationId"]: (method.upper(), path, operation)
            for path, methods in api["paths"].items()
            for method, operation in methods.items()}


def test_every_operation_has_a_method_that_asks_for_it(api):
    operations = operations_of(api)
    assert set(operations) == set(CALLS) | set(ELSEWHERE)
    for name, call in CALLS.items():
        recorder = Recorder()
        call(recorder)
        method, path, _ = operations[name]
        asked = recorder.asked.path.partition("?")[0]
        pattern = re.sub(r"\\?\{\w+\\?\}", "[^/]+", re.escape(path))
        assert recorder.asked.method == method and re.fullmatch(pattern, asked), name
    assert all(hasattr(kind, "stream") for kind in (Client, AsyncClient))


def properties_of(api, operation):
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    while "$ref" in schema:
        schema = api["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return set(schema["properties"])


def test_every_member_of_a_request_has_a_parameter(api):
    operations = operations_of(api)
    unused = set(CALLED_OTHERWISE) | set(HAS_NO_PARAMETER)
    for name, methods in METHODS.items():
        taken = set()
        for method in methods:
            taken |= set(inspect.signature(getattr(Client, method)).parameters)
        for member in properties_of(api, operations[name][2]):
            unused.discard((name, member))
            if (name, member) in HAS_NO_PARAMETER:
                assert member not in taken, (name, member)
            else:
                assert CALLED_OTHERWISE.get((name, member), member) in taken, (name, member)
    assert not unused
    # The other requests are made of what the caller has put together, or take further members.
    for method in ("create", "plan"):
        kinds = [one.kind for one in inspect.signature(getattr(Client, method)).parameters.values()]
        assert inspect.Parameter.VAR_KEYWORD in kinds
