/** The health payload as programs get it (decisions, Health payload): snake_case, instants in ISO 8601, null where there is nothing. */

import {
  assetId,
  count,
  date,
  instant,
  type Json,
  list,
  object,
  orNull,
  ref,
  text,
} from "../base/api_description.ts";
import { formatInstant } from "../base/time.ts";
import { CAPABILITY_KINDS, HEALTH_CHANGES, HEALTH_STATES } from "../health/health.ts";
import { MONITORING_KINDS } from "../health/monitoring.ts";
import { ACTION_CODES, FAILURE_CATEGORIES } from "../providers/faults.ts";
import {
  type CapabilityView,
  COVERAGE_STATES,
  type HealthEventView,
  type HealthView,
  MOST_EVENTS,
  RETRY_REASONS,
  type StateCounts,
  type TargetView,
} from "./integrations.ts";
import { withinBounds } from "./view.ts";

const oneOf = (values: readonly string[]): Json => ({ type: "string", enum: values });
const state = oneOf(HEALTH_STATES);
const category = oneOf(FAILURE_CATEGORIES);
const ofSite: Json = { ...orNull(assetId), description: "Null for what concerns a whole connection." };
const opaque: Json = { ...orNull(text), description: "An opaque id; null where there is one a site." };
const family: Json = {
  ...orNull(text),
  description: "Of an archive report its name, date, query and device, as a JSON array; null elsewhere.",
};

const countsByState = object(Object.fromEntries(HEALTH_STATES.map((name) => [name, count])));

const TARGET = object({
  asset: ofSite,
  target: opaque,
  family,
  connection_revision: {
    ...orNull(text),
    description: "The connection that it is asked over; null where there is none.",
  },
  state,
  category: {
    ...orNull(category),
    description: "Why it fails; of what is unknown `monitoring_failure`; null otherwise.",
  },
  last_attempt_started_at: orNull(instant),
  last_success_started_at: orNull(instant),
  covered_date: {
    ...orNull(date),
    description: "The newest day that the last success covers, in the provider's own calendar.",
  },
  due_at: { ...orNull(instant), description: "When the next usable result is due." },
  next_retry_at: { ...orNull(instant), description: "Before this moment it is not tried again." },
  next_retry_reason: orNull(oneOf(RETRY_REASONS)),
  action: object({
    code: oneOf(ACTION_CODES),
    text: { ...text, description: "What is safe to do about it." },
  }),
  counts: {
    ...orNull(countsByState),
    description:
      "Of all archived reports of a property together how many outcomes stand how, the worst of which is `state`; null elsewhere, and for one site (`asset`), where each outcome is a target.",
  },
});

const CAPABILITY = object({
  capability: text,
  label: text,
  provider: text,
  kind: oneOf(CAPABILITY_KINDS),
  state: { ...state, description: "The worst of its targets." },
  affected_assets: {
    ...list(assetId),
    description: "Sites with a target that is neither working nor idle.",
  },
  targets: list(ref("HealthTarget")),
});

const EVENT = object({
  id: { ...text, description: "The same however often it is told." },
  at: { ...instant, description: "When the attempt began." },
  capability: text,
  asset: ofSite,
  target: opaque,
  family,
  change: oneOf(HEALTH_CHANGES),
  category: { ...category, description: "What failed; of a recovery what it ended." },
});

const MONITORING = object({
  kind: oneOf(MONITORING_KINDS),
  asset: orNull(assetId),
  source: {
    ...orNull(text),
    description: "A provider or the source of a series; of a whole connection or a sender its `target`.",
  },
  subject: orNull(text),
  since: instant,
  reason: text,
});

/** What the payload is made of, by name. */
export const HEALTH_SHAPES: Readonly<Record<string, Json>> = {
  HealthTarget: TARGET,
  Health: object({
    observed_at: {
      ...orNull(instant),
      description: "When the newest stored evidence was written down, never when it is read.",
    },
    workspace: text,
    coverage: object({
      state: {
        ...oneOf(COVERAGE_STATES),
        description: "Only `complete` says anything of the whole. `empty` and `unknown` are no all-clear.",
      },
      reason: orNull(text),
      configured: count,
      monitored: count,
      unmonitored: count,
      more: object({
        archive: {
          ...count,
          description: "Archive outcomes that are no targets of their own in this answer, which is normal.",
        },
        operations: { ...count, description: "Other operations beyond the bound of a read." },
      }),
    }),
    summary: {
      ...countsByState,
      description: "Targets by state.",
    },
    capabilities: list(CAPABILITY),
    events: list(EVENT, MOST_EVENTS),
    monitoring: { ...list(MONITORING), description: "What should be watched and is not." },
  }),
};

