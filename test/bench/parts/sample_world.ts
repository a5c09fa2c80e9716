/** A world of any size for the simulators. */

import type { SimulatedSite, World } from "../../../src/demo/simulator/world.ts";

const DAY_MS = 86_400_000;
const ZONES = "Europe/Paris America/New_York Asia/Tokyo Australia/Sydney America/Los_Angeles UTC".split(" ");
const FORMS = ["pacific", "utc-with-offset", "utc"] as const;
/** Sites are of all sizes: from a few visitors a day to some thousands. */
const SIZES = [4, 12, 40, 130, 400, 1_300, 4_000];
const WORKING_WEEK = [0.72, 1.08, 1.12, 1.1, 1.08, 1, 0.9];

/** So many sites, each with all three providers, whose history begins `days` before a moment (milliseconds since the epoch). */
export function sampleWorld(sites: number, now: number, days = 400): World {
  const firstDay = Math.floor(now / DAY_MS) - days;
  return { sites: Array.from({ length: sites }, (_, place) => sampleSite(place, firstDay)) };
}

function sampleSite(place: number, firstDay: number): SimulatedSite {
  const name = `site-${place + 1}.example`;
  return {
    name,
    visitsPerDay: SIZES[place % SIZES.length] ?? 1,
    weekday: WORKING_WEEK,
    yearly: 1 + (place % 5) / 10,
    firstDay,
    analytics: {
      property: String(300_000_001 + place),
      timeZone: ZONES[place % ZONES.length] ?? "UTC",
      account: String(100 + Math.floor(place / 50)),
    },
    searchConsole: { property: place % 2 === 0 ? `sc-domain:${name}` : `https://${name}/` },
    webmasterTools: { property: `https://${name}/`, dateForm: FORMS[place % FORMS.length] ?? "utc" },
  };
}
