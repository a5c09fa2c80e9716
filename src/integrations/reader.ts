/** Reads the health of every integration from stored evidence, and keeps what was read while nothing is new. */

import { Elysia } from "elysia";
import { READ_REFUSALS } from "../access/access.ts";
import { ArchiveFacts, newestOutcomes, type PropertyArchive } from "../archive/report_facts.ts";
import { type Endpoint, ref } from "../base/api_description.ts";
import { type Clock, onceOf } from "../base/base.ts";
import { matches, tagOf } from "../base/http_handler.ts";
import { logOf } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { ofSite, QUERY_REFUSALS, Query } from "../base/query.ts";
import { storageFault } from "../base/storage_fault.ts";
import { CLOCK_TOLERANCE_MS, DAY_MS, isMoment, newestDay, startOfDay, utcDayOf } from "../base/time.ts";
import { CAPABILITIES } from "../health/catalogue.ts";
import { type KnownEvent, listHealthEvents } from "../health/state_store.ts";
import type { ConstantsInEffect } from "../sites/constants_document.ts";
import { type ConstantsStore, silentHours } from "../sites/constants_store.ts";
import { hasAsset, listSites } from "../sites/sites.ts";
import type { Core } from "../store/core.ts";
import type { Db } from "../store/store.ts";
import {
  changeMark,
  isForeign,
  isSame,
  type TableVersions,
  VersionedTables,
} from "../store/table_versions.ts";
import { type HealthView, MOST_EVENTS } from "./integrations.ts";
import {
  type Inventory,
  type ListChannels,
  nothingOfSites,
  type PartName,
  READ_ALONE,
  READ_FROM,
  readInventory,
} from "./inventory.ts";
import { HEALTH_EXAMPLE, HEALTH_SHAPES, payloadOf } from "./payload.ts";
import { type Projection, project, projectReports, type ReportStates } from "./projection.ts";
import { shownScopes, type Viewed, viewOf } from "./view.ts";

interface HealthReaderDeps extends Core {
  readonly constants: Pick<ConstantsStore, "current">;
  readonly listChannels: ListChannels;
  /** Whether storage refuses writes now: what happens meanwhile leaves no evidence, and nothing stored can say so. */
  readonly isRefused?: () => boolean;
}

const TABLES: readonly string[] = [...new Set([...Object.values(READ_FROM).flat(), "health_event"])];
/** The site of a row that was written, in tables that a night of reports or a tick of pulls writes to all the time. */
const SITES: Readonly<Record<string, string>> = {
  asset: "NEW.id",
  attachment: "NEW.asset",
  codebase_report: "NEW.asset",
  pulse: "NEW.asset",
  pulse_freshness: "NEW.asset",
  refused_streak: "NEW.asset",
  health_target: "NEW.asset",
  health_state: "(SELECT asset FROM main.health_target WHERE id = NEW.target)",
  pull_target: "NEW.asset",
  pull_attempt: "(SELECT asset FROM main.pull_target WHERE id = NEW.target)",
};
/** Sites that are followed in one turn: some milliseconds. */
const SLICE = 100;
/** Sites that are looked at in one minute although nobody wrote to them: a page of the file may have been damaged. */
const MOST_LOOKED_AT = 1_000;

/** What a read rests on beside the tables. */
interface Ground {
  readonly constants: ConstantsInEffect;
  /** Whether storage refused writes. */
  readonly isRefused: boolean;
}

/** What was read. */
interface Snapshot extends Ground {
  /** Of the database: another one after every commit; undefined where not even that can be read. */
  readonly mark: string | undefined;
  /** Of the tables that health is read from; undefined where that cannot be told. */
  readonly versions: TableVersions | undefined;
  readonly inventory: Inventory;
  readonly projection: Projection;
  /** Of all sites; made when it is first asked for. */
  readonly view: () => HealthView;
  /** When it was read, and until when it holds if nothing is written meanwhile. Milliseconds since the epoch; the end is not part of it. */
  readonly from: number;
  readonly until: number;
}

