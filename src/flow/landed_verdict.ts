/**
 * Verdicts are stored as they were given, and one of a site that has gone quiet may be older than the second condition as
 * it is today: it then knew one window, the mean of its cohort and the whole tails.
 */
import type { Tails } from "../lib/tails.ts";
import type { MetricVerdict } from "./metric_verdict.ts";
import type { FlowVerdict, SecondCondition, TestedFlow } from "./verdict.ts";

/** The noise of a mean of four, which was once part of the ratio that was stored. */
const ONCE_INCLUDED = 1.25;

type LandedFlow = Omit<TestedFlow, "second"> & { readonly negativeBinomial: Tails };

/** A stored verdict in today's shape. */
export function currentVerdict(stored: MetricVerdict): MetricVerdict {
  const flow: FlowVerdict | LandedFlow = stored.flow;
  if (!isLanded(flow)) return stored;
  const { dispersion } = flow;
  const phi = dispersion.basis === "measured" ? dispersion.phi / ONCE_INCLUDED : dispersion.phi;
  const ratio = dispersion.ratio === null ? null : dispersion.ratio / ONCE_INCLUDED;
  return {
    ...stored,
    flow: { ...flow, second: secondOf(flow), dispersion: { ...dispersion, phi, ratio } },
  };
}

function isLanded(flow: FlowVerdict | LandedFlow): flow is LandedFlow {
  return flow.outcome === "tested" && "negativeBinomial" in flow;
}

function secondOf(flow: LandedFlow): SecondCondition {
  const { windowDays, observed, cohort, expected, poisson, negativeBinomial, dispersion, fires } = flow;
  if (dispersion.phi === 1) return { state: fires === null ? "not_needed" : "poisson_count" };
  return {
    state: "judged",
    holds: fires !== null,
    windowDays,
    observed,
    cohort,
    expected,
    poisson,
    basis: "cohort",
    mean: expected,
    varianceFactor: dispersion.phi,
    tails: negativeBinomial,
    level: null,
    shares: null,
  };
}
