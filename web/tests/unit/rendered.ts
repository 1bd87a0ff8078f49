// What a component says: the text of its elements, those of its own components as well. For components
// without hooks, so that no document is needed.
import type { ComponentChildren, VNode } from "preact";

const isVNode = (node: unknown): node is VNode<{ children?: ComponentChildren }> =>
  typeof node === "object" && node !== null && "type" in node && "props" in node;

export function textOf(node: ComponentChildren): string {
  if (Array.isArray(node)) return node.map(textOf).join("");
  if (typeof node === "string" || typeof node === "number") return String(node);
  if (!isVNode(node)) return "";
  const { type, props } = node;
  if (typeof type === "function")
    return textOf((type as (props: object) => ComponentChildren)(props));
  const text = textOf(props.children);
  return ["td", "th", "tr", "p"].includes(type) ? `${text}|` : text;
}
