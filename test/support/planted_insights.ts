/** What the archive keeps of a site, as its job writes it: attempts with their standings, and what is kept of each report. */

import { putInsight } from "../../src/archive/insights.ts";
import { recordReport } from "../../src/archive/manifest.ts";
import type { ArchiveNote, ArchiveOutcome, ManifestRow } from "../../src/archive/manifest_row.ts";
import { addDays, dayNumber, startOfDay, type UtcDay } from "../../src/base/time.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { familiesOf, REPORT_FAMILIES, type ReportFamily } from "../../src/providers/report_families.ts";
import type { Tx } from "../../src/store/store.ts";
import { objectNumbered } from "./archived.ts";
import { insightOf, type Planted } from "./make/insights.ts";

export interface PlantedArchive {
  readonly asset: string;
  readonly provider: Provider;
  readonly property: string;
  readonly connectionRevision?: string;
  /** The newest date, and how many there are up to it. */
  readonly newest: UtcDay;
  readonly dates?: number;
  /** The families that are planted; all of the provider when absent. */
  readonly families?: readonly string[];
  /** What is planted of a family. */
  readonly of?: (family: ReportFamily) => Partial<Planted>;
  /** What the attempts at the newest date came to, where they came to nothing. */
  readonly last?: Pick<ManifestRow, "outcome" | "category" | "failureCode" | "nextRetryAt">;
}

const ATTEMPTED_MS = 44_160_000;
/** More dates than are planted of a family. */
const DATES = 100_000;

/** Puts reports of a provider in place, the oldest date first. */
export function plantArchive(tx: Tx, archive: PlantedArchive): void {
  const { asset, provider, property, newest, dates = 8, families, of = () => ({}), last } = archive;
  for (const family of familiesOf(provider)) {
    if (families !== undefined && !families.includes(family.name)) continue;
    for (let back = dates - 1; back >= 0; back--) {
      if (family.everyDays === 7 && back % 7 !== 0) continue;
      const date = addDays(newest, -back);
      const isProvisional = provider === "analytics" && back === 0;
      const attempt = {
        run: 1,
        target: {
          asset,
          provider,
          connectionRevision: archive.connectionRevision ?? "first",
          property,
          family: family.name,
        },
        date: dayNumber(date),
        rangeFrom: family.of === "days28" ? dayNumber(date) - 27 : null,
        attemptedAt: startOfDay(date) + ATTEMPTED_MS,
        tookMs: 300,
        requests: 1,
        category: null,
        failureCode: null,
        nextRetryAt: null,
      };
      if (back === 0 && last !== undefined) {
        recordReport(tx, { ...attempt, ...last, object: null, complete: false, notes: [] });
        continue;
      }
      const insight = insightOf(family, asset, 0, { date, times: 1 + (dates - back) / 40, ...of(family) });
      const outcome: ArchiveOutcome = insight.rows === 0 ? "empty" : "stored";
      const notes: ArchiveNote[] = isProvisional ? [...insight.notes, "provisional"] : [...insight.notes];
      const object = {
        ...objectNumbered((REPORT_FAMILIES.indexOf(family) + 1) * DATES + dayNumber(date)),
        rows: insight.rows,
      };
      const { id, target } = recordReport(tx, { ...attempt, outcome, object, complete: true, notes });
      putInsight(tx, { ...insight, report: id }, target);
    }
  }
}
