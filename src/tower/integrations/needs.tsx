/** What needs action: one row for each cause, what is known of it, and when it is tried again. */

import { countWords as countOf } from "../../base/text.ts";
import { parseUtcDay } from "../../base/time.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import { type CapabilityKind, HEALTH_STATES, type HealthState } from "../../health/health.ts";
import type { CapabilityView, HealthView, RetryReason, TargetView } from "../../integrations/integrations.ts";
import { isProvider } from "../../providers/adapter.ts";
import type { ActionCode } from "../../providers/faults.ts";
import { formatCount, formatDay, formatMoment } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { CATEGORY_WORDS } from "../kit/category_words.ts";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { List } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { ForgetForm, SiteLink } from "./acts.tsx";
import { AccountLink, type AccountOf, type ActGround, SharedAction } from "./acts_of.tsx";
import { integrationsHref } from "./coverage.tsx";
import { attemptsAddress } from "./run_page.tsx";

/** Targets that one thing is wrong with: an account that fails on two hundred sites is one of these, whatever is asked with it. */
export interface Need {
  /** The same as long as the cause is. */
  readonly key: string;
  /** The capability of the first target, and all of them. */
  readonly of: CapabilityView;
  readonly ofs: readonly CapabilityView[];
  /** By capability, then by the name of the site; never none. */
  readonly targets: readonly [TargetView, ...TargetView[]];
  /** A target of each site, or of each connection where no site is hit; never none. */
  readonly whom: readonly [TargetView, ...TargetView[]];
}

const NEEDING: readonly HealthState[] = ["failing", "unknown", "stale", "disconnected"];

/** A key as a part of an element's id. */
export const idPart = (key: string): string => key.replaceAll(/[^a-z0-9]+/gi, "-");

/** Whether somebody has to look at it. What never ran only has to be waited for, unless it has yet to be set up where it is sent from. */
function needsSomebody({ state, action }: TargetView): boolean {
  return NEEDING.includes(state) || (state === "never_run" && action.code === "set_up_sending");
}

/** Every cause, the most urgent state first, then what hits most sites. */
export function needsOf({ capabilities }: Pick<HealthView, "capabilities">): Need[] {
  const found = capabilities
    .filter(({ kind }) => kind !== "on_demand")
    .flatMap((of) =>
      of.targets
        .filter(needsSomebody)
        .toSorted((a, b) => (a.asset < b.asset ? -1 : 1))
        .map((target) => ({ of, target })),
    );
  const needs = [...Map.groupBy(found, causeOf)].flatMap(([key, placed]): Need[] => {
    const [first, ...others] = placed;
    if (first === undefined) return [];
    const targets = [first.target, ...others.map(({ target }) => target)] as const;
    return [
      { key, of: first.of, ofs: [...new Set(placed.map(({ of }) => of))], targets, whom: whomOf(targets) },
    ];
  });
  return needs.toSorted(
    (a, b) =>
      HEALTH_STATES.indexOf(a.targets[0].state) - HEALTH_STATES.indexOf(b.targets[0].state) ||
      b.targets.length - a.targets.length,
  );
}

function whomOf(targets: Need["targets"]): Need["whom"] {
  const ofSites = targets.filter(({ asset }) => asset !== "");
  const each = Map.groupBy(
    ofSites.length > 0 ? ofSites : targets,
    (one) => one.asset || one.connectionRevision,
  );
  const [first, ...others] = [...each.values()].flatMap(([one]) => one ?? []);
  return [first ?? targets[0], ...others];
}

/** What is wrong with the key or the account itself, not with what it is used for. */
const OF_ACCOUNT: ReadonlySet<ActionCode> = new Set(["replace_credential", "check_account"]);

/**
 * What makes two targets one row: the same trouble, over the same connection, with the same thing to do. What an account or its rights
 * are the cause of is one, whatever is asked with it; other trouble is of one capability.
 */
