import { ArchiveFacts, newestOutcomes, type PropertyArchive, type ReadAnew } from "../archive/mod.ts";
import { type ConstantsInEffect, type ConstantsStore, silentHours } from "../constants/mod.ts";
import {
  changeMark,
  type Db,
  isForeign,
  type Store,
  storageFault,
  TouchedTables,
  type Touches,
} from "../db/mod.ts";
import {
  CAPABILITIES,
  type KnownEvent,
  lastEventId,
  listHealthEvents,
  listHealthEventsSince,
} from "../health/mod.ts";
import { isMoment } from "../lib/instant.ts";
import { startOfDay, utcDayOf } from "../lib/utc_day.ts";
import type { Config } from "../platform/config.ts";
import { logOf } from "../platform/log.ts";
import { CLOCK_TOLERANCE_MS, newestDay } from "../platform/not_ahead.ts";
import { type HealthEventView, type HealthView, MOST_EVENTS, type SiteHealthView } from "./contract.ts";
import { type Inventory, type PartName, type Parts, READ_FROM, readInventory } from "./inventory.ts";
import { type Projection, project, projectReports, type ReportsStood } from "./project.ts";
import { eventIn, shownScopes, viewOf } from "./view.ts";

/** What reading health needs: stored evidence, and nothing that could ask anybody. */
export interface HealthReaderDeps {
  readonly store: Pick<Store, "db" | "raw" | "rawRead">;
  readonly config: Pick<Config, "serviceAsset" | "workspace">;
  readonly constants: Pick<ConstantsStore, "current">;
  /** Whether storage refuses writes now: what happens meanwhile leaves no evidence, and nothing stored can say so. */
  readonly isRefused?: () => boolean;
}

/** Sites whose views are kept, beside the view of all. */
const MOST_KEPT = 64;
const DAY_MS = 86_400_000;
/** After so long what nobody wrote to is read all the same: a page of the file may have been damaged. */
const READ_WHOLE_MS = 60_000;

/** What was read, and by what it holds. */
interface Held {
  /** Of the database: another one after every commit. */
  readonly mark: string;
  /** Of the tables: those that were not written to since have the same. Undefined where that cannot be told. */
  readonly touches: Touches | undefined;
  /** When all of it was last read, written to or not. Milliseconds since the epoch. */
  readonly wholeAt: number;
  /** The number of the last event. */
  readonly lastEvent: number;
  readonly constants: ConstantsInEffect;
  readonly inventory: Inventory;
  readonly projection: Projection;
  /** From when to when it holds, if nothing is written meanwhile. Milliseconds since the epoch; the end is not part of it. */
  readonly from: number;
  readonly until: number;
  /** By the site that is asked for, '' for all, and by whether storage refused writes. */
  readonly views: Map<string, KeptView>;
}

interface KeptView {
  readonly view: HealthView;
  /** Until when it holds, like what was read: the outcomes of one site's reports have moments of their own. */
  readonly until: number;
}

/**
 * Reads the health of every integration from what is stored. Opens no connection, starts nothing and stores nothing. What was read is
 * kept for as long as nothing of it was written, and no state changes by time alone.
 */
export class HealthReader {
  readonly #deps: HealthReaderDeps;
  readonly #tables: TouchedTables;
  readonly #archive: ArchiveFacts;
  #held: Held | undefined;
  /** What could not be read the last time, so that it is logged once. */
  #unread = "";

  constructor(deps: HealthReaderDeps) {
    this.#deps = deps;
    this.#archive = new ArchiveFacts(deps.store.db);
    this.#tables = new TouchedTables(deps.store, [...new Set(Object.values(READ_FROM).flat())]);
  }

  /**
   * How everything stands at a moment (milliseconds since the epoch), or one site where it is named. The same view for as long as nothing
   * is new. Never throws: where something cannot be read, the coverage says so.
   */
  read(now: number, asset?: string): HealthView {
    return this.#view(this.#current(now), now, asset);
  }

