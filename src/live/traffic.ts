import type { Lifecycle } from "../assets/contract.ts";
import { isRetired } from "../assets/mod.ts";
import type { Attachment } from "../credentials/contract.ts";
import { findProperty, listAttachmentsOf } from "../credentials/mod.ts";
import type { Db } from "../db/mod.ts";
import { askHourly, askRealtime } from "../provider/ask.ts";
import { type AskGround, askOpened } from "../provider/ask_in_turn.ts";
import type { Outcome } from "../provider/contract.ts";
import type { LiveKind, LiveSource, LiveValues, LiveView } from "./contract.ts";
import { Feed, type FeedDeps } from "./feed.ts";

/** How a provider is asked. Never throws for anything that it does. */
type LiveAskers = {
  readonly [Kind in LiveKind]: (
    source: LiveSource,
    signal: AbortSignal,
  ) => Promise<Outcome<LiveValues[Kind]>>;
};

interface LiveDeps extends FeedDeps {
  /** Where a site's traffic is asked for; `retired` for a site that nobody watches, undefined where no property is attached. */
  readonly sourceOf: (asset: string) => LiveSource | "retired" | undefined;
  readonly ask: LiveAskers;
}

/** Most sites whose answers are kept; those looked at longest ago go first. */
const MOST_SITES = 200;

interface Watched {
  readonly source: LiveSource;
  readonly realtime: Feed<LiveValues["realtime"]>;
  readonly hourly: Feed<LiveValues["hourly"]>;
}

/**
 * The traffic of sites as it is now. Looking answers at once, with what is known; what is due is asked behind the answer, and shown to
 * whoever looks next. Nothing is asked unless somebody looks.
 */
export class LiveTraffic {
  readonly #deps: LiveDeps;
  readonly #sites = new Map<string, Watched>();
  readonly #stopping = new AbortController();

  constructor(deps: LiveDeps) {
    this.#deps = deps;
  }

  /** What is known of a site's traffic. Begins the questions that are due. `source` is what `sourceOf` says, where it is known already. */
  look(asset: string, source = this.#deps.sourceOf(asset) ?? null): LiveView {
    if (source === null || source === "retired") {
      this.#sites.delete(asset);
      return { state: source ?? "not-connected" };
    }
    const { realtime, hourly } = this.#watched(asset, source);
    return { state: "watched", realtime: realtime.look(), hourly: hourly.look() };
  }

  /** Begins no further question and gives up those under way. */
  stop(): void {
    this.#stopping.abort();
  }

  /** What is kept of a site; another property, or another connection, begins anew. */
  #watched(asset: string, source: LiveSource): Watched {
    const kept = this.#sites.get(asset);
    const site = kept !== undefined && isSame(kept.source, source) ? kept : this.#begun(asset, source);
    // Taken out and put in, it is the last: the first is the one looked at longest ago.
    this.#sites.delete(asset);
    this.#sites.set(asset, site);
    const [oldest] = this.#sites.keys();
    if (this.#sites.size > MOST_SITES && oldest !== undefined) this.#sites.delete(oldest);
    return site;
  }

  #begun(asset: string, source: LiveSource): Watched {
    const { ask } = this.#deps;
    const feed = <Kind extends LiveKind>(kind: Kind) =>
      new Feed<LiveValues[Kind]>(
        this.#deps,
        { asset, kind, source },
        (signal) => ask[kind](source, signal),
        this.#stopping.signal,
      );
    return { source, realtime: feed("realtime"), hourly: feed("hourly") };
  }
}

function isSame(one: LiveSource, other: LiveSource): boolean {
  return one.connectionRevision === other.connectionRevision && one.property === other.property;
}

/** The analytics property that a site's traffic is asked of; `retired` for a site that nobody watches, undefined where none is attached. */
export function trafficSource(db: Db, asset: string): LiveSource | "retired" | undefined {
  if (isRetired(db, asset)) return "retired";
  return listAttachmentsOf(db, asset).find(({ provider }) => provider === "analytics");
}

/** The same, for whoever has read the site and its attachments; null where none is attached. */
export function sourceAmong(
  lifecycle: Lifecycle,
  attachments: readonly Attachment[],
): LiveSource | "retired" | null {
  if (lifecycle === "retired") return "retired";
  return attachments.find(({ provider }) => provider === "analytics") ?? null;
}

/** Asks the analytics provider with the site's credential, opened for the one question. */
export const liveAskers = (
  deps: Omit<AskGround, "queue"> & { readonly store: { readonly db: Db } },
): LiveAskers => ({
  realtime: async (source, signal) =>
    (await askOpened(deps, source, signal, (client) => askRealtime(client, source.property))).outcome,
  hourly: async (source, signal) => {
    const of = { now: deps.clock.now(), timeZone: timeZoneOf(deps.store.db, source) };
    return (await askOpened(deps, source, signal, (client) => askHourly(client, source.property, of)))
      .outcome;
  },
});

/** The property's time zone as the last discovery told it; the answer says its own. */
function timeZoneOf(db: Db, { credential, property }: LiveSource): string | undefined {
  return findProperty(db, { credential, provider: "analytics", property })?.timeZone;
}