/**
 * Reads the health of every integration from what is stored: what is set up, the evidence of it, and one payload of both. Opens no connection,
 * starts nothing and stores nothing. The last read is kept: it is handed out again while none of its tables was written to and no state
 * changes by time alone, and after a write only the parts are read again of which a table was written to, and only the sites are judged
 * again whose rows changed.
 */
export class HealthReader {
  readonly #deps: HealthReaderDeps;
  readonly #tables: VersionedTables;
  readonly #archive: ArchiveFacts;
  #last: Snapshot | undefined;
  /** What could not be read the last time, so that it is logged once. */
  #unread = "";
  /** The site that was looked at last. */
  #looked = "";
  /** By table the sites that were written to and are not read yet; null where that is not known. */
  #left: ReadonlyMap<string, ReadonlySet<string | null>> = new Map();
  /** Writes that were committed when all was read. */
  #written = 0;

  constructor(deps: HealthReaderDeps) {
    this.#deps = deps;
    this.#archive = new ArchiveFacts(deps.store.db);
    this.#tables = new VersionedTables(deps.store, TABLES, SITES);
  }

  /**
   * How everything stands at a moment (milliseconds since the epoch), or one site where it is named. The same view of all for as long as
   * nothing is new. Never throws: where something cannot be read, the coverage says so.
   */
  read(now: number, asset?: string): HealthView {
    const snapshot = this.#current(now);
    return asset === undefined ? snapshot.view() : this.#ofSite(snapshot, now, asset);
  }

