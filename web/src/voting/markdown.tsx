// Markdown as elements, never as HTML: there is no way for a text to become a script. Knows headings,
// paragraphs, lists, quotations, code, emphasis, links and pictures; the rest is shown as it is.
import type { ComponentChildren, VNode } from "preact";

// Where a link of a stranger may lead.
export function safeLink(address: string): string | null {
  return /^(https?:\/\/|mailto:)[^\s]+$/i.test(address.trim()) ? address.trim() : null;
}

// What may be loaded as a picture; the page's policy allows nothing else either.
export function safePicture(address: string): string | null {
  const text = address.trim();
  if (/^https:\/\/[^\s]+$/i.test(text)) return text;
  return /^data:image\/(png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/.test(text) ? text : null;
}

const INLINE =
  /(`+)([\s\S]+?)\1|!\[([^\]]*)\]\(([^()\s]+(?:\([^()\s]*\))?[^()\s]*)\)|\[([^\]]+)\]\(([^()\s]+(?:\([^()\s]*\))?[^()\s]*)\)|(\*\*|__)(?=\S)([\s\S]+?\S|\S)\7|([*_])(?=\S)([\s\S]+?\S|\S)\9|<(https?:\/\/[^\s<>]+)>/;

export function inline(text: string, depth = 0): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let rest = text;
  while (rest) {
    const found = depth < 8 ? INLINE.exec(rest) : null;
    if (!found) {
      parts.push(rest);
      break;
    }
    if (found.index > 0) parts.push(rest.slice(0, found.index));
    parts.push(element(found, depth));
    rest = rest.slice(found.index + found[0].length);
  }
  return parts;
}

function element(found: RegExpExecArray, depth: number): ComponentChildren {
  const [whole, , code, alt, source, label, target, , strong, , emphasis, plain] = found;
  if (code !== undefined) return <code>{code.trim()}</code>;
  if (source !== undefined) {
    const address = safePicture(source);
    return address ? <img src={address} alt={alt ?? ""} referrerpolicy="no-referrer" /> : whole;
  }
  if (target !== undefined) return link(target, inline(label ?? "", depth + 1), whole);
  if (strong !== undefined) return <strong>{inline(strong, depth + 1)}</strong>;
  if (emphasis !== undefined) return <em>{inline(emphasis, depth + 1)}</em>;
  return link(plain ?? "", plain, whole);
}

function link(target: string, label: ComponentChildren, otherwise: string): ComponentChildren {
  const address = safeLink(target);
  if (!address) return otherwise;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {label}
    </a>
  );
}

type Block = VNode;

export function blocks(text: string, depth = 0): Block[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const found: Block[] = [];
  let at = 0;
  const gather = (belongs: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    while (at < lines.length && belongs(lines[at] as string)) taken.push(lines[at++] as string);
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at] as string;
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    const fence = /^\s*(```+|~~~+)/.exec(line);
    if (!line.trim()) {
      at += 1;
    } else if (fence) {
      at += 1;
      const mark = fence[1] as string;
      const code = gather((one) => !one.trim().startsWith(mark));
      at += 1;
      found.push(
        <pre>
          <code>{code.join("\n")}</code>
        </pre>,
      );
    } else if (heading) {
      at += 1;
      // Below the page's own headings.
      const level = Math.min(6, (heading[1] as string).length + 2);
      const Tag = `h${level}` as "h3";
      found.push(<Tag>{inline(heading[2] as string)}</Tag>);
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      at += 1;
      found.push(<hr />);
    } else if (/^\s*>/.test(line) && depth < 6) {
      const inner = gather((one) => /^\s*>/.test(one)).map((one) => one.replace(/^\s*> ?/, ""));
      found.push(<blockquote>{blocks(inner.join("\n"), depth + 1)}</blockquote>);
    } else if (/^\s*([-*+]|\d{1,9}[.)])\s+/.test(line)) {
      const numbered = /^\s*\d/.test(line);
      const items = gather(
        (one) => /^\s*([-*+]|\d{1,9}[.)])\s+/.test(one) || /^\s{2,}\S/.test(one),
      );
      const texts: string[] = [];
      for (const item of items) {
        const start = /^\s*([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(item);
        if (start) texts.push(start[2] as string);
        else texts[texts.length - 1] += "\n" + item.trim();
      }
      const list = texts.map((one) => <li>{inline(one)}</li>);
      found.push(numbered ? <ol>{list}</ol> : <ul>{list}</ul>);
    } else {
      const paragraph = [line];
      at += 1;
      paragraph.push(
        ...gather(
          (one) => !!one.trim() && !/^(#{1,6}\s|\s*(```|~~~|>|[-*+]\s|\d{1,9}[.)]\s))/.test(one),
        ),
      );
      found.push(<p>{inline(paragraph.join("\n"))}</p>);
    }
  }
  return found;
}

export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocks(text)}</div>;
}
