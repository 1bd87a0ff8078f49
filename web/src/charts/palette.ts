// Colours and dashes of curves. The colours are in look.css, for light and dark; dashes distinguish
// curves where the colours come round again.
const NUM_COLOURS = 8;
const DASHES = ["", "6 3", "2 3", "9 3 2 3"];

export interface Pen {
  colour: string;
  dash: string;
}

export function pen(index: number): Pen {
  return {
    colour: `var(--curve-${index % NUM_COLOURS})`,
    dash: DASHES[Math.floor(index / NUM_COLOURS) % DASHES.length] as string,
  };
}
