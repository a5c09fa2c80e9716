/** What the pages of tuning are about, found by their addresses. Each throws a `Problem` where there is no such thing. */
import { findAsset } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { type FlagRow, findFlag } from "../../flags/mod.ts";
import { Problem } from "../../platform/problem.ts";
import { isProvider, NO_COUNTS } from "../../provider/contract.ts";
import { findFirstDay } from "../../pulse/mod.ts";
import { CODEBASE_RULES, isCodebaseRule, METRIC_RULES, SENT } from "../../rules/mod.ts";
import { findSeries } from "../../series/mod.ts";
import { paths } from "../paths.ts";
import { flagsShown } from "../shown_days.ts";
import type { Tuned } from "./thresholds.ts";

/** What is tuned, where its page is, and the flag that it is tuned because of. */
export interface TuneSubject extends Tuned {
  readonly action: string;
  readonly flag: FlagRow | undefined;
}

/** What a flag is about: its metric, or the codebase rule that raised it. */
export function subjectOfFlag(db: Db, id: string): TuneSubject {
  const stored = findFlag(db, id);
  const flag = stored && flagsShown(db)(stored);
  if (flag === undefined) throw new Problem("not-found", "No such flag.");
  const { asset, rule, source, metric } = flag;
  const common = { asset, flag, action: paths.tuneFlag(id) };
  if (METRIC_RULES.some((id) => id === rule) && metric !== null)
    return { ...common, source: source ?? SENT, metric, rules: METRIC_RULES };
  if (isCodebaseRule(rule)) return { ...common, source: null, metric: null, rules: [rule] };
  throw new Problem("not-found", "The rule of this flag has no thresholds to tune.");
}

/** A metric that a site sends. */
export function metricOfSite(db: Db, asset: string, metric: string): TuneSubject {
  if (findFirstDay(db, asset, metric) === undefined) {
    throw new Problem("not-found", "This site never reported such a metric.");
  }
  const action = paths.tuneMetric(asset, metric);
  return { asset, source: SENT, metric, rules: METRIC_RULES, action, flag: undefined };
}

/** A count that a provider tells of a site. */
export function signalOfSite(db: Db, asset: string, source: string, metric: string): TuneSubject {
  if (!isProvider(source) || findSeries(db, { asset, source, metric }) === undefined) {
    throw new Problem("not-found", "No provider has told such a figure of this site.");
  }
  if (NO_COUNTS.includes(metric)) {
    throw new Problem("not-found", "This figure is no count, so no rule judges it.");
  }
  const action = paths.tuneSignal(asset, source, metric);
  return { asset, source, metric, rules: METRIC_RULES, action, flag: undefined };
}

/** All codebase rules of a site. */
export function codebaseOfSite(db: Db, asset: string): TuneSubject {
  if (findAsset(db, asset) === undefined) throw new Problem("not-found", "No such site.");
  const action = paths.tuneCodebase(asset);
  return { asset, source: null, metric: null, rules: CODEBASE_RULES, action, flag: undefined };
}
