// Names that share their beginning must not look alike: the middle goes, both ends stay.
export function shortened(name: string, most: number): string {
  const letters = [...name];
  if (letters.length <= most) return name;
  const end = Math.floor((most - 1) / 2);
  return [
    ...letters.slice(0, most - 1 - end),
    "\u2026",
    ...letters.slice(letters.length - end),
  ].join("");
}

function sharedLength(names: string[][]): number {
  const [first = []] = names;
  let shared = 0;
  while (shared < first.length && names.every((name) => name[shared] === first[shared])) ++shared;
  return shared;
}

const WORD = /[\p{L}\p{N}]/u;
const MOST_KEPT = 6;

// What is left of each name without the words with which all of them begin or end: of "Slogan number
// 14: buy more" that is "…14…". For places too narrow for the names themselves.
export function toldApart(names: string[]): string[] {
  if (names.length < 2) return names;
  const all = names.map((name) => [...name]);
  let head = sharedLength(all);
  while (
    head > 0 &&
    all.some((name) => WORD.test(name[head] ?? "") && WORD.test(name[head - 1] ?? ""))
  )
    --head;
  const backwards = all.map((name) => name.slice(head).reverse());
  let tail = sharedLength(backwards);
  while (
    tail > 0 &&
    backwards.some((name) => WORD.test(name[tail] ?? "") && WORD.test(name[tail - 1] ?? ""))
  )
    --tail;
  return all.map((name) => {
    const rest = name.slice(
      head > MOST_KEPT ? head : 0,
      tail > MOST_KEPT ? name.length - tail : undefined,
    );
    const text = rest.join("");
    // One of them may be no more than what all share.
    if (!WORD.test(text)) return name.join("");
    return `${head > MOST_KEPT ? "\u2026" : ""}${text}${tail > MOST_KEPT ? "\u2026" : ""}`;
  });
}
