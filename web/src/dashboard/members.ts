// The names of a panel's members. The server keeps only keyed hashes of them, so the browser in which they
// were written remembers them for the links that are made later.

export const MOST_MEMBERS = 100_000;
export const FEWEST_FOR_EARLY = 25;

// One per line, or separated by commas. A name counts once.
export function namesOf(text: string): string[] {
  const names = text
    .split(/[\n,;]/)
    .map((one) => one.trim())
    .filter(Boolean);
  return [...new Set(names)];
}

const keyOf = (id: string): string => `duel.members.${id}`;

export function rememberMembers(id: string, names: string[]): void {
  try {
    localStorage.setItem(keyOf(id), names.join("\n"));
  } catch {
    // They have to be written again.
  }
}

export function rememberedMembers(id: string): string[] {
  try {
    return namesOf(localStorage.getItem(keyOf(id)) ?? "");
  } catch {
    return [];
  }
}