function causeOf({ of, target }: { of: CapabilityView; target: TargetView }): string {
  const { state, category, action, connectionRevision, nextRetryReason } = target;
  const cause = [state, category ?? "", action.code, connectionRevision];
  const isOfAccount = connectionRevision !== "" && (category === "access" || category === "configuration");
  if (!isOfAccount) return [of.capability, ...cause, nextRetryReason ?? ""].join(" ");
  return [OF_ACCOUNT.has(action.code) ? "" : of.provider, ...cause].join(" ");
}

/** The capabilities of a row: "Analytics, daily and 3 more". */
export function capabilityWords({ of, ofs }: Pick<Need, "of" | "ofs">): string {
  return ofs.length === 1 ? of.label : `${of.label} and ${ofs.length - 1} more`;
}

/** What happened, where it is the same everywhere; what differs from site to site stands on the sites' own pages. */
function sharedWhy({ targets: [first, ...others] }: Pick<Need, "targets">): string {
  return others.every((other) => other.why === first.why) ? first.why : "";
}

/** The least and the greatest of what targets say. */
interface Stretch<Value> {
  readonly from: Value;
  readonly to: Value;
  /** Some of the targets have no such value. */
  readonly some: boolean;
}

/** From the least to the greatest of what is known; undefined where nothing is. */
export function stretchOf<Value extends string | number>(
  values: readonly (Value | null)[],
): Stretch<Value> | undefined {
  const known = values.filter((value) => value !== null) as Value[];
  known.sort((a, b) => (a < b ? -1 : 1));
  const [from] = known;
  const to = known.at(-1);
  if (from === undefined || to === undefined) return undefined;
  return { from, to, some: known.length < values.length };
}

const HEADINGS: Partial<Readonly<Record<HealthState, string>>> = {
  stale: "Overdue",
  disconnected: "Connection removed",
  unknown: "Not readable",
};

/** What nobody ever sent is waited for otherwise than what was not asked for yet. */
function headingOf({ state, category }: TargetView, kind: CapabilityKind): string | undefined {
  if (category !== null) return CATEGORY_WORDS[category];
  return state === "never_run" && kind === "ingest" ? "Nothing came yet" : HEADINGS[state];
}

/** Why targets of one cause are not Working. */
export function CauseOf({ need }: { need: Need }) {
  return <Cause target={need.targets[0]} kind={need.of.kind} why={sharedWhy(need)} />;
}

