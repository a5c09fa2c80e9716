/** How numbers and days read in a flag's text. One fixed form for stored text: English, UTC days, no locale of a machine. */

import { startOfDay, type UtcDay } from "../base/time.ts";

export { countText } from "../base/text.ts";
export { dayText } from "../base/time.ts";

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/** `Tuesday`. */
export function weekdayText(day: UtcDay): string {
  return WEEKDAYS[new Date(startOfDay(day)).getUTCDay()] ?? "";
}

/**
 * A probability in two digits, or as many as it takes to lie on its own side of alpha, so that the text never seems to
 * contradict the flag. Below one in a million it says only that.
 */
export function probabilityText(probability: number, alpha: number): string {
  if (probability < 1e-6) return "less than 0.000001";
  for (let digits = 2; digits < 15; digits++) {
    const text = plain(probability, digits);
    if (Number(text) < alpha === probability < alpha) return text;
  }
  return String(probability);
}

function plain(probability: number, digits: number): string {
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(probability)));
  return probability
    .toFixed(Math.min(20, places))
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
}
