// Colours and dashes of curves. The hues are those of Okabe and Ito, which stay apart for all common
// kinds of colour blindness; dashes tell curves apart where colours come round again.
const HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a6a00", "#8a4fbf"];
const DASHES = ["", "6 3", "2 3", "9 3 2 3"];

export interface Pen {
  colour: string;
  dash: string;
}

export function pen(index: number): Pen {
  return {
    colour: HUES[index % HUES.length] as string,
    dash: DASHES[Math.floor(index / HUES.length) % DASHES.length] as string,
  };
}

// How strongly a win rate colours its cell: nothing at one half, all at 0 and 1.
export function strength(rate: number): number {
  return Math.min(1, Math.abs(rate - 0.5) * 2);
}
