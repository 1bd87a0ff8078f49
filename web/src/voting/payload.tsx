// Shows an arm or a task to the voter: text, a picture, a link, or its JSON.
import type { Json } from "../api/types";
import { Markdown, safeLink, safePicture } from "./markdown";

export interface Shown {
  title?: string;
  text?: string;
  picture?: string;
  link?: string;
  rest?: Json; // what is none of these
}

const TEXTS = ["text", "markdown", "prompt", "output", "answer", "content", "body"];
const PICTURES = ["image", "image_url", "picture", "img"];
const LINKS = ["url", "link", "href"];
const TITLES = ["title", "label"];

// Which part of a payload is what. A bare text that is the address of a picture is a picture.
export function shownOf(payload: Json): Shown {
  if (payload === null) return {};
  if (typeof payload === "string") {
    if (
      safePicture(payload) &&
      (payload.startsWith("data:") || /\.(png|jpe?g|gif|webp|avif|svg)(\?|$)/i.test(payload))
    )
      return { picture: payload };
    return safeLink(payload) ? { link: payload } : { text: payload };
  }
  if (typeof payload !== "object" || Array.isArray(payload)) return { rest: payload };
  const shown: Shown = {};
  const rest: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(payload)) {
    const word = typeof value === "string" ? value : null;
    if (word !== null && shown.text === undefined && TEXTS.includes(name)) shown.text = word;
    else if (word !== null && shown.title === undefined && TITLES.includes(name))
      shown.title = word;
    else if (
      word !== null &&
      shown.picture === undefined &&
      PICTURES.includes(name) &&
      safePicture(word)
    )
      shown.picture = word;
    else if (word !== null && shown.link === undefined && LINKS.includes(name) && safeLink(word))
      shown.link = word;
    else rest[name] = value;
  }
  if (Object.keys(rest).length > 0) shown.rest = rest;
  return shown;
}

export function Payload({ payload, otherwise }: { payload: Json; otherwise: string }) {
  const { title, text, picture, link, rest } = shownOf(payload);
  const nothing = !title && !text && !picture && !link && rest === undefined;
  return (
    <>
      {title && <h3>{title}</h3>}
      {picture && <img src={safePicture(picture) ?? ""} alt="" referrerpolicy="no-referrer" />}
      {text && <Markdown text={text} />}
      {link && (
        <p>
          <a href={safeLink(link) ?? ""} target="_blank" rel="noopener noreferrer nofollow">
            {link}
          </a>
        </p>
      )}
      {rest !== undefined && <pre class="json">{JSON.stringify(rest, null, 2)}</pre>}
      {nothing && <p class="bare">{otherwise}</p>}
    </>
  );
}
