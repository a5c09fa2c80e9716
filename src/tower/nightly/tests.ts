/** What the rules say of the figures that are shown. */
import type { Db } from "../../db/mod.ts";
import { SERIES_SOURCES } from "../../flags/mod.ts";
import { listVerdicts, type MetricVerdict, type StoredVerdict } from "../../flow/mod.ts";
import { isFreshnessMetric } from "../../freshness/mod.ts";
import { SENT } from "../../rules/mod.ts";
import { daysMoved } from "../shown_days.ts";
import { type LaneKey, laneKey } from "../site_days/flags.ts";
import { type Lane, lanesOf, type SiteDays } from "../site_days/lane.ts";
import { CODE } from "../site_days/named.ts";
import type { SentFigures } from "./overview.ts";
import { signalWords, type VerdictWords, verdictWords } from "./verdict.ts";

/** How one figure was judged. */
export interface FigureTest {
  readonly words: VerdictWords;
  /** The stored verdict whole, for the page of one metric. */
  readonly judged: MetricVerdict | undefined;
}

/** The verdict of each of these figures; those of the code are judged report by report. */
export function readTests(
  db: Db,
  site: Pick<SiteDays, "asset" | "offset" | "groups">,
  of: { readonly figures: SentFigures; readonly isService: boolean },
): ReadonlyMap<LaneKey, FigureTest> {
  const { asset, offset } = site;
  const lanes = lanesOf(site);
  const stored = new Map(
    SERIES_SOURCES.flatMap((source) => {
      const metrics = lanes.filter(({ half }) => half === source).map(({ metric }) => metric);
      return metrics.length === 0 ? [] : listVerdicts(db, asset, { source, metrics });
    }).map((found) => [
      laneKey(found.source as Lane["half"], found.metric),
      { ...found, verdict: daysMoved(found.verdict, found.source === SENT ? offset : 0) },
    ]),
  );
  return new Map(
    lanes
      .filter(({ half }) => half !== CODE)
      .map(({ key, half, metric }): [LaneKey, FigureTest] => {
        const found: StoredVerdict | undefined = stored.get(key);
        const words =
          half === SENT
            ? verdictWords({
                judgedElsewhere: of.isService && isFreshnessMetric(metric),
                figures: Object.hasOwn(of.figures, metric) ? of.figures[metric] : undefined,
                stored: found,
              })
            : signalWords(found);
        return [key, { words, judged: found?.verdict }];
      }),
  );
}
