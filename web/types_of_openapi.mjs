// TypeScript types of the bodies and answers that an OpenAPI document describes, and of its routes.
// Takes what /openapi.json uses (JSON Schema 2020-12) and refuses the rest, so that a keyword that is
// new there is not passed over here.

const KNOWN = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "minItems",
  "maxItems",
  "enum",
  "anyOf",
  "$ref",
  // These say what a value may be beyond its type.
  "description",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "pattern",
  "minLength",
  "maxLength",
]);

const quoted = (text) => JSON.stringify(text);
const either = (types) => [...new Set(types)].join(" | ");
const name = (word) => (/^[A-Za-z_]\w*$/.test(word) ? word : quoted(word));

function arrayOf(schema, indent) {
  const item = typeOf(schema.items ?? {}, indent);
  if (schema.minItems !== undefined && schema.minItems === schema.maxItems) {
    return `[${new Array(schema.minItems).fill(item).join(", ")}]`;
  }
  return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

function objectOf(schema, indent) {
  const required = new Set(schema.required ?? []);
  const lines = Object.entries(schema.properties ?? {}).map(
    ([word, property]) =>
      `${indent}  ${name(word)}${required.has(word) ? "" : "?"}: ${typeOf(property, `${indent}  `)};`,
  );
  const others = schema.additionalProperties ?? true;
  if (others === true) lines.push(`${indent}  [name: string]: unknown;`);
  else if (others !== false)
    lines.push(`${indent}  [name: string]: ${typeOf(others, `${indent}  `)};`);
  return lines.length === 0 ? "Record<string, never>" : `{\n${lines.join("\n")}\n${indent}}`;
}

export function typeOf(schema, indent = "") {
  for (const keyword of Object.keys(schema)) {
    if (!KNOWN.has(keyword))
      throw new Error(`the keyword '${keyword}' has no type here: ${JSON.stringify(schema)}`);
  }
  if (schema.$ref) return schema.$ref.replace("#/components/schemas/", "");
  if (schema.anyOf) return either(schema.anyOf.map((one) => typeOf(one, indent)));
  if (schema.enum) return either(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.type === undefined) return "Json";
  const one = (type) => {
    switch (type) {
      case "null":
        return "null";
      case "boolean":
        return "boolean";
      case "integer":
      case "number":
        return "number";
      case "string":
        return "string";
      case "array":
        return arrayOf(schema, indent);
      case "object":
        return objectOf(schema, indent);
      default:
        throw new Error(`the type '${type}' is unknown`);
    }
  };
  return either([schema.type].flat().map(one));
}

// What a request or an answer holds as JSON; text of other kinds is no value of a type.
const jsonOf = (content) =>
  content?.["application/json"] ? typeOf(content["application/json"].schema) : "undefined";

function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const wanted = (place) =>
        (operation.parameters ?? [])
          .filter((one) => one.in === place)
          .map((one) => `${name(one.name)}${one.required ? "" : "?"}: ${typeOf(one.schema)}`);
      const given = [...wanted("path"), ...wanted("query")];
      const answers = Object.entries(operation.responses).filter(([status]) =>
        status.startsWith("2"),
      );
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        given: given.length > 0 ? `{ ${given.join("; ")} }` : "Record<string, never>",
        takes: jsonOf(operation.requestBody?.content),
        gives: either(answers.map(([, answer]) => jsonOf(answer.content))),
      };
    }),
  );
}

export function typesOf(document) {
  const schemas = Object.entries(document.components.schemas).map(([title, schema]) => {
    const type = typeOf(schema);
    return type.startsWith("{")
      ? `export interface ${title} ${type}`
      : `export type ${title} = ${type};`;
  });
  const operations = operationsOf(document);
  const types = operations.map(
    ({ id, given, takes, gives }) =>
      `  ${id}: { given: ${given}; takes: ${takes}; gives: ${gives} };`,
  );
  const routes = operations.map(
    ({ id, method, path }) => `  ${id}: [${quoted(method)}, ${quoted(path)}],`,
  );
  return `// Written by web/write_types.mjs from the server's /openapi.json, which says what each field means.
// Do not edit: \`npm run types --prefix web\`.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

${schemas.join("\n\n")}

// What each operation is given in its address, takes in its body and answers as JSON.
export interface Operations {
${types.join("\n")}
}

export const ROUTES: { readonly [Id in keyof Operations]: readonly [method: string, path: string] } = {
${routes.join("\n")}
};
`;
}
