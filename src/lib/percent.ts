/** A percentage for a sentence: at most one decimal, none when it would be 0. `25` → "25", `8.64` → "8.6". */
export function percentText(percent: number): string {
  const rounded = Math.round(percent * 10) / 10;
  return Number.isInteger(rounded) ? String(rounded) : rounded.toFixed(1);
}
