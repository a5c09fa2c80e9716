import { FIRST_DAY } from "./portfolio_story.ts";

const DAY_MS = 86_400_000;

/** The day of the story an instant lies on. */
export function dayNumberOf(instant: string | null | undefined): number {
  return Math.floor((Date.parse(instant ?? "") - Date.parse(`${FIRST_DAY}T00:00:00Z`)) / DAY_MS);
}
