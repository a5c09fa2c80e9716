/** Why integrations fail, each cause once, however many sites and data sources it hits. Pure. */

import { onceOf } from "../base/base.ts";
import { countWords } from "../base/text.ts";
import { HOUR_MS } from "../base/time.ts";
import { capabilityOf } from "../health/catalogue.ts";
import { dueOf } from "../health/state.ts";
import { isProvider, PROVIDER_NAMES, type Provider } from "../providers/adapter.ts";
import { type ActionCode, needsPerson } from "../providers/faults.ts";
import type { CapabilityView, HealthView, TargetView } from "./integrations.ts";
import { isCounted } from "./target_state.ts";

/** Why something fails now. */
export interface Cause {
  /** The same for as long as it may be the same trouble, also with another key of the same account. */
  readonly key: string;
  /** "Google rejected this key". */
  readonly news: string;
  /** The same with what it hits: "Google rejected this key: 1 account, 3 sites, 6 data sources". */
  readonly words: string;
  readonly action: string;
  readonly code: ActionCode;
  readonly provider: string;
  /** The credential, where the account itself is the trouble. */
  readonly credential: string | undefined;
  readonly assets: readonly string[];
  /** False while Tower tries again by itself, and has missed no more than one turn. */
  readonly isTold: boolean;
  /** Since when the first of them fails; null where that is not known. Milliseconds since the epoch. */
  readonly since: number | null;
  /** When it is tried again next; null where nothing says so. */
  readonly nextRetryAt: number | null;
  /** What fails; never none. */
  readonly all: readonly [Placed, ...Placed[]];
  /** The opaque target, where a channel is what fails. */
  readonly target: string | undefined;
}

/** A data source with its capability. */
export interface Placed {
  readonly of: CapabilityView;
  readonly target: TargetView;
  /** What it hangs on: its account, else its site or sender. */
  readonly holder: string;
}

/** How integrations are, with the id of the account that has each connection revision. */
export interface Health {
  readonly view: HealthView;
  readonly accounts: ReadonlyMap<string, string>;
}

/** What counts, as far as it is wanted. */
export const placed = (
  { view, accounts }: Health,
  wantedOf: (of: CapabilityView) => readonly TargetView[],
): Placed[] =>
  view.capabilities.filter(isCounted).flatMap((of) =>
    wantedOf(of).map((target) => {
      const { connectionRevision, asset } = target;
      const account = accounts.get(connectionRevision) ?? connectionRevision;
      return { of, target, holder: account || asset || target.target };
    }),
  );

/** A site that is silent has a flag, and what nobody sent yet is no failure. */
const isFailing = ({ of, target }: Pick<Placed, "of" | "target">): boolean =>
  target.state === "failing" || (target.state === "stale" && of.kind === "production_read");
const failingOf = onceOf((of: CapabilityView) => of.targets.filter((target) => isFailing({ of, target })));

/** What is wrong with the key or the account itself, whatever is asked with it. */
const isOfAccount = ({ target }: Placed): boolean =>
  target.connectionRevision !== "" && ["replace_credential", "check_account"].includes(target.action.code);

/** What a provider refuses is one trouble, whichever of its reports is asked for. */
const isRefused = ({ target }: Placed): boolean =>
  target.connectionRevision !== "" && ["give_access", "enable_api"].includes(target.action.code);

const keyOf = (one: Placed): string =>
  `${isOfAccount(one) ? "account" : isRefused(one) ? one.of.provider : one.of.capability} ${one.holder}`;

/** Every cause for which something fails. */
export function causesOf(health: Health, now: number): Cause[] {
  const failing = placed(health, failingOf);
  return [...Map.groupBy(failing, keyOf)].flatMap(([key, all]): Cause[] => {
    const told = all.find((one) => isDue(one, now));
    const [one, ...others] = all;
    if (one === undefined) return [];
    const first = told ?? one;
    const { of, target } = first;
    const assets = [...new Set(all.flatMap((one) => one.target.asset || []))].sort();
    const own = of.kind === "real_send" ? target.target : undefined;
    const news = newsOf(first);
    const since = all.flatMap((one) => one.target.since ?? []);
    const retries = all.flatMap((one) => one.target.nextRetryAt ?? []);
    return [
      {
        key,
        news,
        words: [news, hitWords(first, all.length, assets)].filter((part) => part !== "").join(": "),
        action: target.action.text,
        code: target.action.code,
        provider: of.provider,
        credential: isOfAccount(first) ? first.holder : undefined,
        assets,
        isTold: told !== undefined,
        since: since.length === 0 ? null : Math.min(...since),
        nextRetryAt: retries.length === 0 ? null : Math.min(...retries),
        all: [one, ...others],
        target: own,
      },
    ];
  });
}

/**
 * Whether somebody is told: at once where only a person can put it right, else once two turns were missed. What is sent to Tower is
 * given an hour: whoever sends it may be at work on it.
 */
function isDue({ of, target }: Placed, now: number): boolean {
  if (target.state === "stale" || (of.kind !== "ingest" && needsPerson(target.category))) return true;
  const since = target.since ?? now;
  const obligation = capabilityOf(of.capability)?.obligation;
  const from = Math.min(target.lastSuccessStartedAt ?? since, since);
  const isSent = obligation === undefined || obligation === "silent_hours";
  return now >= ((isSent ? null : dueOf(obligation, from, now).staleAt) ?? since + HOUR_MS);
}

/** What became of a cause that was told: undefined while it lasts, or nothing says that it does not. */
export function endOfCause(key: string, health: Health): "works" | "gone" | undefined {
  const its = placed(health, ({ targets }) => targets).filter(({ of, holder }) =>
    ["account", of.provider, of.capability].some((what) => key === `${what} ${holder}`),
  );
  const states = its.map(({ target }) => target.state);
  if (its.some((one) => isFailing(one) && keyOf(one) === key)) return undefined;
  if (states.includes("working") || states.includes("idle")) return "works";
  return states.every((state) => state === "paused" || state === "disconnected") ? "gone" : undefined;
}

/** Who is named in the words of a cause, as people call the company. */
const VENDORS: Readonly<Record<Provider, string>> = {
  analytics: "Google",
  "search-console": "Google",
  "webmaster-tools": "Bing",
};
const NEWS: Readonly<Record<string, string>> = {
  replace_credential: "rejected this key",
  check_account: "does not let this account in",
  give_access: "refuses access to",
  enable_api: "says that the API is not enabled for",
};

const vendorOf = ({ provider }: CapabilityView): string | undefined =>
  isProvider(provider) ? VENDORS[provider] : undefined;

function newsOf(one: Placed): string {
  const { of, target } = one;
  const [vendor, news] = [vendorOf(of), NEWS[target.action.code]];
  if (vendor !== undefined && news !== undefined && isProvider(of.provider))
    return isRefused(one) ? `${vendor} ${news} ${PROVIDER_NAMES[of.provider]}` : `${vendor} ${news}`;
  const why = target.state === "stale" ? "no usable data when it was due" : target.why.replace(/\.$/, "");
  return `${of.label}: ${why}`;
}

/** What it hits: "1 account, 3 sites, 6 data sources". */
function hitWords(one: Placed, sources: number, assets: readonly string[]): string {
  const isOfProvider = vendorOf(one.of) !== undefined;
  const isAccount = isOfProvider && isOfAccount(one);
  return [
    ...(isAccount ? ["1 account"] : []),
    ...(assets.length === 1 && !isAccount
      ? assets
      : assets.length > 0
        ? [countWords(assets.length, "site")]
        : []),
    ...(isOfProvider ? [countWords(sources, "data source")] : []),
  ].join(", ");
}
