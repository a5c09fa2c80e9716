/** From what is stored to how each target stands. Pure: the same inventory at the same moment always gives the same. */
import { isSameProperty, type PlacedOutcome, type PropertyArchive } from "../archive/mod.ts";
import type { Capability } from "../health/mod.ts";
import { isProvider } from "../provider/contract.ts";
import { MOST_OUTCOMES } from "./caps.ts";
import { type EvidenceOf, evidenceIn } from "./evidence.ts";
import type { Inventory, KnownParts } from "./inventory.ts";
import { Moments } from "./moments.ts";
import { countOutcomes, outcomesStood, type ReportsOf, summed } from "./reports.ts";
import { type SetUp, setUpTargets } from "./set_up.ts";
import { type PauseOf, pausesAt, type Stood, stood } from "./stood.ts";

/** What is projected, and when. */
export interface Projected {
  readonly workspace: string;
  readonly inventory: Inventory;
  /** Every capability that there is, in the order in which they are shown. */
  readonly catalogue: readonly Capability[];
  /** After how many hours a site is silent. */
  readonly silentHoursOf: (asset: string) => number;
  /** Milliseconds since the epoch, like every moment. */
  readonly now: number;
}

/** How everything stands, and until when that holds if nothing is written meanwhile. */
export interface Projection {
  readonly targets: readonly Stood[];
  /** Infinity where nothing changes by itself. */
  readonly until: number;
  /** What each was judged by. */
  readonly evidenceOf: EvidenceOf;
  readonly pauseOf: PauseOf;
}

/** How every target stands, in the order of the catalogue and then by site; the reports of a property are one. */
export function project({ workspace, inventory, catalogue, silentHoursOf, now }: Projected): Projection {
  const { parts } = inventory;
  const moments = new Moments(now);
  const at = { now, moments };
  const evidenceOf = evidenceIn(parts, workspace);
  const pauseOf = pausesAt(parts.pauses, now, moments);
  const targets = setUpTargets(parts, { workspace, catalogue, silentHoursOf, now, moments }).map((setUp) =>
    setUp.capability.ofReports
      ? summed(reportsOf(setUp, parts, { evidenceOf, pauseOf }), at)
      : stood(setUp, evidenceOf(setUp), pauseOf, at),
  );
  return { targets, until: moments.next, evidenceOf, pauseOf };
}

const reportsOf = (
  setUp: SetUp,
  parts: KnownParts,
  { evidenceOf, pauseOf }: Pick<Projection, "evidenceOf" | "pauseOf">,
): ReportsOf => ({ setUp, known: evidenceOf(setUp), archive: archiveOf(setUp, parts), pauseOf });

function archiveOf(
  { asset, capability: { provider }, connectionRevision, property }: SetUp,
  { archive }: KnownParts,
): PropertyArchive | undefined {
  if (!isProvider(provider)) return undefined;
  return archive?.get(asset)?.find((one) => isSameProperty(one, { provider, connectionRevision, property }));
}

/** The reports of one site, each outcome for itself. */
export interface ReportsStood {
  readonly targets: readonly Stood[];
  /** How many more there are. */
  readonly more: number;
  readonly until: number;
}

/** How the reports of a site stand, at most `MOST_OUTCOMES` of a property: failures that last, then the latest. */
export function projectReports(
  { projection, inventory }: { readonly projection: Projection; readonly inventory: Inventory },
  outcomesOf: (archive: PropertyArchive, limit: number) => readonly PlacedOutcome[],
  { asset, now }: { readonly asset: string; readonly now: number },
): ReportsStood {
  const moments = new Moments(now);
  let more = 0;
  const targets = projection.targets.flatMap(({ setUp }) => {
    if (!setUp.capability.ofReports || setUp.asset !== asset) return [];
    const of = reportsOf(setUp, inventory.parts, projection);
    const outcomes = of.archive === undefined ? [] : outcomesOf(of.archive, MOST_OUTCOMES);
    const told = outcomesStood(of, outcomes, { now, moments }).slice(0, MOST_OUTCOMES);
    more += countOutcomes(of.archive) - told.length;
    return told;
  });
  return { targets, more, until: moments.next };
}
