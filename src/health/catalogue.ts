/**
 * The catalogue: every capability whose health is told, with what it is, when it is due and what is said where it is not well. Only
 * what is built stands here.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../base/time.ts";
import {
  ACCOUNT_PROVIDERS,
  type AccountProvider,
  PROVIDER_NAMES,
  PROVIDERS,
  type Provider,
} from "../providers/adapter.ts";
import {
  ANNOTATION_COPY,
  archiveCopy,
  type CapabilityCopy,
  CODEBASE_COPY,
  calendarCopy,
  discoveryCopy,
  liveCopy,
  NIGHTLY_COPY,
  noticeCopy,
  panelCopy,
  readCopy,
  testCopy,
} from "./capability_words.ts";
import type { CapabilityKind } from "./health.ts";
import type { Obligation } from "./state.ts";

/** Whom a capability concerns: a provider that is asked, what sites send, what anybody with a token notes, whom Tower notifies, calendars. */
type CapabilityProvider = AccountProvider | "ingest" | "annotations" | "notifications" | "calendars";

export interface Capability {
  readonly id: string;
  readonly provider: CapabilityProvider;
  readonly label: string;
  readonly kind: CapabilityKind;
  /** `silent_hours`: an obligation of kind `silence` with the site's own hours; of a site that is not live none. */
  readonly obligation: Obligation | "silent_hours";
  /** How often it comes, as the end of a sentence: "every 15 minutes". */
  readonly cadence: string;
  /** Whether an operator can pause it: what is asked, not what is sent. */
  readonly pausable: boolean;
  /** What shows whether it works: recorded outcomes, the archive's manifest, or stored reports. Null where nothing reliable does: Unmonitored. */
  readonly observedBy: "outcomes" | "manifest" | "reports" | null;
  /** Whether each report of each date has an outcome of its own, and not only all of a site together. */
  readonly ofReports: boolean;
  readonly copy: CapabilityCopy;
}

/** When the figures of analytics and search console are asked for (spec, Scheduled work). */
const SENSE: Obligation = { kind: "ticks", at: "*/15 * * * *", slackMs: 30 * MINUTE_MS };
/** When those of webmaster tools are: a night's list may be long, and its sites are asked one by one. */
const NIGHTLY: Obligation = { kind: "ticks", at: "30 2 * * *", slackMs: 3 * HOUR_MS };
/**
 * When reports are archived (spec, Scheduled work): of a report that comes up anew each day, or once a week: then it is asked for when it is a
 * week old, less an hour in which a run may have been late. Runs that ask for a thousand sites take hours.
 */
const ARCHIVE = { kind: "ticks", at: "15 12 * * *", slackMs: 6 * HOUR_MS } as const satisfies Obligation;
export const ARCHIVED: Readonly<Record<1 | 7, Obligation & { readonly kind: "ticks" }>> = {
  1: ARCHIVE,
  7: { ...ARCHIVE, restMs: 7 * DAY_MS - HOUR_MS },
};
const NONE: Obligation = { kind: "none" };

const QUARTERLY = "every 15 minutes";
const HOURLY = "every hour";

/** What most capabilities have in common: recorded outcomes show whether they work, and nobody pauses them. */
const capability = (
  id: string,
  provider: CapabilityProvider,
  label: string,
  own: Pick<Capability, "kind" | "obligation" | "cadence" | "copy"> & Partial<Capability>,
): Capability => ({ id, provider, label, pausable: false, observedBy: "outcomes", ofReports: false, ...own });

/** The daily figures of a provider's sites. */
const daily = (provider: Provider, obligation: Obligation, cadence: string): Capability =>
  capability(`${provider}.daily`, provider, `${PROVIDER_NAMES[provider]}, daily`, {
    kind: "production_read",
    obligation,
    cadence,
    pausable: true,
    copy: readCopy(PROVIDER_NAMES[provider], cadence),
  });

const ARCHIVING = "each day at 12:15 UTC";

const archive = (provider: Provider): Capability =>
  capability(`${provider}.archive`, provider, `${PROVIDER_NAMES[provider]}, archive`, {
    kind: "production_read",
    obligation: ARCHIVED[1],
    cadence: ARCHIVING,
    pausable: true,
    observedBy: "manifest",
    ofReports: true,
    copy: archiveCopy(PROVIDER_NAMES[provider], ARCHIVING),
  });