  /** One site twice over: each of its archived reports for itself, and all of a property as one. */
  readSite(now: number, asset: string) {
    const snapshot = this.#current(now);
    // The reports of a property as one target, by capability.
    const together = (snapshot.projection.sites.get(asset)?.targets ?? []).flatMap(
      ({ monitored: { capability }, view }) =>
        capability.ofReports ? [{ capability: capability.id, target: view }] : [],
    );
    return { view: this.#ofSite(snapshot, now, asset), together };
  }

  /** Where much was written or nothing is known, follows it a little in each turn: the read that comes next, which waits for nothing, finds little to do. */
  async follow(clock: Clock): Promise<void> {
    const isFar = this.#last === undefined || this.#deps.writer.written - this.#written > SLICE;
    if (isFar) await this.#catchUp(clock.now());
  }

  async #catchUp(now: number): Promise<void> {
    if (this.#last === undefined) {
      const archived = this.#tables.versions();
      await this.#readArchiveAhead(true);
      if (this.#last === undefined) this.#current(now, { most: SLICE, archived });
    }
    for (let turn = 0; turn < MOST_TURNS && this.#isBehind(now); turn++) {
      this.#current(now, { most: SLICE });
      await nextTurn();
    }
  }

  #isBehind(now: number): boolean {
    if (this.#last === undefined || this.#tables.versions() === undefined) return false;
    this.#take();
    return this.#last.until <= now || sitesIn(this.#left, SLICE + 1).size > SLICE;
  }

  /** Takes up which sites were written to since. */
  #take(): void {
    const left = new Map(this.#left);
    for (const [table, sites] of this.#tables.takeSites())
      left.set(table, sites.union(left.get(table) ?? NOWHERE));
    this.#left = left;
  }

  /**
   * Reads ahead what is archived, a little in each turn, so that whoever asks next need not wait for all of it; and reads again what nobody
   * wrote to: of sites a share, so that of ten thousand each is looked at within ten minutes.
   */
  async keepUp(now: number): Promise<void> {
    if (this.#last !== undefined) await this.#readArchiveAhead();
    await this.#catchUp(now);
    const ids = (this.#last?.inventory.parts.sites ?? []).map(({ id }) => id);
    const from = ids.findIndex((id) => id > this.#looked);
    const share = [...ids.slice(Math.max(from, 0)), ...ids.slice(0, Math.max(from, 0))].slice(
      0,
      MOST_LOOKED_AT,
    );
    for (let place = 0; place < share.length; place += SLICE) {
      const sites = share.slice(place, place + SLICE);
      this.#current(now, { again: new Set(place === 0 ? ["", ...sites] : sites) });
      this.#looked = sites.at(-1) ?? "";
      await nextTurn();
    }
  }

  async #readArchiveAhead(isAll = false): Promise<void> {
    try {
      await this.#archive.keepUp(nextTurn, isAll);
    } catch {
      // What cannot be read is told by the read that somebody asks for.
    }
  }

  /**
   * `again` are sites whose rows are read again although nobody wrote to them, with '' all that is of no site. Of more than `most` sites that were
   * written to the rest is left to the next.
   */
  #current(
    now: number,
    { again = NOWHERE, most = Number.POSITIVE_INFINITY, archived }: Partial<Wanted> = {},
  ): Snapshot {
    const { store, constants, writer, isRefused } = this.#deps;
    const ground = { constants: constants.current(), isRefused: isRefused?.() === true };
    const mark = markOf(store.db);
    const last = this.#last;
    const holds =
      last !== undefined &&
      last.constants === ground.constants &&
      last.isRefused === ground.isRefused &&
      last.from <= now &&
      now < last.until;
    if (holds && last.mark === mark && again.size === 0 && this.#left.size === 0) return last;
    // Before anything is read: what is written meanwhile is another touch.
    const versions = this.#tables.versions();
    const isQuiet =
      holds && again.size === 0 && this.#left.size === 0 && isSame(last.versions, versions, TABLES);
    const snapshot =
      isQuiet && mark !== undefined
        ? { ...last, mark }
        : { ...this.#read(ground, versions, { now, again, most, archived, holds }), mark };
    if (this.#left.size === 0) this.#written = writer.written;
    // What could not be read is tried again each time, and nothing of before stands in for it.
    this.#last = mark !== undefined && snapshot.inventory.unread.length === 0 ? snapshot : undefined;
    return snapshot;
  }

  /** `holds` says that nothing but what was written can have changed anything. */
  #read(
    ground: Ground,
    versions: TableVersions | undefined,
    { now, again, most, archived, holds }: Wanted & { readonly now: number; readonly holds: boolean },
  ): Omit<Snapshot, "mark"> {
    const { store, config, listChannels } = this.#deps;
    const before = this.#last;
    if (versions !== undefined) this.#take();
    // A first read in turns begins with what is of no site, and leaves every site to the next.
    const isBegun = before === undefined && versions !== undefined && most < Number.POSITIVE_INFINITY;
    if (isBegun) this.#left = everySite(store.db);
    const left = this.#left;
    const slice = isBegun ? NO_SITE : sitesIn(left, most);
    const isKnown =
      isBegun || (before?.versions && versions && !isForeign(before.versions, versions)) === true;
    const isOfDay = before !== undefined && newestDay(now) === newestDay(before.from);
    const isSameDay = (part: PartName) => isOfDay || !OF_DAY.has(part);
    const isSameTable = (table: string) => isSame(before?.versions, versions, [table]) && !left.has(table);
    const sitesOf = (part: PartName) => {
      const tables = READ_FROM[part].filter((table) => !isSameTable(table));
      const isTold = isKnown && isSameDay(part) && tables.every((table) => SITES[table] !== undefined);
      const written = tables.map((table) => slice.intersection(left.get(table) ?? NOWHERE));
      const isSaid = isTold && !tables.some((table) => left.get(table)?.has(null));
      return isSaid
        ? (written.reduce<ReadonlySet<string | null>>(
            (all, some) => all.union(some),
            again,
          ) as ReadonlySet<string>)
        : undefined;
    };
    // Where it is not known which sites were written to, all of a part is read.
    const restOf = onceOf((sites: ReadonlySet<string | null>) =>
      isKnown && !sites.has(null) ? sites.difference(slice) : NOWHERE,
    );
    this.#left = new Map(
      [...left].flatMap(([table, sites]) => (restOf(sites).size === 0 ? [] : [[table, restOf(sites)]])),
    );
    const causes: string[] = [];
    const inventory = readInventory(store.db, {
      serviceAsset: config.serviceAsset,
      newestDay: newestDay(now),
      listChannels,
      archive: () => this.#archive.read(isArchiveRebuilt(before?.versions ?? archived, versions)),
      before: isBegun
        ? { parts: nothingOfSites(), isOld: () => true, sitesOf: () => NO_SITE }
        : before && {
            parts: before.inventory.parts,
            isOld: (part) =>
              again.has("") ||
              (again.size > 0 && READ_ALONE.has(part)) ||
              !isSameDay(part) ||
              !READ_FROM[part].every(isSameTable),
            sitesOf,
          },
      onUnread: (part, cause) => causes.push(`${part}: ${storageFault(cause)}`),
    });
    const names = inventory.unread.join(" ");
    if (names !== "" && names !== this.#unread) {
      logOf("health").error("the health of integrations cannot be read whole", { reason: causes.join("; ") });
    }
    this.#unread = names;
    const isQuiet =
      holds &&
      before !== undefined &&
      inventory.isSame &&
      isSame(before.versions, versions, ["health_event"]);
    if (isQuiet) return { ...before, versions };
    const waiting = [...new Set(this.#left.values())];
    const projection = project({
      workspace: config.workspace,
      inventory,
      catalogue: CAPABILITIES,
      silentHoursOf: (site) => silentHours(ground.constants.constants, site),
      now,
      isLeft: (site) => waiting.some((sites) => sites.has(site)),
      before: before?.constants === ground.constants ? before.projection : undefined,
    });
    const until = Math.min(projection.until, nextDayOf(now));
    const view = this.#viewLater(ground, inventory, projection);
    return { ...ground, versions, inventory, projection, view, from: now, until };
  }

  /** The view of all sites, made when it is first asked for. By itself, so that it holds nothing of the read before. */
  #viewLater(ground: Ground, inventory: Inventory, projection: Projection): () => HealthView {
    const made = onceOf((_: Projection) => {
      const events = this.#eventsOf(projection, undefined);
      // What could not be read is tried again each time.
      if (events === undefined && this.#last?.projection === projection) this.#last = undefined;
      return this.#viewOf({ ...ground, inventory, projection, events, asset: undefined, reports: undefined });
    });
    return () => made(projection);
  }

  /** One site, with each of its archived reports for itself. */
  #ofSite(snapshot: Snapshot, now: number, asset: string): HealthView {
    const { projection, inventory } = snapshot;
    const reports = this.#reportsOf(projection, asset, now);
    return this.#viewOf({
      ...snapshot,
      inventory: reports ? inventory : { ...inventory, unread: [...inventory.unread, "archive"] },
      events: this.#eventsOf(projection, asset),
      asset,
      reports,
    });
  }

  #viewOf(of: Omit<Viewed, "workspace" | "catalogue">): HealthView {
    return viewOf({ ...of, workspace: this.#deps.config.workspace, catalogue: CAPABILITIES });
  }

  /** The latest events of what is shown; undefined where they cannot be read. */
  #eventsOf(projection: Projection, asset: string | undefined): readonly KnownEvent[] | undefined {
    const { store, config } = this.#deps;
    try {
      const shown = shownScopes(projection, { workspace: config.workspace, asset });
      const events = listHealthEvents(store.db, { limit: MOST_EVENTS, ...shown });
      if (events.some(({ at }) => !isMoment(at))) throw new Error("an event is of no moment");
      return events;
    } catch (cause) {
      logOf("health").error("the events of health cannot be read", { reason: storageFault(cause) });
      return undefined;
    }
  }

  /** Each outcome of a site's archived reports; undefined where they cannot be read. */
  #reportsOf(projection: Projection, asset: string, now: number): ReportStates | undefined {
    const { db } = this.#deps.store;
    try {
      const outcomesOf = (archive: PropertyArchive, limit: number) => newestOutcomes(db, archive, limit);
      return projectReports(projection, outcomesOf, { asset, now });
    } catch (cause) {
      logOf("health").error("the reports of a site cannot be read", { asset, reason: storageFault(cause) });
      return undefined;
    }
  }
}

const NOWHERE: ReadonlySet<string> = new Set();
/** What is of no single site. */
const NO_SITE: ReadonlySet<string> = new Set([""]);

/** As if each site had been written to, in the tables of what is read of one site alone; not that of the sites, which would be listed anew in each turn. */
function everySite(db: Db): ReadonlyMap<string, ReadonlySet<string>> {
  const sites = new Set(listSites(db).map(({ id }) => id));
  const tables = [...READ_ALONE].flatMap((part) => READ_FROM[part]);
  return new Map(tables.flatMap((table) => (table in SITES && table !== "asset" ? [[table, sites]] : [])));
}

/** So many turns one read is prepared for at the most, however fast others write. */
const MOST_TURNS = 200;

/** What a read takes up beside what changes with time. */
interface Wanted {
  readonly again: ReadonlySet<string>;
  readonly most: number;
  /** The tables before what is archived was read ahead. */
  readonly archived?: TableVersions | undefined;
}

/** At most so many of the sites that were written to. */
function sitesIn(
  left: ReadonlyMap<string, ReadonlySet<string | null>>,
  most: number,
): ReadonlySet<string | null> {
  const some = new Set<string | null>();
  for (const sites of left.values()) {
    for (const site of sites) {
      if (some.size === most) return some;
      some.add(site);
    }
  }
  return some;
}

/** What is read as of a day. */
const OF_DAY: ReadonlySet<PartName> = new Set(["nights", "codebase"]);

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Whether all of the archive is read. An attempt is added with all that it changes; what changed without one was rebuilt, or written by another
 * program.
 */
function isArchiveRebuilt(before: TableVersions | undefined, versions: TableVersions | undefined): boolean {
  if (before === undefined || versions === undefined || isForeign(before, versions)) return true;
  const isTouched = (table: string) => before.get(table) !== versions.get(table);
  return (
    ["archive_standing", "archive_day", "archive_target"].some(isTouched) && !isTouched("archive_report")
  );
}

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

/** What reading health over the API needs. */

interface HealthReadDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly health: Pick<HealthReader, "read">;
  readonly authorizeHealth: (request: Request) => unknown;
}

export const READ_HEALTH = {
  id: "readIntegrationHealth",
  tag: "Reading",
  method: "GET",
  path: "/api/integrations/health",
  listeners: ["tower"],
  summary: "Read the health of every integration",
  description:
    "How each capability of each site stands, from stored evidence alone: reading asks no provider anything. It has an ETag, and `If-None-Match` is answered with 304 while nothing is new. Where what is set up cannot be read, the answer is 200 all the same and `coverage` is `unknown`.",
  open: "health-reader",
  query: {
    asset: ofSite(
      "One site: what concerns it, and nothing else. A site that is not in the portfolio is not found; a retired one, and the service's own, have nothing to be read.",
    ),
  },
  answers: {
    200: { description: "How everything stands.", shape: ref("Health"), example: HEALTH_EXAMPLE },
    304: { description: "It still stands as the tag of `If-None-Match` says." },
  },
  shapes: HEALTH_SHAPES,
  refuses: [...READ_REFUSALS, "not-found", ...QUERY_REFUSALS],
} as const satisfies Endpoint;

/** `GET /api/integrations/health`. */
export function healthReads({ db, clock, health, authorizeHealth }: HealthReadDeps) {
  // A reader gives the same view while nothing is new: it is written once.
  const bodyOf = onceOf((view: HealthView) => {
    const text = JSON.stringify(payloadOf(view));
    return { text, tag: tagOf(text) };
  });
  return new Elysia().get(READ_HEALTH.path, ({ request }) => {
    authorizeHealth(request);
    const asset = new Query(request, READ_HEALTH.query).value("asset");
    const view = health.read(clock.now(), asset);
    if (asset !== undefined && view.coverage.state === "empty" && !hasAsset(db, asset)) {
      throw new Problem("not-found", "No such site.");
    }
    const { text, tag } = bodyOf(view);
    const headers = { etag: tag, "cache-control": "private, no-cache" };
    if (matches(request.headers.get("if-none-match"), tag))
      return new Response(null, { status: 304, headers });
    return new Response(text, { headers: { ...headers, "content-type": "application/json;charset=utf-8" } });
  });
}