  /** One site twice over: each of its archived reports for itself, and all of a property as one. */
  readSite(now: number, asset: string): SiteHealthView {
    const held = this.#current(now);
    const together = held.projection.targets.flatMap(({ setUp: { capability, asset: of }, view }) =>
      of === asset && capability.ofReports ? [{ capability: capability.id, target: view }] : [],
    );
    return { view: this.#view(held, now, asset), together };
  }

  #view(held: Held, now: number, asset: string | undefined): HealthView {
    const isRefused = this.#deps.isRefused?.() === true;
    const key = `${isRefused} ${asset ?? ""}`;
    const known = held.views.get(key);
    if (known !== undefined && now < known.until) return known.view;
    const events = this.#eventsOf(held, asset);
    const reports = asset === undefined ? undefined : this.#reportsOf(held, asset, now);
    const isUnread = asset !== undefined && reports === undefined;
    const { workspace } = this.#deps.config;
    const { projection } = held;
    const { unread } = held.inventory;
    const inventory = isUnread
      ? { ...held.inventory, unread: [...unread, "archive" as const] }
      : held.inventory;
    const view = viewOf({
      workspace,
      catalogue: CAPABILITIES,
      inventory,
      projection,
      events,
      asset,
      reports,
      isRefused,
    });
    if (events === undefined || isUnread) return view;
    if (held.views.size >= MOST_KEPT) held.views.clear();
    held.views.set(key, { view, until: reports?.until ?? Number.POSITIVE_INFINITY });
    return view;
  }

  /**
   * The events after a moment, newest first, at most `limit`: where a view's latest ones do not reach back so far. Never throws: where they
   * cannot be read there are none, and the coverage of a view says so.
   */
  eventsSince(now: number, since: number, limit: number): readonly HealthEventView[] {
    const { store, config } = this.#deps;
    const { isShown } = shownScopes(this.#current(now).projection, {
      workspace: config.workspace,
      asset: undefined,
    });
    const events = this.#told(() => listHealthEventsSince(store.db, { since, limit, isShown }));
    return (events ?? []).map(eventIn(CAPABILITIES));
  }

  /** Reads ahead what is archived, a little in each turn, so that whoever asks next need not wait for all of it. */
  async keepUp(): Promise<void> {
    try {
      await this.#archive.keepUp(nextTurn);
    } catch {
      // What cannot be read is told by the read that somebody asks for.
    }
  }

  #current(now: number): Held {
    const { store, constants } = this.#deps;
    const inEffect = constants.current();
    const held = this.#held?.constants === inEffect && isWithin(this.#held, now) ? this.#held : undefined;
    const mark = markOf(store.db);
    if (held !== undefined && held.mark === mark) return held;
    // Before anything is read: what is written meanwhile is another touch.
    const touches = this.#tables.touches();
    const isWhole = held === undefined || Math.abs(now - held.wholeAt) >= READ_WHOLE_MS;
    const inventory = this.#inventory(now, {
      known: isWhole ? () => undefined : partsLeftAlone(held, touches),
      anew: archiveAnew(this.#held?.touches, touches, { isWhole, now }),
    });
    const wholeAt = isWhole ? now : held.wholeAt;
    const lastEvent = lastEventOf(store.db);
    if (mark === undefined || lastEvent === undefined || inventory.unread.length > 0) {
      // What could not be read is tried again each time, and nothing of before stands in for it.
      this.#held = undefined;
      return this.#projected(
        inventory,
        { mark: "", touches: undefined, wholeAt, lastEvent: 0, constants: inEffect },
        now,
      );
    }
    // Much of what is written says nothing else: then what was worked out stands, too.
    const isSame = held?.lastEvent === lastEvent && isSameInventory(held.inventory, inventory);
    this.#held =
      held !== undefined && isSame
        ? { ...held, mark, touches, wholeAt }
        : this.#projected(inventory, { mark, touches, wholeAt, lastEvent, constants: inEffect }, now);
    return this.#held;
  }

  #inventory(now: number, { known, anew }: { readonly known: Known; readonly anew: ReadAnew }): Inventory {
    const { store, config } = this.#deps;
    const causes: string[] = [];
    const inventory = readInventory(store.db, {
      serviceAsset: config.serviceAsset,
      newestDay: newestDay(now),
      known,
      archive: () => this.#archive.read(anew),
      onUnread: (part, cause) => causes.push(`${part}: ${storageFault(cause)}`),
    });
    const names = inventory.unread.join(" ");
    if (names !== "" && names !== this.#unread) {
      logOf("health").error("the health of integrations cannot be read whole", { reason: causes.join("; ") });
    }
    this.#unread = names;
    return inventory;
  }

  #projected(
    inventory: Inventory,
    by: Omit<Held, "inventory" | "projection" | "from" | "until" | "views">,
    now: number,
  ): Held {
    const projection = project({
      workspace: this.#deps.config.workspace,
      inventory,
      catalogue: CAPABILITIES,
      silentHoursOf: (site) => silentHours(by.constants.constants, site),
      now,
    });
    const until = Math.min(projection.until, nextDayOf(now));
    return { ...by, inventory, projection, from: now, until, views: new Map() };
  }

  /** The latest events of what is shown; undefined where they cannot be read. */
  #eventsOf({ projection }: Held, asset: string | undefined): readonly KnownEvent[] | undefined {
    const { store, config } = this.#deps;
    const shown = shownScopes(projection, { workspace: config.workspace, asset });
    return this.#told(() => listHealthEvents(store.db, { limit: MOST_EVENTS, ...shown }));
  }

  /** Each outcome of a site's archived reports; undefined where they cannot be read. */
  #reportsOf({ projection, inventory }: Held, asset: string, now: number): ReportsStood | undefined {
    const { db } = this.#deps.store;
    try {
      const outcomesOf = (archive: PropertyArchive, limit: number) => newestOutcomes(db, archive, limit);
      return projectReports({ projection, inventory }, outcomesOf, { asset, now });
    } catch (cause) {
      logOf("health").error("the reports of a site cannot be read", { asset, reason: storageFault(cause) });
      return undefined;
    }
  }

  #told(read: () => KnownEvent[]): readonly KnownEvent[] | undefined {
    try {
      const events = read();
      if (events.some(({ at }) => !isMoment(at))) throw new Error("an event is of no moment");
      return events;
    } catch (cause) {
      logOf("health").error("the events of health cannot be read", { reason: storageFault(cause) });
      return undefined;
    }
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