/** Why something is not Working: its category, and what happened in one sentence. Nothing where nothing is wrong. */
export function Cause(props: {
  readonly target: TargetView;
  readonly kind: CapabilityKind;
  readonly why?: string;
}) {
  const { target, kind, why = target.why } = props;
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

/** What a useful result of each kind is called, and where there is none. */
const RESULTS: Readonly<Record<CapabilityKind, readonly [last: string, none: string]>> = {
  production_read: ["Last useful result", "No useful result yet"],
  on_demand: ["Last useful result", "No useful result yet"],
  ingest: ["Last accepted", "Nothing accepted yet"],
  connection_test: ["Last passed", "Never passed"],
  discovery: ["Last passed", "Never passed"],
  real_send: ["Last delivered", "Nothing delivered yet"],
  test_send: ["Last delivered", "Nothing delivered yet"],
};

/** "Last useful result 19 Nov 12:15, covers to 18 Nov, next due 20 Nov 12:15." */
export function proofWords(target: TargetView, kind: CapabilityKind, now: number): string {
  const { lastAttemptStartedAt: tried, lastSuccessStartedAt: useful, coveredDate, dueAt } = target;
  const [last, none] = RESULTS[kind];
  const covered = coveredDate === null ? undefined : parseUtcDay(coveredDate);
  const parts = [
    useful === null ? none : `${last} ${formatMoment(useful, now)}`,
    useful === null || covered === undefined ? null : `covers to ${formatDay(covered, now)}`,
    tried === null || (useful !== null && tried <= useful) ? null : `last tried ${formatMoment(tried, now)}`,
    dueAt === null ? null : `${dueAt <= now ? "was due" : "next due"} ${formatMoment(dueAt, now)}`,
  ];
  return `${parts.filter((part) => part !== null).join(", ")}.`;
}

const REASONS: Readonly<Record<Exclude<RetryReason, "schedule">, string>> = {
  rate_limit: "the provider asks to be asked less often",
  exhausted_budget: "the allowance is used up",
  slow_probe: "paused until you fix it (retries every 6 h)",
  provider_asked: "the provider asked for a pause",
  back_off: "Tower waits longer after each failure",
};

/** Why it is not tried before then; undefined where it is only not yet time. */
function retryReason({ nextRetryReason }: TargetView): string | undefined {
  return nextRetryReason === null || nextRetryReason === "schedule" ? undefined : REASONS[nextRetryReason];
}

/** When something without a moment of its own is tried again. */
export function untimedRetry({ state }: TargetView, kind: CapabilityKind): string {
  if (state === "disconnected") return "not while it is disconnected";
  if (kind === "ingest") return "when it is sent";
  if (kind === "on_demand") return "when somebody looks";
  if (kind === "connection_test" || kind === "discovery") return "when somebody asks for it";
  return "at its next run";
}

/** When it may be tried again, and why not before: "Asked again 21 Nov 12:15: the provider asked for a pause". "" where nothing is waited for. */
export function retryWords(
  target: TargetView,
  { capability, kind }: Pick<CapabilityView, "capability" | "kind">,
  now: number,
): string {
  const { nextRetryAt, state } = target;
  if (nextRetryAt === null || nextRetryAt <= now || state === "disconnected" || state === "paused") return "";
  // Reports are asked for by the runs of their job alone, which need not be one at that moment.
  const asked =
    capabilityOf(capability)?.ofReports === true ? "Asked again by the first run after" : "Asked again";
  const verb = kind === "ingest" ? "Taken again" : asked;
  const reason = retryReason(target);
  return `${verb} ${formatMoment(nextRetryAt, now)}${reason === undefined ? "" : `: ${reason}`}.`;
}

const MOST_NAMED = 50;
/** Most rows. */
const MOST = 50;

/** Causes, one row each. */
export function Needs(props: {
  readonly id: string;
  readonly heading: string;
  readonly note?: string;
  readonly needs: readonly Need[];
  readonly empty: string;
  readonly ground: ActGround;
  /** The address of the page, which an act leads back to. */
  readonly back: string;
}) {
  const { id, heading, note, needs, empty, ground, back } = props;
  const { now } = here();
  const { accountOf } = ground;
  return (
    <Block id={id} heading={heading} note={note}>
      <List
        class="acts-t"
        of={heading}
        items={needs.slice(0, MOST)}
        id={({ key }) => `need-${idPart(key)}`}
        empty={<p>{empty}</p>}
        columns={[
          ["State", ({ targets: [{ state }] }) => <StateMark state={state} />, { label: false }],
          ["Site and capability", (need) => <Whom need={need} accountOf={accountOf} />, { names: true }],
          [
            "What happened",
            (need) => (
              <>
                <CauseOf need={need} />{" "}
                {need.targets.length === 1 ? (
                  <AttemptsLink asset={need.targets[0].asset} of={need.of} />
                ) : null}
              </>
            ),
            { class: "all" },
          ],
          [
            "Last attempt",
            (need) => <Moments need={need} of={(one) => one.lastAttemptStartedAt} none="never" />,
          ],
          [
            "Last success",
            (need) => <Moments need={need} of={(one) => one.lastSuccessStartedAt} none="never" />,
          ],
          ["Covers to", (need) => coveredWords(need, now)],
          ["Next permitted retry", (need) => <Retry need={need} />],
          [
            "What to do",
            ({ targets, of }) => (
              <>
                <SharedAction targets={targets} of={of} ground={ground} />
                {targets.length === 1 ? <Forget target={targets[0]} of={of} back={back} /> : null}
              </>
            ),
            { class: "all" },
          ],
        ]}
      />
      {needs.length <= MOST ? null : (
        <p class="note">
          {countOf(needs.length - MOST, "more cause")} of less urgency:{" "}
          <a href={paths.allIntegrations}>All</a>
        </p>
      )}
    </Block>
  );
}

/** What was taken away on purpose need not be told any longer. */
function Forget({ target, of, back }: { target: TargetView; of: CapabilityView; back: string }) {
  if (target.state !== "disconnected" || target.asset === "" || !isProvider(of.provider)) return null;
  return <ForgetForm provider={of.provider} asset={target.asset} back={back} />;
}

/** The site, or how many of them, which open. */
function Whom({ need, accountOf }: { need: Need; accountOf: AccountOf }) {
  const { of, whom, key } = need;
  const [first] = whom;
  const label = (
    <>
      {" "}
      <small class="block-sm">{capabilityWords(need)}</small>
    </>
  );
  if (whom.length === 1) {
    return (
      <>
        <WhomOf target={first} capability={of.capability} accountOf={accountOf} />
        {label}
      </>
    );
  }
  const named = whom.slice(0, MOST_NAMED);
  return (
    <>
      <details id={`sites-${idPart(key)}`}>
        <summary>{countOf(whom.length, first.asset === "" ? "connection" : "site")}</summary>
        <ul>
          {named.map((target) => (
            <li>
              <WhomOf target={target} capability={of.capability} accountOf={accountOf} />
            </li>
          ))}
          {named.length === whom.length ? null : (
            <li>
              <a href={integrationsHref({ capability: of.capability, state: first.state })}>
                {formatCount(whom.length - named.length)} more
              </a>
            </li>
          )}
        </ul>
      </details>
      {label}
    </>
  );
}

function WhomOf({
  target,
  capability,
  accountOf,
}: {
  target: TargetView;
  capability: string;
  accountOf: AccountOf;
}) {
  if (target.asset !== "") return <SiteLink asset={target.asset} capability={capability} />;
  return <AccountLink account={accountOf(target)} otherwise="A whole connection" />;
}

/** A moment of the targets, or from the first to the last of them. */
function Moments({
  need,
  of,
  none,
}: {
  need: Need;
  of: (target: TargetView) => number | null;
  none: string;
}) {
  const { now } = here();
  const found = stretchOf(need.targets.map(of));
  if (found === undefined) return <span class="dim">{none}</span>;
  const { from, to, some } = found;
  const isOne = formatMoment(from, now) === formatMoment(to, now);
  return (
    <span>
      <Moment at={from} />
      {isOne ? null : [" to ", <Moment at={to} />]}
      {some ? <small class="block-sm">some {none}</small> : null}
    </span>
  );
}

function coveredWords({ targets }: Need, now: number): Child {
  const found = stretchOf(targets.map(({ coveredDate }) => coveredDate));
  const [from, to] = [parseUtcDay(found?.from ?? ""), parseUtcDay(found?.to ?? "")];
  if (from === undefined || to === undefined) return <span class="dim">no day</span>;
  return from === to ? formatDay(from, now) : `${formatDay(from, now)} to ${formatDay(to, now)}`;
}

/** When it may be tried again, and why not before. */
function Retry({ need }: { need: Need }) {
  const { now } = here();
  const [first] = need.targets;
  const found = stretchOf(need.targets.map(({ nextRetryAt }) => nextRetryAt));
  if (found === undefined) return <span class="dim">{untimedRetry(first, need.of.kind)}</span>;
  const reason = retryReason(first);
  return (
    <span>
      {found.from <= now ? (
        "due now"
      ) : (
        <Moments need={need} of={(one) => one.nextRetryAt} none="at the next run" />
      )}
      {reason === undefined || found.from <= now ? null : [" ", <small class="block-sm">{reason}</small>]}
    </span>
  );
}
