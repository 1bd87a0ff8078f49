// Shows an arm or a task to the voter: text, a picture, a link, or its JSON.
import type { Json } from "../api/types";
import { partsOf, safeLink, safePicture } from "../look/payload_parts";
import { Markdown } from "./markdown";
import { Picture } from "./pictures";

// What is shown side by side is laid out alike: a font or a margin that only one of the two has would
// be compared with them.
export interface Layout {
  centred: boolean; // both are short
  even: boolean; // one of them has columns, so both are in a font of equal widths
}

const LONGEST_SHORT = 120;

const lines = (text: string): string[] => text.split(/\r?\n/);

// Indented code, a table drawn with bars, or columns apart by tabs or several spaces.
function hasColumns(text: string): boolean {
  const apart = /^(?: {2,}|\t)\S|\S(?:\t| {3,})\S|^\s*\|.*\|\s*$|[\u2500-\u257f]/;
  return lines(text).filter((line) => apart.test(line)).length >= 2;
}

export function layoutOf(payloads: Json[]): Layout {
  const all = payloads.map(partsOf);
  return {
    centred: all.every(
      ({ text, format, rest }) =>
        rest === undefined &&
        format === undefined &&
        (text ?? "").length <= LONGEST_SHORT &&
        lines(text ?? "").length <= 3,
    ),
    even: all.some(
      ({ text, format }) =>
        format === "code" || (!format && text !== undefined && hasColumns(text)),
    ),
  };
}

function Words({ text, format }: { text: string; format: string | undefined }) {
  if (format === "markdown") return <Markdown text={text} />;
  return <p class="as-written">{text}</p>;
}

// `otherwise` stands where the payload says nothing.
export function Payload({ payload, otherwise }: { payload: Json; otherwise: string }) {
  const { title, text, format, picture, link, rest } = partsOf(payload);
  const nothing = !title && !text && !picture && !link && rest === undefined;
  return (
    <>
      {title && <h3>{title}</h3>}
      {picture && <Picture source={safePicture(picture) ?? ""} alt="" />}
      {text && <Words text={text} format={format} />}
      {link && (
        <p>
          <a href={safeLink(link) ?? ""} target="_blank" rel="noopener noreferrer nofollow">
            {link}
          </a>
        </p>
      )}
      {rest !== undefined && <pre class="json">{JSON.stringify(rest, null, 2)}</pre>}
      {nothing && <p class="as-written">{otherwise}</p>}
    </>
  );
}
