// Numbers for people.

// 12345 -> "12 345", with a space that does not break.
export function count(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

// Two leading digits: a forecast is no better than that. 2134 -> "2 100".
export function roughCount(value: number): string {
  const unit = Math.pow(10, Math.max(0, Math.floor(Math.log10(Math.max(value, 1))) - 1));
  return count(Math.round(value / unit) * unit);
}

export function percent(share: number, digits = 0): string {
  return `${(100 * share).toFixed(digits)}\u202f%`;
}

// An e-value from its logarithm; beyond a million nobody reads the digits.
export function evidence(log: number): string {
  if (log > Math.log(1e6)) return "> 1\u202f000\u202f000";
  const value = Math.exp(log);
  return value < 9.95 ? value.toPrecision(2) : count(value);
}

// On an axis: 0.1, 10, 2k, 1e9.
export function shortNumber(value: number): string {
  if (value >= 1e9) return value.toExponential().replace("+", "").replace(/\.0+e/, "e");
  if (value >= 1e6) return `${+(value / 1e6).toPrecision(3)}M`;
  if (value >= 1e3) return `${+(value / 1e3).toPrecision(3)}k`;
  return `${+value.toPrecision(3)}`;
}
