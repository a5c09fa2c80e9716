/** Pausing and resuming what operators may: what is asked of providers, and all of a site. */

import { capabilityOf } from "../health/catalogue.ts";
import { type PauseKey, pause, resume } from "../health/pauses.ts";
import { type FreshnessDeps, judgeSites } from "../rules/freshness.ts";
import { findAsset } from "../sites/sites.ts";
import type { Tx } from "../store/store.ts";

/** What pausing works with: a site's silence is judged by whether it is paused. */
export type PauseDeps = FreshnessDeps;

/** Who does it, and when in milliseconds since the epoch. */
interface By {
  readonly actor: string;
  readonly now: number;
}

/** Why something cannot be paused. */
export type PauseBar =
  /** Neither a capability nor a site is named. */
  | "nothing"
  | "no_capability"
  /** It is sent and not asked, or it is a check that an operator asks for. */
  | "not_pausable"
  | "no_site"
  /** Nothing of a retired site is asked. */
  | "retired"
  /** Tower's own. */
  | "own_site";

/** What became of it. */
export type PauseResult =
  | { readonly ok: true; readonly did: "paused" | "changed" | "same" }
  | { readonly ok: false; readonly why: PauseBar };

/**
 * Pauses a capability of one site, of every site (asset ''), or all of one site (capability ''), until a moment that lies ahead or until
 * it is resumed (null). What is open about a site's silence ends with it.
 */
export async function pauseAsked(
  deps: PauseDeps,
  asked: PauseKey & { readonly until: number | null },
  by: By,
): Promise<PauseResult> {
  const result = await deps.writer.write((tx): PauseResult => {
    const why = barOf(tx, asked, deps.config.serviceAsset);
    return why === undefined ? { ok: true, did: pause(tx, asked, by) } : { ok: false, why };
  });
  if (result.ok && asked.capability === "") await judgeSites(deps);
  return result;
}

/** Ends a pause; false where nothing is paused by it any more. A site's silence is judged at once, as if it never had been paused. */
export async function resumeAsked(deps: PauseDeps, key: PauseKey, by: By): Promise<boolean> {
  const ended = await deps.writer.write((tx) => resume(tx, key, by));
  if (ended !== undefined && key.capability === "") await judgeSites(deps);
  return ended !== undefined;
}

function barOf(tx: Tx, { capability, asset }: PauseKey, serviceAsset: string): PauseBar | undefined {
  if (capability === "" && asset === "") return "nothing";
  if (capability !== "") {
    const known = capabilityOf(capability);
    if (known === undefined) return "no_capability";
    if (!known.pausable) return "not_pausable";
  }
  if (asset === "") return undefined;
  if (asset === serviceAsset) return "own_site";
  const site = findAsset(tx, asset);
  if (site === undefined) return "no_site";
  return site.lifecycle === "retired" ? "retired" : undefined;
}