type Known = <Name extends PartName>(part: Name) => Parts[Name] | undefined;

/** Parts of what was read before that no table of was written to since. */
function partsLeftAlone({ touches: before, inventory }: Held, now: Touches | undefined): Known {
  if (before === undefined || now === undefined) return () => undefined;
  const isLeftAlone = (table: string) => before.get(table) === now.get(table);
  return (part) => (READ_FROM[part].every(isLeftAlone) ? inventory.parts[part] : undefined);
}

/**
 * How much is read of the archive. An attempt is added with all that it changes; what stands otherwise without one was made anew, or written
 * by another program.
 */
function archiveAnew(
  before: Touches | undefined,
  touches: Touches | undefined,
  { isWhole, now }: { readonly isWhole: boolean; readonly now: number },
): ReadAnew {
  if (before === undefined || touches === undefined || isForeign(before, touches)) return "all";
  const isTouched = (table: string) => before.get(table) !== touches.get(table);
  const isMadeAnew = ["archive_standing", "archive_day", "archive_target"].some(isTouched);
  if (isMadeAnew && !isTouched("archive_report")) return "all";
  return isWhole ? { part: Math.floor(now / READ_WHOLE_MS) } : "changed";
}

/** Whether two inventories say the same: parts that were not read anew do. */
function isSameInventory({ parts }: Inventory, { parts: others }: Inventory): boolean {
  return (Object.keys(parts) as PartName[]).every(
    (name) => parts[name] === others[name] || Bun.deepEquals(parts[name], others[name]),
  );
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

/** Undefined where it cannot be read. */
function lastEventOf(db: Db): number | undefined {
  try {
    return lastEventId(db);
  } catch {
    return undefined;
  }
}

/** When reports may be of another day (`newestDay`). */
function nextDayOf(now: number): number {
  return startOfDay(utcDayOf(now + CLOCK_TOLERANCE_MS)) + DAY_MS - CLOCK_TOLERANCE_MS;
}
