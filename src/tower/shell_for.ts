/** The frame of a page: navigation with the count of open flags, the day's reports, the notice after an act, and warnings. */

import type { Actor } from "../access/access.ts";
import type { Clock } from "../base/base.ts";
import { countWords as countOf } from "../base/text.ts";
import { startOfDay, utcDayOf } from "../base/time.ts";
import { openIn } from "../flags/inbox.ts";
import { countMonitoringFailures } from "../health/monitoring.ts";
import type { Db } from "../store/store.ts";
import {
  cookieOf,
  type DayMark,
  type DayRuleData,
  NAV,
  type PageAssets,
  type Shell,
  takeNotice,
  themeOf,
  zoneOf,
} from "./keyboard.tsx";
import { flagTally, lastHeard, momentOf } from "./kit/route.ts";
import { isUnsafe } from "./session.ts";

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

/** The name of the theme's cookie. */
export const THEME_COOKIE = "theme";

/** The name of the cookie in which a script keeps the browser's time zone (`public/tower.js`). */
const ZONE_COOKIE = "zone";

/** The name of the cookie in which a script keeps when the visit before this one ended, and when it was here last. */
const VISIT_COOKIE = "visit";

function lastVisitOf(text: string | undefined, now: number): number | undefined {
  const at = Number(/^(\d{13})\.\d{13}$/.exec(text ?? "")?.[1]);
  return at < now ? at : undefined;
}

/** What cannot be read must not take the pages away, System health least of all. */
function unwatchedCount(db: Db): number | "unknown" {
  try {
    return countMonitoringFailures(db)
      .values()
      .reduce((sum, failures) => sum + failures, 0);
  } catch {
    return "unknown";
  }
}

/** Makes the shell of a page from the request: theme, place, notice and the count of open flags. */
export function shellMaker(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly assets: PageAssets;
  readonly version: string;
  readonly isSample: boolean;
  /** What the operator must know about the service itself. */
  readonly warnings?: () => readonly string[];
}): (request: Request, actor: Actor | null) => Shell {
  return (request, actor) => {
    const url = new URL(request.url);
    const now = momentOf(request, deps.clock);
    const open = actor === null ? 0 : openIn(flagTally(request, deps.db, now));
    return {
      assets: deps.assets,
      theme: themeOf(cookieOf(request, THEME_COOKIE)),
      zone: zoneOf(cookieOf(request, ZONE_COOKIE)),
      lastVisit: lastVisitOf(cookieOf(request, VISIT_COOKIE), now),
      nav: NAV.map((item) => (item.id === "flags" ? { ...item, count: open } : item)),
      operator: actor?.name ?? null,
      version: deps.version,
      isSample: deps.isSample,
      here: `${url.pathname}${url.search}`,
      dayRule: actor === null ? null : dayRuleOf(lastHeard(request, deps.db, now), now),
      answersForm: isUnsafe(request.method),
      notice: takeNotice(request),
      unwatched: actor === null ? null : unwatchedCount(deps.db),
      warnings: actor === null ? [] : (deps.warnings?.() ?? []),
    };
  };
}