/** A payload as it may come. */
export const HEALTH_EXAMPLE = {
  observed_at: "2026-11-19T12:15:04.118Z",
  workspace: "default",
  coverage: {
    state: "complete",
    reason: null,
    configured: 1,
    monitored: 1,
    unmonitored: 0,
    more: { archive: 0, operations: 0 },
  },
  summary: {
    working: 0,
    failing: 1,
    stale: 0,
    never_run: 0,
    idle: 0,
    paused: 0,
    disconnected: 0,
    unmonitored: 0,
    unknown: 0,
  },
  capabilities: [
    {
      capability: "search-console.daily",
      label: "Search console, daily",
      provider: "search-console",
      kind: "production_read",
      state: "failing",
      affected_assets: ["shop.example"],
      targets: [
        {
          asset: "shop.example",
          target: "6f1c2b7d9a0e4358b1c6d27fe0a94c3d",
          family: null,
          connection_revision: "5b0f2d1c-7b1e-4a83-9c55-d2a4c4f0e6b7",
          state: "failing",
          category: "rate_limit",
          last_attempt_started_at: "2026-11-19T12:15:03.870Z",
          last_success_started_at: "2026-11-19T12:00:03.412Z",
          covered_date: "2026-11-17",
          due_at: "2026-11-19T12:15:00.000Z",
          next_retry_at: "2026-11-19T12:20:04.118Z",
          next_retry_reason: "rate_limit",
          action: { code: "wait", text: "Nothing to do: Tower retries automatically." },
          counts: null,
        },
      ],
    },
  ],
  events: [
    {
      id: "0f6a4be1c2d94e7781b3a5c6d7e8f901",
      at: "2026-11-19T12:15:03.870Z",
      capability: "search-console.daily",
      asset: "shop.example",
      target: "6f1c2b7d9a0e4358b1c6d27fe0a94c3d",
      family: null,
      change: "first_failure",
      category: "rate_limit",
    },
  ],
  monitoring: [],
} satisfies ReturnType<typeof payloadOf>;

/** The payload of a view. */
export function payloadOf(view: HealthView) {
  const { observedAt, workspace, coverage, summary, capabilities, events, monitoring } = withinBounds(view);
  return {
    observed_at: instantOf(observedAt),
    workspace,
    coverage,
    summary: countsOf(summary),
    capabilities: capabilities.map(capabilityOf),
    events: events.map(eventOf),
    monitoring: monitoring.map(({ kind, asset, source, subject, since, reason }) => ({
      kind,
      asset: orNone(asset),
      source: orNone(source),
      subject: orNone(subject),
      since: formatInstant(since),
      reason,
    })),
  };
}

function countsOf(summary: StateCounts) {
  const { working, failing, stale, never_run, idle, paused, disconnected, unmonitored, unknown } = summary;
  return { working, failing, stale, never_run, idle, paused, disconnected, unmonitored, unknown };
}

function capabilityOf({ affectedAssets, targets, ...rest }: CapabilityView) {
  return { ...rest, affected_assets: affectedAssets, targets: targets.map(targetOf) };
}

function targetOf(target: TargetView) {
  return {
    asset: orNone(target.asset),
    target: orNone(target.target),
    family: orNone(target.family),
    connection_revision: orNone(target.connectionRevision),
    state: target.state,
    category: target.category,
    last_attempt_started_at: instantOf(target.lastAttemptStartedAt),
    last_success_started_at: instantOf(target.lastSuccessStartedAt),
    covered_date: target.coveredDate,
    due_at: instantOf(target.dueAt),
    next_retry_at: instantOf(target.nextRetryAt),
    next_retry_reason: target.nextRetryReason,
    action: target.action,
    counts: target.counts === null ? null : countsOf(target.counts),
  };
}

function eventOf({ id, at, capability, asset, target, family: of, change, category: why }: HealthEventView) {
  return {
    id,
    at: formatInstant(at),
    capability,
    asset: orNone(asset),
    target: orNone(target),
    family: orNone(of),
    change,
    category: why,
  };
}

/** What concerns no site, or no connection, has '' in the database. */
const orNone = (text: string): string | null => (text === "" ? null : text);

const instantOf = (at: number | null): string | null => (at === null ? null : formatInstant(at));
