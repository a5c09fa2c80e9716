/** The providers of `bench sense`, in a process of their own: sites of any number whose history is 400 days long. Prints their settings. */

import { join } from "node:path";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import type { SimulatedSite, World } from "../../../src/demo/simulator/world.ts";
import { onCore, started } from "./processes.ts";

const DAY_MS = 86_400_000;
const ZONES = "Europe/Paris America/New_York Asia/Tokyo Australia/Sydney America/Los_Angeles UTC".split(" ");
/** Sites are of all sizes: from a few visitors a day to some thousands. */
const SIZES = [4, 12, 40, 130, 400, 1_300, 4_000];
const WORKING_WEEK = [0.72, 1.08, 1.12, 1.1, 1.08, 1, 0.9];

/** So many sites. Webmaster tools are asked by another job. */
export function senseWorld(sites: number): World {
  const firstDay = Math.floor(Date.now() / DAY_MS) - 400;
  return { sites: Array.from({ length: sites }, (_, place) => senseSite(place, firstDay)) };
}

function senseSite(place: number, firstDay: number): SimulatedSite {
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
  };
}

interface WorldOrder {
  readonly sites: number;
  /** Where the key file goes. */
  readonly keys: string;
  /** How long each answer takes; as short as can be where it is 0. */
  readonly answerMs: number;
}

export async function startProviders(order: WorldOrder) {
  const command = [...onCore(1), process.execPath, import.meta.path, JSON.stringify(order)];
  const { text, end } = await started(command, (said) => said.endsWith("\n"));
  return { settings: JSON.parse(text) as Readonly<Record<string, string>>, end };
}

if (import.meta.main) {
  const { sites, keys, answerMs } = JSON.parse(Bun.argv[2] ?? "") as WorldOrder;
  const simulators = startSimulators({
    now: Date.now,
    seed: 1,
    world: senseWorld(sites),
    keepsConnections: true,
  });
  if (answerMs > 0) simulators.script({ kind: "slow", ms: answerMs }, { times: Number.POSITIVE_INFINITY });
  await Bun.write(join(keys, "google-key.json"), simulators.serviceAccount());
  console.log(JSON.stringify(simulators.settings));
}
