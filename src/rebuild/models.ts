/** The read models that can be made anew from what is only ever appended to. */
import {
  archiveDifferences,
  insightDifferences,
  mendArchive,
  mendInsights,
  mendTally,
  tallyDifferences,
} from "../archive/mod.ts";
import type { Db, Tx } from "../db/mod.ts";
import { flagDifferences, mendFlags, mendSnoozes, snoozeDifferences } from "../flags/mod.ts";
import { mendMonitoring, monitoringDifferences } from "../monitoring/mod.ts";
import {
  freshnessDifferences,
  mendFreshness,
  mendNames,
  mendReadings,
  nameDifferences,
  readingDifferences,
} from "../pulse/mod.ts";
import { mendSignals, signalDifferences } from "../signals/mod.ts";

/** Something in a read model that is not what it is made of. */
export interface Difference {
  readonly text: string;
}

/** One read model: how it differs from what it is made of, and how to put that right. */
export interface ReadModel<D extends Difference = Difference> {
  readonly name: string;
  /** Reads in short stretches; an undefined between them is where others may work. */
  differences(db: Db): Generator<D | undefined>;
  /** Makes anew what was found to differ. Takes only differences that this model found itself. */
  mend(tx: Tx, found: readonly D[]): void;
}

/** Every read model, in the order in which they build on each other: a snooze belongs to what its flag is about. */
export const READ_MODELS: readonly ReadModel[] = [
  { name: "flags", differences: flagDifferences, mend: mendFlags },
  { name: "snoozes", differences: snoozeDifferences, mend: mendSnoozes },
  { name: "readings", differences: readingDifferences, mend: mendReadings },
  { name: "names", differences: nameDifferences, mend: mendNames },
  { name: "freshness", differences: freshnessDifferences, mend: mendFreshness },
  { name: "signals", differences: signalDifferences, mend: mendSignals },
  { name: "archive", differences: archiveDifferences, mend: mendArchive },
  { name: "archive-counts", differences: tallyDifferences, mend: mendTally },
  { name: "insights", differences: insightDifferences, mend: mendInsights },
  { name: "monitoring", differences: monitoringDifferences, mend: mendMonitoring },
];
