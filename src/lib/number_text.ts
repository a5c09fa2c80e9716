/** Numbers in stored text and in sentences: English, no locale of a machine. */

/** `1,204`; at most two decimals, and none that say nothing: 6.75, 6.5, 6. */
export function countText(count: number): string {
  return fixedText(count, 2);
}

/**
 * An expectation as a person says it: 75 for 74.96, 6.8 for 6.75, 0.4 for 0.38, 0.04 for 0.041. Only what is exactly 0 is said to
 * be 0.
 */
export function expectedText(expected: number): string {
  const size = Math.abs(expected);
  if (size >= 10) return fixedText(expected, 0);
  if (size >= 1 || size === 0) return fixedText(expected, 1);
  // The first digit that is not 0, written out: 1e-7 is no number that a person reads.
  return size < 1e-6 ? "less than 0.000001" : fixedText(expected, Math.ceil(-Math.log10(size)));
}

/** With separators between thousands, and no decimals at the end that say nothing. */
function fixedText(value: number, decimals: number): string {
  const [whole = "", rest = ""] = value.toFixed(decimals).split(".");
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
  const kept = rest.replace(/0+$/, "");
  return kept === "" ? grouped : `${grouped}.${kept}`;
}
