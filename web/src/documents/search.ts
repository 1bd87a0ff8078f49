// Finds sections of the documents by words: every word has to occur, at the beginning of a word in the
// text. Titles count most, then whole words.
export type Section = [address: string, document: string, title: string, text: string];

export interface Hit {
  address: string;
  document: string;
  title: string;
  excerpt: string;
  score: number;
}

const EXCERPT = 110;

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_-]+/u)
    .filter((word) => word !== "");

function scoreOf(word: string, [, document, title, text]: Section): number {
  const times = (where: string, whole: number, beginning: number) => {
    let most = 0;
    for (const one of wordsOf(where)) {
      if (one === word) return whole;
      if (one.startsWith(word)) most = beginning;
    }
    return most;
  };
  return times(title, 12, 8) + times(document, 6, 4) + times(text, 3, 1);
}

function excerptOf(text: string, word: string): string {
  const at = text.toLowerCase().indexOf(word);
  const begin = at < EXCERPT / 2 ? 0 : text.lastIndexOf(" ", at - EXCERPT / 3) + 1;
  const part = text.slice(begin, begin + EXCERPT);
  return `${begin > 0 ? "… " : ""}${part}${begin + EXCERPT < text.length ? " …" : ""}`;
}

export function found(sections: Section[], wanted: string): Hit[] {
  const words = wordsOf(wanted);
  if (words.length === 0) return [];
  const hits: Hit[] = [];
  for (const section of sections) {
    const scores = words.map((word) => scoreOf(word, section));
    if (scores.some((score) => score === 0)) continue;
    const [address, document, title, text] = section;
    hits.push({
      address,
      document,
      title,
      excerpt: excerptOf(text, words[0]!),
      score: scores.reduce((sum, one) => sum + one, 0),
    });
  }
  return hits.sort((a, b) => b.score - a.score);
}
