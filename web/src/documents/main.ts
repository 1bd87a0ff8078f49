// What a page of the documents does besides being read: it searches, folds its contents on a narrow
// screen, and copies code.
import "./documents.css";
import { found, type Section } from "./search";

declare global {
  interface Window {
    duelDocuments: (sections: Section[]) => void;
  }
}

const MOST_SHOWN = 12;
const field = document.querySelector<HTMLInputElement>("#find");
const list = document.querySelector<HTMLOListElement>("#found");
const place = document.querySelector<HTMLElement>(".find");
let sections: Section[] | null = null;
let isAsked = false;

// The index is loaded when somebody begins to search.
function loadIndex(): void {
  if (isAsked || !place?.dataset["index"]) return;
  isAsked = true;
  window.duelDocuments = (loaded) => {
    sections = loaded;
    show();
  };
  const script = document.createElement("script");
  script.src = place.dataset["index"];
  document.head.append(script);
}

function show(): void {
  if (!field || !list) return;
  const wanted = field.value.trim();
  list.replaceChildren();
  list.hidden = wanted === "" || !sections;
  if (list.hidden || !sections) return;
  const hits = found(sections, wanted).slice(0, MOST_SHOWN);
  for (const { address, document: from, title, excerpt } of hits) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = address;
    const name = document.createElement("strong");
    name.textContent = title;
    const more = document.createElement("span");
    more.textContent = title === from ? excerpt : `${from}: ${excerpt}`;
    link.append(name, more);
    item.append(link);
    list.append(item);
  }
  if (hits.length > 0) return;
  const none = document.createElement("li");
  none.textContent = "Nothing found";
  none.className = "none";
  list.append(none);
}

field?.addEventListener("focus", loadIndex);
field?.addEventListener("input", () => {
  loadIndex();
  show();
});
// Down and up go through what was found; Escape ends the search; "/" begins it.
document.addEventListener("keydown", (event) => {
  if (!field || !list) return;
  const at = document.activeElement;
  const isTyping = at instanceof HTMLInputElement;
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.focus();
    return;
  }
  const links = [...list.querySelectorAll("a")];
  const here = links.indexOf(at as HTMLAnchorElement);
  if (at !== field && here < 0) return;
  if (event.key === "Escape") {
    field.value = "";
    show();
    field.focus();
  } else if (event.key === "ArrowDown") {
    event.preventDefault();
    (links[here + 1] ?? links[0])?.focus();
  } else if (event.key === "ArrowUp") {
    event.preventDefault();
    (here > 0 ? links[here - 1] : field)?.focus();
  } else if (event.key === "Enter" && at === field) {
    links[0]?.click();
  }
});
document.addEventListener("click", (event) => {
  if (list && place && !place.contains(event.target as Node)) list.hidden = true;
});

// On a narrow screen the contents are folded until somebody wants them.
const contents = document.querySelector<HTMLDetailsElement>(".contents");
const narrow = matchMedia("(max-width: 60rem)");
const fold = () => {
  if (contents) contents.open = !narrow.matches;
};
fold();
narrow.addEventListener("change", fold);

// The experiments are beside the documents where a server of Duel shows both.
const app = document.querySelector<HTMLAnchorElement>("#app");
if (app && location.protocol.startsWith("http") && location.pathname.startsWith("/docs/"))
  app.hidden = false;

for (const block of document.querySelectorAll("main pre")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => {
    const lines = (block.querySelector("code")?.textContent ?? "").split("\n");
    // Of a session in a terminal the commands without their answers.
    const commands = lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
    void navigator.clipboard
      .writeText((commands.length > 0 ? commands : lines).join("\n"))
      .then(() => {
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), 2000);
      });
  });
  const holder = document.createElement("div");
  holder.className = "code";
  block.replaceWith(holder);
  holder.append(block, button);
}
