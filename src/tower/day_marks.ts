/** Today in UTC as the rule under the navigation shows it: when nightly reports were received. Pure. */
import { startOfDay, utcDayOf } from "../lib/utc_day.ts";
import { countOf } from "./format.ts";
import type { DayMark, DayRuleData } from "./shell.ts";

/** Reports this close together share a mark, so that a thousand sites do not draw a thousand. */
const BIN_MS = 5 * 60_000;

/** What arrived today, from when each site was last heard; null while no site ever reported. */
export function dayRuleOf(
  heard: readonly { readonly asset: string; readonly receivedAt: number }[],
  now: number,
): DayRuleData | null {
  if (heard.length === 0) return null;
  const today = startOfDay(utcDayOf(now));
  const times = heard.map(({ receivedAt }) => receivedAt).filter((at) => at >= today && at <= now);
  const bins = new Map<number, number>();
  for (const at of times) {
    const bin = Math.floor((at - today) / BIN_MS);
    bins.set(bin, (bins.get(bin) ?? 0) + 1);
  }
  const marks = [...bins].map(([bin, count]): DayMark => {
    const at = today + bin * BIN_MS;
    return { kind: "received", at, title: `${clock(at)} ${countOf(count, "nightly report")}` };
  });
  return { marks, words: `Today in UTC. ${wordsOf(times)}` };
}

function wordsOf(times: readonly number[]): string {
  if (times.length === 0) return "No nightly report arrived yet.";
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const when = first === last ? `at ${clock(first)}` : `between ${clock(first)} and ${clock(last)}`;
  return `Nightly reports of ${countOf(times.length, "site")} arrived ${when}.`;
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}
