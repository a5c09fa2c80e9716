/** What somebody has to look at, one row for each cause; what is asked only while somebody looks is none of it. Pure. */

import { type CapabilityKind, HEALTH_STATES, type HealthState } from "../../health/health.ts";
import type { ActionCode } from "../../health/words.ts";
import type { CapabilityView, HealthView, TargetView } from "../../integrations/integrations.ts";
import { CATEGORY_WORDS } from "../kit/category_words.ts";

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

/** What a state that is no failure comes to, where a failure has its category. */

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
