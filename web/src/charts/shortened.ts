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
