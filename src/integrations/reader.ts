import { type ConstantsKeeper, silentHours } from "../constants/mod.ts";
import { changeMark, type Db, type Store, storageFault } from "../db/mod.ts";
import { CAPABILITIES, type KnownEvent, listHealthEvents } from "../health/mod.ts";
import { isMoment } from "../lib/instant.ts";
import { startOfDay, utcDayOf } from "../lib/utc_day.ts";
import type { Config } from "../platform/config.ts";
import { logOf } from "../platform/log.ts";
import { CLOCK_TOLERANCE_MS, newestDay } from "../platform/not_ahead.ts";
import type { HealthView } from "./contract.ts";
import { type Inventory, type PartName, readInventory } from "./inventory.ts";
import { type Projection, project } from "./project.ts";
import { shownScopes, viewOf } from "./view.ts";

/** What reading health needs: stored evidence, and nothing that could ask anybody. */
export interface HealthReaderDeps {
  readonly store: Pick<Store, "db">;
  readonly config: Pick<Config, "serviceAsset" | "workspace">;
  readonly constants: Pick<ConstantsKeeper, "current">;
}

/** The latest events that are told. */
const MOST_EVENTS = 100;
/** Sites whose views are kept, beside the view of all. */
const MOST_KEPT = 64;
const DAY_MS = 86_400_000;

/** What was read, and by what it holds. */
interface Held {
  /** Of the database: another one after every commit. */
  readonly mark: string;
  readonly constants: unknown;
  readonly inventory: Inventory;
  readonly projection: Projection;
  /** From when to when it holds, if nothing is written meanwhile. Milliseconds since the epoch; the end is not part of it. */
  readonly from: number;
  readonly until: number;
  /** By the site that is asked for, '' for all. */
  readonly views: Map<string, HealthView>;
}

/**
 * Reads the health of every integration from what is stored. Opens no connection, starts nothing and writes nothing. What was read is
 * kept for as long as nothing at all was written, and no state changes by time alone.
 */
export class HealthReader {
  readonly #deps: HealthReaderDeps;
  #held: Held | undefined;
  /** What could not be read the last time, so that it is logged once. */
  #unread = "";

  constructor(deps: HealthReaderDeps) {
    this.#deps = deps;
  }

  /**
   * How everything stands at a moment (milliseconds since the epoch), or one site where it is named. The same view for as long as nothing
   * is new. Never throws: where something cannot be read, the coverage says so.
   */
  read(now: number, asset?: string): HealthView {
    const held = this.#current(now);
    const known = held.views.get(asset ?? "");
    if (known !== undefined) return known;
    const view = this.#viewOf(held, asset);
    if (held.views.size >= MOST_KEPT) held.views.clear();
    held.views.set(asset ?? "", view);
    return view;
  }

  #current(now: number): Held {
    const { store, constants } = this.#deps;
    const mark = markOf(store.db);
    const held = this.#held;
    const inEffect = constants.current();
    if (held !== undefined && held.mark === mark && held.constants === inEffect && isWithin(held, now))
      return held;
    const read = this.#read(now, mark, inEffect);
    // What could not be read is tried again each time, and nothing of before stands in for it.
    this.#held = mark === undefined || read.inventory.unread.length > 0 ? undefined : read;
    return read;
  }

  #read(now: number, mark: string | undefined, inEffect: ReturnType<ConstantsKeeper["current"]>): Held {
    const { store, config } = this.#deps;
    const causes: string[] = [];
    const inventory = readInventory(store.db, {
      serviceAsset: config.serviceAsset,
      newestDay: newestDay(now),
      onUnread: (part, cause) => causes.push(`${part}: ${storageFault(cause)}`),
    });
    this.#tell(inventory.unread, causes);
    const projection = project({
      workspace: config.workspace,
      inventory,
      catalogue: CAPABILITIES,
      silentHoursOf: (site) => silentHours(inEffect.constants, site),
      now,
    });
    return {
      mark: mark ?? "",
      constants: inEffect,
      inventory,
      projection,
      from: now,
      until: Math.min(projection.until, nextDayOf(now)),
      views: new Map(),
    };
  }

  #viewOf({ inventory, projection }: Held, asset: string | undefined): HealthView {
    const { store, config } = this.#deps;
    const { workspace } = config;
    const isShown = shownScopes(projection, { workspace, asset });
    let events: readonly KnownEvent[] | undefined;
    try {
      const read = listHealthEvents(store.db, { limit: MOST_EVENTS, isShown });
      if (read.some(({ at }) => !isMoment(at))) throw new Error("an event is of no moment");
      events = read;
    } catch (cause) {
      logOf("health").error("the events of health cannot be read", { reason: storageFault(cause) });
    }
    return viewOf({ workspace, catalogue: CAPABILITIES, inventory, projection, events, asset });
  }

  #tell(unread: readonly PartName[], causes: readonly string[]): void {
    const names = unread.join(" ");
    if (names !== "" && names !== this.#unread) {
      logOf("health").error("the health of integrations cannot be read whole", { reason: causes.join("; ") });
    }
    this.#unread = names;
  }
}

const isWithin = ({ from, until }: Held, now: number): boolean => from <= now && now < until;

/** Undefined where not even that can be read. */
function markOf(db: Db): string | undefined {
  try {
    return changeMark(db);
  } catch {
    return undefined;
  }
}

/** When reports may be of another day (`newestDay`). */
function nextDayOf(now: number): number {
  return startOfDay(utcDayOf(now + CLOCK_TOLERANCE_MS)) + DAY_MS - CLOCK_TOLERANCE_MS;
}
