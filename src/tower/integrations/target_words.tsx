/** One data source in words: why it is not Working, what proves its state, and when it is tried again. */

import { parseUtcDay } from "../../base/time.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import type { CapabilityKind, HealthState } from "../../health/health.ts";
import type { CapabilityView, RetryReason, TargetView } from "../../integrations/integrations.ts";
import { isProvider } from "../../providers/adapter.ts";
import { formatDay, formatMoment } from "../format.ts";
import { CATEGORY_WORDS } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { attemptsAddress } from "./runs.tsx";

/** A key as a part of an element's id. */
export const idPart = (key: string): string => key.replaceAll(/[^a-z0-9]+/gi, "-");

const HEADINGS: Partial<Readonly<Record<HealthState, string>>> = {
  stale: "Overdue",
  disconnected: "Connection removed",
  unknown: "Not readable",
};

/** What nobody ever sent is waited for otherwise than what was not asked for yet. */
export function headingOf({ state, category }: TargetView, kind: CapabilityKind): string | undefined {
  if (category !== null) return CATEGORY_WORDS[category];
  return state === "never_run" && kind === "ingest" ? "Nothing came yet" : HEADINGS[state];
}

/** Why something is not Working: its category, and what happened in one sentence. Nothing where nothing is wrong. */
export function Cause(props: { readonly target: TargetView; readonly kind: CapabilityKind }) {
  const { target, kind } = props;
  const { why } = target;
  const heading = headingOf(target, kind);
  if (heading === undefined && why === "") return null;
  return (
    <span>
      {heading === undefined ? null : <b>{heading}</b>}{" "}
      {why === "" ? null : <small class="block-sm">{why}</small>}
    </span>
  );
}

const attemptsHref = attemptsAddress.at(paths.attempts);

/** To every attempt of a provider for a site, or to what is archived of it, where attempts are kept: nothing for what sites send, nor for what concerns an account. */
export function AttemptsLink({ asset, of }: { asset: string; of: CapabilityView }) {
  const { capability, provider, kind } = of;
  if (asset !== "" && capabilityOf(capability)?.ofReports === true) {
    return <a href={paths.archiveOfSite(asset)}>Archive</a>;
  }
  if (asset === "" || kind !== "production_read" || !isProvider(provider)) return null;
  // Those of the archive are rows of its manifest.
  const href = of.capability.endsWith(".archive")
    ? paths.archiveOfSite(asset, provider)
    : attemptsHref({ asset, provider });
  return <a href={href}>Attempts</a>;
}

/** "Last success 19 Nov 12:15, covers to 18 Nov, next due 20 Nov 12:15." */
export function proofWords(target: TargetView, now: number): string {
  const { lastAttemptStartedAt: tried, lastSuccessStartedAt: useful, coveredDate, dueAt } = target;
  const covered = coveredDate === null ? undefined : parseUtcDay(coveredDate);
  const parts = [
    useful === null ? "No success yet" : `Last success ${formatMoment(useful, now)}`,
    useful === null || covered === undefined ? null : `covers to ${formatDay(covered, now)}`,
    tried === null || (useful !== null && tried <= useful)
      ? null
      : `last attempt ${formatMoment(tried, now)}`,
    dueAt === null ? null : `${dueAt <= now ? "was due" : "next due"} ${formatMoment(dueAt, now)}`,
  ];
  return `${parts.filter((part) => part !== null).join(", ")}.`;
}

const REASONS: Readonly<Record<Exclude<RetryReason, "schedule">, string>> = {
  rate_limit: "the provider asks for fewer requests",
  exhausted_budget: "the allowance is used up",
  slow_probe: "paused until you fix it (retries every 6 h)",
  provider_asked: "the provider asked for a pause",
  back_off: "Tower waits longer after each failure",
};

/** Why it is not tried before then; undefined where it is only not yet time. */
export function retryReason({ nextRetryReason }: TargetView): string | undefined {
  return nextRetryReason === null || nextRetryReason === "schedule" ? undefined : REASONS[nextRetryReason];
}

/** When something without a moment of its own is tried again. */
export function untimedRetry({ state }: TargetView, kind: CapabilityKind): string {
  if (state === "disconnected") return "not while it is disconnected";
  if (kind === "ingest") return "when it is sent";
  if (kind === "on_demand") return "when the page is open";
  if (kind === "connection_test" || kind === "discovery") return "when it is run again";
  return "at its next run";
}

/** When it may be tried again, and why not before: "Next retry 21 Nov 12:15: the provider asked for a pause". "" where nothing is waited for. */
export function retryWords(
  target: TargetView,
  { capability, kind }: Pick<CapabilityView, "capability" | "kind">,
  now: number,
): string {
  const { nextRetryAt } = target;
  if (nextRetryAt === null || nextRetryAt <= now) return "";
  // Reports are asked for by the runs of their job alone, which need not be one at that moment.
  const verb = capabilityOf(capability)?.ofReports === true ? "Next retry: first run after" : "Next retry";
  // What is read while a page is open is not slowed down.
  const reason = kind === "on_demand" ? undefined : retryReason(target);
  return `${verb} ${formatMoment(nextRetryAt, now)}${reason === undefined ? "" : `: ${reason}`}.`;
}
