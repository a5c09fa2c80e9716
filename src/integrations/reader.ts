/** Reads the health of every integration from stored evidence, and keeps what was read while nothing is new. */

import { Elysia } from "elysia";
import { READ_REFUSALS } from "../access/access.ts";
import { ArchiveFacts, type PropertyArchive } from "../archive/property_archives.ts";
import { newestOutcomes } from "../archive/report_facts.ts";
import { assetId, type Endpoint, ref } from "../base/api_description.ts";
import type { Clock } from "../base/base.ts";
import type { Config } from "../base/config.ts";
import { matches, tagOf } from "../base/http_handler.ts";
import { logOf } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { anyText, QUERY_REFUSALS, Query } from "../base/query.ts";
import { storageFault } from "../base/storage_fault.ts";
import { CLOCK_TOLERANCE_MS, isMoment, newestDay, startOfDay, utcDayOf } from "../base/time.ts";
import { CAPABILITIES } from "../health/catalogue.ts";
import { type KnownEvent, listHealthEvents } from "../health/events.ts";
import { type ConstantsStore, silentHours } from "../sites/constants_store.ts";
import type { ConstantsInEffect } from "../sites/file_mirror.ts";
import { hasAsset } from "../sites/sites.ts";
import type { Db, Store } from "../store/store.ts";
import { changeMark, isForeign, type TableVersions, VersionedTables } from "../store/table_versions.ts";
import { type HealthView, MOST_EVENTS, type SiteHealthView } from "./integrations.ts";
import {
  type Inventory,
  type InventoryOf,
  type ListChannels,
  READ_FROM,
  readInventory,
} from "./inventory.ts";
import { HEALTH_EXAMPLE, HEALTH_SHAPES, payloadOf } from "./payload.ts";
import { type Projection, project, projectReports, type ReportStates } from "./report_states.ts";
import { shownScopes, viewOf } from "./view.ts";

interface HealthReaderDeps {
  readonly store: Pick<Store, "db" | "raw" | "rawRead">;
  readonly config: Pick<Config, "serviceAsset" | "workspace">;
  readonly constants: Pick<ConstantsStore, "current">;
  readonly listChannels: ListChannels;
  /** Whether storage refuses writes now: what happens meanwhile leaves no evidence, and nothing stored can say so. */
  readonly isRefused?: () => boolean;
}

const TABLES: readonly string[] = [...new Set([...Object.values(READ_FROM).flat(), "health_event"])];
const DAY_MS = 86_400_000;
/** After so long what nobody wrote to is read all the same: a page of the file may have been damaged. */
const REREAD_MS = 60_000;

/** What was read. */
interface Snapshot {
  /** Of the database: another one after every commit. */
  readonly mark: string;
  /** Of the tables that health is read from; undefined where that cannot be told. */
  readonly versions: TableVersions | undefined;
  readonly constants: ConstantsInEffect;
  readonly inventory: Inventory;
  readonly projection: Projection;
  /** When it was read, and until when it holds if nothing is written meanwhile. Milliseconds since the epoch; the end is not part of it. */
  readonly from: number;
  readonly until: number;
  /** The view of all sites, by whether storage refused writes. */
  readonly views: Map<boolean, HealthView>;
}

/**
 * Reads the health of every integration from what is stored: what is set up, the evidence of it, and one payload of both. Opens no connection,
 * starts nothing and stores nothing. What was read is kept for as long as none of its tables was written to, and no state changes by time alone.
 */
export class HealthReader {
  readonly #deps: HealthReaderDeps;
  readonly #tables: VersionedTables;
  readonly #archive: ArchiveFacts;
  #snapshot: Snapshot | undefined;
  /** The minute of the last read: the first of a minute looks through a part of the archive, too. */
  #minute = Number.NaN;
  /** What could not be read the last time, so that it is logged once. */
  #unread = "";

  constructor(deps: HealthReaderDeps) {
    this.#deps = deps;
    this.#archive = new ArchiveFacts(deps.store.db);
    this.#tables = new VersionedTables(deps.store, TABLES);
  }

