import assert from "node:assert/strict";
import { test } from "node:test";
import { routeOf } from "../../src/api/client";

test("an operation's route: names of the pattern in the path, the rest in the query", () => {
  assert.deepEqual(routeOf("list_policies", {}), { method: "GET", path: "/v1/policies" });
  assert.deepEqual(routeOf("list_duels", { eid: "a b/c", limit: 12 }), {
    method: "GET",
    path: "/v1/experiments/a%20b%2Fc/duels?limit=12",
  });
  assert.deepEqual(routeOf("export_log", { eid: "e", what: "duels", format: "csv" }), {
    method: "GET",
    path: "/v1/experiments/e/export?what=duels&format=csv",
  });
  assert.deepEqual(routeOf("delete_arm", { eid: "e", aid: "{eid}" }), {
    method: "DELETE",
    path: "/v1/experiments/e/arms/%7Beid%7D",
  });
});
