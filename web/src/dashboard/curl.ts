// What a button does, as a command to paste into a shell.

function quoted(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}

export function curlOf(
  origin: string,
  method: string,
  path: string,
  body?: unknown,
  withToken = false,
  headers: Record<string, string> = {},
): string {
  const parts = ["curl"];
  if (method !== "GET") parts.push("-X", method);
  parts.push(/^[\w:/.-]+$/.test(origin + path) ? origin + path : quoted(origin + path));
  if (withToken) parts.push("-H", '"Authorization: Bearer $DUEL_TOKEN"');
  for (const [name, value] of Object.entries(headers))
    parts.push("-H", quoted(`${name}: ${value}`));
  if (body !== undefined)
    parts.push("-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body)));
  return parts.join(" ");
}