  /**
   * How everything stands at a moment (milliseconds since the epoch), or one site where it is named. The same view of all for as long as
   * nothing is new. Never throws: where something cannot be read, the coverage says so.
   */
  read(now: number, asset?: string): HealthView {
    return this.#view(this.#current(now), now, asset);
  }

  /** One site twice over: each of its archived reports for itself, and all of a property as one. */
  readSite(now: number, asset: string): SiteHealthView {
    const snapshot = this.#current(now);
    const together = snapshot.projection.targets.flatMap(({ monitored: { capability, asset: of }, view }) =>
      of === asset && capability.ofReports ? [{ capability: capability.id, target: view }] : [],
    );
    return { view: this.#view(snapshot, now, asset), together };
  }

  #view(snapshot: Snapshot, now: number, asset: string | undefined): HealthView {
    const { inventory, projection, views } = snapshot;
    const isRefused = this.#deps.isRefused?.() === true;
    const known = asset === undefined ? views.get(isRefused) : undefined;
    if (known !== undefined) return known;
    const events = this.#eventsOf(snapshot, asset);
    const reports = asset === undefined ? undefined : this.#reportsOf(snapshot, asset, now);
    const isUnread = asset !== undefined && reports === undefined;
    const view = viewOf({
      workspace: this.#deps.config.workspace,
      catalogue: CAPABILITIES,
      inventory: isUnread ? { ...inventory, unread: [...inventory.unread, "archive"] } : inventory,
      projection,
      events,
      asset,
      reports,
      isRefused,
    });
    // What could not be read is tried again each time.
    if (asset === undefined && events !== undefined) views.set(isRefused, view);
    return view;
  }

  /** Reads ahead what is archived, a little in each turn, so that whoever asks next need not wait for all of it. */
  async keepUp(): Promise<void> {
    try {
      await this.#archive.keepUp(nextTurn);
    } catch {
      // What cannot be read is told by the read that somebody asks for.
    }
  }

  #current(now: number): Snapshot {
    const { store, constants } = this.#deps;
    const inEffect = constants.current();
    const snapshot =
      this.#snapshot?.constants === inEffect && isWithin(this.#snapshot, now) ? this.#snapshot : undefined;
    const mark = markOf(store.db);
    if (snapshot !== undefined && snapshot.mark === mark) return snapshot;
    // Before anything is read: what is written meanwhile is another touch.
    const versions = this.#tables.versions();
    const isFresh = snapshot !== undefined && now - snapshot.from < REREAD_MS;
    if (isFresh && mark !== undefined && isSame(snapshot.versions, versions)) {
      this.#snapshot = { ...snapshot, mark };
      return this.#snapshot;
    }
    const read = { ...this.#read(inEffect, versions, now), mark: mark ?? "" };
    // What could not be read is tried again each time, and nothing of before stands in for it.
    this.#snapshot = mark === undefined || read.inventory.unread.length > 0 ? undefined : read;
    return read;
  }

