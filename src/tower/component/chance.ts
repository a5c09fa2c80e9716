const DIGITS_MAX = 12;

/** A probability in three digits, or as many as keep it on its own side of alpha; below one in a million only that. */
export function formatChance(probability: number, alpha?: number): string {
  if (probability < 1e-6) return "less than 0.000001";
  // No rule makes one; rounded, the largest numbers would be said to be endless.
  if (probability > 1) return "more than 1";
  for (let digits = 3; digits < DIGITS_MAX; digits++) {
    const rounded = Number(probability.toPrecision(digits));
    if (alpha === undefined || rounded < alpha === probability < alpha) return String(rounded);
  }
  return String(probability);
}
