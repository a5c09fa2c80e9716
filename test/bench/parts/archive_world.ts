/** The providers of `bench archive`: sites of all sizes, in a process of their own. Prints their settings and where the key files are. */

import { join } from "node:path";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import type { SimulatedSite, World } from "../../../src/demo/simulator/world.ts";
import { onCore, started } from "./processes.ts";

/** Sizes of sites: up to which in a hundred of them has about so many rows in a report of its pages. */
const SIZES: readonly (readonly [upTo: number, rows: number])[] = [
  [45, 10],
  [78, 100],
  [94, 1_000],
  [99, 5_000],
  [100, 25_000],
];
/** Every event of every page is a row of its own: this many pages make just below 250,000. */
const LARGEST = 31_000;

/** A site that has so many pages and queries, and people for all of them. */
function sizedSite(name: string, place: number, pages: number, firstDay: number): SimulatedSite {
  return {
    name,
    visitsPerDay: 20 + pages * 40,
    firstDay,
    analytics: {
      property: String(300_000_001 + place),
      timeZone: "Europe/Paris",
      pages,
      customDimensions: ["error_message", "error_source"],
    },
    searchConsole: {
      property: `sc-domain:${name}`,
      pages: Math.min(pages, 25_000),
      queries: Math.min(pages, 25_000),
      appearances: ["AMP_BLUE_LINK"],
    },
    webmasterTools: { property: `https://${name}/` },
  };
}

/** So many sites of all sizes, the last of them the largest. */
export function archiveWorld(sites: number, now: number): World {
  const firstDay = Math.floor(now / 86_400_000) - 60;
  return {
    sites: Array.from({ length: sites }, (_, place) => {
      const name = `site-${place + 1}.example`;
      const share = (place / sites) * 100;
      const [, rows] = SIZES.find(([upTo]) => share < upTo) ?? [0, LARGEST];
      return sizedSite(name, place, place === sites - 1 ? LARGEST : rows, firstDay);
    }),
  };
}

/** What is to be simulated, and where the key files go. */
interface WorldOrder {
  readonly sites: number;
  readonly keys: string;
}

/** Starts them on the other core, behind the probe: real ones are elsewhere and take nobody's turn. */
export async function startProviders(order: WorldOrder) {
  const behind = Bun.which("nice") === null ? [] : ["nice", "-n", "10"];
  const command = [...behind, ...onCore(1), process.execPath, import.meta.path, JSON.stringify(order)];
  const { text, end } = await started(command, (said) => said.endsWith("\n"));
  return { settings: JSON.parse(text) as Readonly<Record<string, string>>, end };
}

if (import.meta.main) {
  const order = JSON.parse(Bun.argv[2] ?? "") as WorldOrder;
  const simulators = startSimulators({
    now: Date.now,
    seed: 1,
    world: archiveWorld(order.sites, Date.now()),
    keepsConnections: true,
  });
  await Bun.write(join(order.keys, "google-key.json"), simulators.serviceAccount());
  await Bun.write(join(order.keys, "webmaster-key.txt"), `${simulators.webmasterKey()}\n`);
  console.log(JSON.stringify(simulators.settings));
}
