// Markdown as elements, never as HTML. markdown-it finds the structure; the elements are made here,
// from a list of those that may be: there is no way for a text to become a script. HTML in a text is
// shown as text, and a link or a picture that may not be followed as it was written.
import MarkdownIt from "markdown-it";
import type { ComponentChildren } from "preact";
import { h } from "preact";
import { safeLink, safePicture } from "../look/payload_parts";
import { Picture } from "./pictures";

// `validateLink`: what is allowed is decided below, where the text as it was written is at hand.
const reader = new MarkdownIt({ html: false, linkify: false, breaks: true });
reader.validateLink = () => true;
type Token = ReturnType<typeof reader.parse>[number];

// A text that takes a browser long to take apart is shown as it is.
const LONGEST = 100_000;

const SAME_AS_TAG = new Set([
  "paragraph",
  "bullet_list",
  "list_item",
  "blockquote",
  "table",
  "thead",
  "tbody",
  "tr",
  "strong",
  "em",
  "s",
]);

interface Open {
  token: Token | null;
  children: ComponentChildren[];
}

function closed({ token, children }: Open): ComponentChildren {
  if (!token) return children;
  const kind = token.type.replace(/_open$/, "");
  if (kind === "paragraph" && token.hidden) return children; // of a list whose items stand close
  if (SAME_AS_TAG.has(kind)) return h(token.tag, null, children);
  switch (kind) {
    case "heading":
      // Below the page's own headings.
      return h(`h${Math.min(6, Number(token.tag.slice(1)) + 2)}`, null, children);
    case "ordered_list":
      return <ol start={Number(token.attrGet("start") ?? 1)}>{children}</ol>;
    case "th":
    case "td": {
      const align = /text-align:(\w+)/.exec(token.attrGet("style") ?? "")?.[1];
      return h(kind, align ? { class: align } : null, children);
    }
    case "link": {
      const address = safeLink(token.attrGet("href") ?? "");
      return address ? (
        <a href={address} target="_blank" rel="noopener noreferrer nofollow">
          {children}
        </a>
      ) : (
        ["[", children, `](${token.attrGet("href") ?? ""})`]
      );
    }
    default:
      return children;
  }
}

function lone(token: Token): ComponentChildren {
  switch (token.type) {
    case "inline":
      return elementsOf(token.children ?? []);
    case "code_inline":
      return <code>{token.content}</code>;
    case "fence":
    case "code_block":
      return (
        <pre>
          <code>{token.content.replace(/\n$/, "")}</code>
        </pre>
      );
    case "hr":
      return <hr />;
    case "softbreak":
    case "hardbreak":
      return <br />;
    case "image": {
      const source = token.attrGet("src") ?? "";
      const address = safePicture(source);
      if (address) return <Picture source={address} alt={token.content} />;
      return `![${token.content}](${source})`;
    }
    default:
      return token.content;
  }
}

// markdown-it gives a flat list in which elements open and close.
function elementsOf(tokens: Token[]): ComponentChildren[] {
  const open: Open[] = [{ token: null, children: [] }];
  for (const token of tokens) {
    const innermost = open[open.length - 1] as Open;
    if (token.nesting === 1) {
      open.push({ token, children: [] });
    } else if (token.nesting === -1 && open.length > 1) {
      open.pop();
      (open[open.length - 1] as Open).children.push(closed(innermost));
    } else {
      innermost.children.push(lone(token));
    }
  }
  return open.flatMap((one) => one.children);
}

export function blocks(text: string): ComponentChildren[] {
  if (text.length > LONGEST) return [<p class="as-written">{text}</p>];
  return elementsOf(reader.parse(text, {}));
}

export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocks(text)}</div>;
}
