import assert from "node:assert/strict";
import { test } from "node:test";
import { typeOf, typesOf } from "../../types_of_openapi.mjs";

test("a schema as a type", () => {
  assert.equal(typeOf({}), "Json");
  assert.equal(typeOf({ type: "integer", minimum: 0 }), "number");
  assert.equal(typeOf({ type: ["string", "null"] }), "string | null");
  assert.equal(typeOf({ type: "string", enum: ["a", "b c"] }), '"a" | "b c"');
  assert.equal(typeOf({ $ref: "#/components/schemas/Duel" }), "Duel");
  assert.equal(
    typeOf({ anyOf: [{ $ref: "#/components/schemas/Duel" }, { type: "null" }] }),
    "Duel | null",
  );
  assert.equal(typeOf({ type: "array", items: { type: "string" } }), "string[]");
  assert.equal(
    typeOf({ type: "array", items: { type: ["string", "null"] } }),
    "Array<string | null>",
  );
  assert.equal(
    typeOf({ type: ["array", "null"], items: { type: "number" }, minItems: 2, maxItems: 2 }),
    "[number, number] | null",
  );
});

test("an object: what is required, what may be missing, and what else may be there", () => {
  const properties = {
    a: { type: "string" },
    "b-c": { type: "object", properties: { d: {} }, additionalProperties: false },
  };
  assert.equal(
    typeOf({ type: "object", properties, required: ["a"], additionalProperties: false }),
    '{\n  a: string;\n  "b-c"?: {\n    d?: Json;\n  };\n}',
  );
  assert.equal(
    typeOf({ type: "object", additionalProperties: { type: "number" } }),
    "{\n  [name: string]: number;\n}",
  );
  assert.equal(typeOf({ type: "object" }), "{\n  [name: string]: unknown;\n}");
});

test("a keyword that has no meaning here is not passed over", () => {
  assert.throws(() => typeOf({ type: "string", contentEncoding: "base64" }), /contentEncoding/);
  assert.throws(() => typeOf({ type: "tuple" }), /tuple/);
});

test("an operation: its address, its body and its answers", () => {
  const json = (name) => ({
    content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const text = typesOf({
    paths: {
      "/v1/duels/{did}": {
        put: {
          operationId: "put_duel",
          parameters: [
            { name: "did", in: "path", required: true, schema: { type: "string" } },
            { name: "next", in: "query", required: false, schema: { type: "integer" } },
            { name: "If-Match", in: "header", required: true, schema: { type: "string" } },
          ],
          requestBody: json("Taken"),
          responses: { 200: json("Given"), 201: json("Given"), 404: json("Problem") },
        },
      },
      "/metrics": {
        get: {
          operationId: "metrics",
          responses: { 200: { content: { "text/plain": { schema: { type: "string" } } } } },
        },
      },
    },
    components: {
      schemas: { Given: { type: "object", properties: {}, additionalProperties: false } },
    },
  });
  assert.ok(
    text.includes(
      "  put_duel: { given: { did: string; next?: number }; takes: Taken; gives: Given };",
    ),
    text,
  );
  assert.ok(
    text.includes(
      "  metrics: { given: Record<string, never>; takes: undefined; gives: undefined };",
    ),
    text,
  );
  assert.ok(text.includes('  put_duel: ["PUT", "/v1/duels/{did}"],'), text);
  assert.ok(text.includes("export type Given = Record<string, never>;"), text);
});
