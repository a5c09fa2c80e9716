/** What stands on the timeline of the demo: releases as they came, what is told of each site, and what concerned all of them. */
import { seedOf, uniform } from "../simulator/mod.ts";
import { DAY_MS, dayAt, SEED } from "./history.ts";
import { EVERYWHERE, PORTFOLIO } from "./portfolio.ts";
import type { DemoNote, DemoSite } from "./site.ts";

const WHAT = [
  "Clearer words beside the prices",
  "Pictures load when they are near",
  "The search forgives a wrong letter",
  "Packages are up to date",
  "Forms keep what was typed",
];
/** Releases from this day before on. */
const OLDEST = -118;

/** Every annotation that lies before `now`, the oldest first. */
export function annotationsOf(madeAt: number, now: number): readonly object[] {
  const own = PORTFOLIO.flatMap((site) =>
    [...(site.notes ?? []), ...releasesOf(site)].map((note) => ({
      asset: site.id,
      ...written(note, madeAt),
    })),
  );
  const all = EVERYWHERE.map((note) => ({ asset: "*", ...written(note, madeAt) }));
  return [...own, ...all]
    .filter(({ at }) => Date.parse(at) < now)
    .sort((one, other) => (one.at < other.at ? -1 : 1));
}

function written({ day, at, kind, ref, note }: DemoNote, madeAt: number) {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const moment = dayAt(madeAt, day) * DAY_MS + (hours * 60 + minutes) * 60_000;
  return { at: new Date(moment).toISOString(), kind, ref, ...(note === undefined ? {} : { note }) };
}

function releasesOf(site: DemoSite): readonly DemoNote[] {
  const { releases, reports } = site;
  if (releases === undefined) return [];
  const seed = seedOf(SEED, site.id, "releases");
  const notes: DemoNote[] = [];
  // Not on the days about which something else is told.
  const told = new Set((site.notes ?? []).map(({ day }) => day));
  for (let day = OLDEST, place = 0; day < (reports?.to ?? 0); place++) {
    if (!told.has(day)) {
      notes.push({
        day,
        at: `${8 + Math.floor(9 * uniform(seed, place))}:${10 + Math.floor(49 * uniform(seed, 500 + place))}`,
        kind: "deploy",
        ref: `2026.${place + 1}`,
        note: WHAT[Math.floor(uniform(seed, 900 + place) * WHAT.length)] ?? "",
      });
    }
    day += Math.max(1, Math.round(releases * (0.6 + 0.8 * uniform(seed, 300 + place))));
  }
  return notes;
}