/** What is asked while somebody looks: a result stands for a while after the last look, then nothing is due. */
const live = (kind: string, forMs: number): Capability =>
  capability(`analytics.${kind}`, "analytics", `${PROVIDER_NAMES.analytics}, ${kind}`, {
    kind: "on_demand",
    obligation: { kind: "within", forMs },
    cadence: "while somebody looks at the site's page",
    pausable: true,
    copy: liveCopy(PROVIDER_NAMES.analytics),
  });

const check = (provider: AccountProvider): Capability =>
  capability(`${provider}.connection-test`, provider, `${PROVIDER_NAMES[provider]}, connection test`, {
    kind: "connection_test",
    obligation: NONE,
    cadence: "when an operator tests the account",
    copy: testCopy(PROVIDER_NAMES[provider]),
  });

const discovery = (provider: Provider): Capability =>
  capability(`${provider}.site-discovery`, provider, `${PROVIDER_NAMES[provider]}, site list`, {
    kind: "discovery",
    obligation: NONE,
    cadence: "when an operator lists the account's sites",
    copy: discoveryCopy(PROVIDER_NAMES[provider]),
  });

/** What is sent to the channels of one kind, and tests of them: two things, neither of which speaks for the other. */
const notices = (kind: string, name: string): readonly Capability[] => [
  capability(`notices.${kind}`, "notifications", `Notices by ${name}`, {
    kind: "real_send",
    obligation: { kind: "pending", since: undefined, graceMs: 0 },
    cadence: "when there is something to tell",
    copy: noticeCopy(false),
  }),
  capability(`notices.${kind}.test`, "notifications", `Notices by ${name}, test`, {
    kind: "test_send",
    obligation: NONE,
    cadence: "when an operator tests the channel",
    copy: noticeCopy(true),
  }),
];

/** What is asked of each provider for sites, beside its archive. */
const READS: Readonly<Record<Provider, readonly Capability[]>> = {
  analytics: [
    daily("analytics", SENSE, QUARTERLY),
    live("realtime", 5 * MINUTE_MS),
    live("hourly", 30 * MINUTE_MS),
  ],
  "search-console": [daily("search-console", SENSE, QUARTERLY)],
  "webmaster-tools": [daily("webmaster-tools", NIGHTLY, "each night at 02:30 UTC")],
};

/** A site's nightly reports: without them it is silent. */
export const NIGHTLY_REPORTS = "ingest.nightly";

/** Every capability, in the order in which they are shown. */
export const CAPABILITIES: readonly Capability[] = [
  capability(NIGHTLY_REPORTS, "ingest", "Nightly reports", {
    kind: "ingest",
    obligation: "silent_hours",
    cadence: "once a day, when the site sends it",
    observedBy: "reports",
    copy: NIGHTLY_COPY,
  }),
  capability("ingest.codebase", "ingest", "Codebase reports", {
    kind: "ingest",
    // A repository reports each push and once a week: a week and a day without one is quiet, and no failure.
    obligation: { kind: "within", forMs: 8 * DAY_MS },
    cadence: "with each push, and once a week",
    observedBy: "reports",
    copy: CODEBASE_COPY,
  }),
  ...PROVIDERS.flatMap((provider) => [...READS[provider], archive(provider)]),
  capability("serp.panels", "serp", "Search result pages, panels", {
    kind: "production_read",
    // Each panel has days of its own, which its target says; a day late it is stale (spec, Integration capability health).
    obligation: { kind: "every", everyMs: 7 * DAY_MS, graceMs: DAY_MS },
    cadence: "every few days, as each panel says",
    pausable: true,
    copy: panelCopy(PROVIDER_NAMES.serp),
  }),
  ...ACCOUNT_PROVIDERS.map(check),
  ...PROVIDERS.map(discovery),
  capability("annotations.post", "annotations", "Annotations", {
    kind: "ingest",
    obligation: { kind: "within", forMs: 8 * DAY_MS },
    cadence: "when something is noted on the timeline",
    copy: ANNOTATION_COPY,
  }),
  capability("calendars.read", "calendars", "Calendars", {
    kind: "production_read",
    obligation: { kind: "ticks", at: "0 * * * *", slackMs: 30 * MINUTE_MS },
    cadence: HOURLY,
    pausable: true,
    copy: calendarCopy(HOURLY),
  }),
  ...notices("mail", "mail"),
  ...notices("webhook", "webhook"),
  ...notices("ntfy", "ntfy"),
  ...notices("slack", "Slack webhook"),
];

const byId: ReadonlyMap<string, Capability> = new Map(CAPABILITIES.map((one) => [one.id, one]));

/** The capability of an id; undefined where the catalogue has none. */
export function capabilityOf(id: string): Capability | undefined {
  return byId.get(id);
}
