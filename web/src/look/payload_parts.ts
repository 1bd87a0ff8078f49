// What of a payload is a title, a text, a picture or a link. The voting page shows these, and the
// dashboard names arms by them.
import type { Json } from "../api/types";

// How a text is laid out: as it is, in a font of equal widths, or by its Markdown.
export type TextFormat = "text" | "code" | "markdown";

export interface PayloadParts {
  title?: string;
  text?: string;
  format?: TextFormat; // where there is a text that is not shown as it is
  picture?: string;
  link?: string;
  rest?: Json; // what is none of these
}

const TEXTS = ["text", "markdown", "prompt", "output", "answer", "content", "body"];
const PICTURES = ["image", "image_url", "picture", "img"];
const LINKS = ["url", "link", "href"];
const TITLES = ["title", "label", "name"];
const FORMATS: readonly string[] = ["text", "code", "markdown"];

// Where a link of a stranger may lead.
export function safeLink(address: string): string | null {
  return /^(https?:\/\/|mailto:)[^\s]+$/i.test(address.trim()) ? address.trim() : null;
}

// What may be loaded as a picture; the page's policy allows nothing else either. SVG is among it
// because it stands in an <img>, where a browser runs no script of it and loads nothing for it.
export function safePicture(address: string): string | null {
  const text = address.trim();
  if (/^https:\/\/[^\s]+$/i.test(text)) return text;
  if (/^data:image\/(png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/.test(text)) return text;
  return /^data:image\/svg\+xml(;[\w=-]+)*,[^\u0000-\u001f\u007f]+$/i.test(text) ? text : null;
}

function isPicture(text: string): boolean {
  if (!safePicture(text)) return false;
  return text.trim().startsWith("data:") || /\.(png|jpe?g|gif|webp|avif|svg)(\?|$)/i.test(text);
}

// A bare text that is the address of a picture is a picture.
export function partsOf(payload: Json): PayloadParts {
  if (payload === null) return {};
  if (typeof payload === "string") {
    if (isPicture(payload)) return { picture: payload };
    return safeLink(payload) ? { link: payload } : { text: payload };
  }
  if (typeof payload !== "object" || Array.isArray(payload)) return { rest: payload };
  const parts: PayloadParts = {};
  const rest: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(payload)) {
    const word = typeof value === "string" ? value : null;
    if (word !== null && parts.text === undefined && TEXTS.includes(name)) {
      parts.text = word;
      if (name === "markdown") parts.format ??= "markdown";
    } else if (word !== null && parts.title === undefined && TITLES.includes(name)) {
      parts.title = word;
    } else if (
      word !== null &&
      parts.picture === undefined &&
      PICTURES.includes(name) &&
      safePicture(word)
    ) {
      parts.picture = word;
    } else if (
      word !== null &&
      parts.link === undefined &&
      LINKS.includes(name) &&
      safeLink(word)
    ) {
      parts.link = word;
    } else if (name === "format" && word !== null && FORMATS.includes(word)) {
      parts.format = word as TextFormat;
    } else {
      rest[name] = value;
    }
  }
  if (parts.text === undefined || parts.format === "text") delete parts.format;
  if (Object.keys(rest).length > 0) parts.rest = rest;
  return parts;
}