  #read(
    constants: ConstantsInEffect,
    versions: TableVersions | undefined,
    now: number,
  ): Omit<Snapshot, "mark"> {
    const { store, config, listChannels } = this.#deps;
    const before = this.#snapshot;
    const minute = Math.floor(now / REREAD_MS);
    const isMinuteNew = minute !== this.#minute;
    this.#minute = minute;
    const scope = refreshScope(before?.versions, versions) ?? (isMinuteNew ? { part: minute } : "changed");
    const known: InventoryOf["known"] = (part) =>
      !isMinuteNew && isSame(before?.versions, versions, READ_FROM[part])
        ? before?.inventory.parts[part]
        : undefined;
    const causes: string[] = [];
    const inventory = readInventory(store.db, {
      serviceAsset: config.serviceAsset,
      newestDay: newestDay(now),
      listChannels,
      archive: () => this.#archive.read(scope),
      known,
      onUnread: (part, cause) => causes.push(`${part}: ${storageFault(cause)}`),
    });
    const names = inventory.unread.join(" ");
    if (names !== "" && names !== this.#unread) {
      logOf("health").error("the health of integrations cannot be read whole", { reason: causes.join("; ") });
    }
    this.#unread = names;
    const projection = project({
      workspace: config.workspace,
      inventory,
      catalogue: CAPABILITIES,
      silentHoursOf: (site) => silentHours(constants.constants, site),
      now,
    });
    const until = Math.min(projection.until, nextDayOf(now));
    return { versions, constants, inventory, projection, from: now, until, views: new Map() };
  }

  /** The latest events of what is shown; undefined where they cannot be read. */
  #eventsOf({ projection }: Snapshot, asset: string | undefined): readonly KnownEvent[] | undefined {
    const { store, config } = this.#deps;
    const shown = shownScopes(projection, { workspace: config.workspace, asset });
    return this.#listed(() => listHealthEvents(store.db, { limit: MOST_EVENTS, ...shown }));
  }

  /** Each outcome of a site's archived reports; undefined where they cannot be read. */
  #reportsOf({ projection, inventory }: Snapshot, asset: string, now: number): ReportStates | undefined {
    const { db } = this.#deps.store;
    try {
      const outcomesOf = (archive: PropertyArchive, limit: number) => newestOutcomes(db, archive, limit);
      return projectReports({ projection, inventory }, outcomesOf, { asset, now });
    } catch (cause) {
      logOf("health").error("the reports of a site cannot be read", { asset, reason: storageFault(cause) });
      return undefined;
    }
  }

  #listed(read: () => KnownEvent[]): readonly KnownEvent[] | undefined {
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

/** Whether none of the tables was written to between two marks. */
const isSame = (
  before: TableVersions | undefined,
  now: TableVersions | undefined,
  tables = TABLES,
): boolean =>
  before !== undefined && now !== undefined && tables.every((table) => before.get(table) === now.get(table));

/**
 * Whether all of the archive is read. An attempt is added with all that it changes; what changed without one was rebuilt, or written by another
 * program.
 */
function refreshScope(
  before: TableVersions | undefined,
  versions: TableVersions | undefined,
): "all" | undefined {
  if (before === undefined || versions === undefined || isForeign(before, versions)) return "all";
  const isTouched = (table: string) => before.get(table) !== versions.get(table);
  const isRebuilt = ["archive_standing", "archive_day", "archive_target"].some(isTouched);
  return isRebuilt && !isTouched("archive_report") ? "all" : undefined;
}

const isWithin = ({ from, until }: Snapshot, now: number): boolean => from <= now && now < until;

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
    asset: anyText(
      "One site: what concerns it, and nothing else. A site that is not in the portfolio is not found; a retired one, and the service's own, have nothing to be read.",
      assetId,
    ),
  },
  answers: {
    200: { description: "How everything stands.", shape: ref("Health"), example: HEALTH_EXAMPLE },
    304: { description: "It still stands as the tag of `If-None-Match` says." },
  },
  shapes: HEALTH_SHAPES,
  refuses: [...READ_REFUSALS, "not-found", ...QUERY_REFUSALS],
} as const satisfies Endpoint;

/** A payload as it is sent. */
interface Body {
  readonly text: string;
  readonly tag: string;
}

/** `GET /api/integrations/health`. */
export function healthReads({ db, clock, health, authorizeHealth }: HealthReadDeps) {
  // A reader gives the same view while nothing is new: it is written once.
  const bodies = new WeakMap<HealthView, Body>();
  const bodyOf = (view: HealthView): Body => {
    const known = bodies.get(view);
    if (known !== undefined) return known;
    const text = JSON.stringify(payloadOf(view));
    const body = { text, tag: tagOf(text) };
    bodies.set(view, body);
    return body;
  };
  return new Elysia({ name: "health-reads" }).get(READ_HEALTH.path, ({ request }) => {
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
