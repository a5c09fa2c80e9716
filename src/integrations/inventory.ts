/**
 * Gathers what is set up and to be watched, and what is stored of it. Each part is read for itself: one that cannot be read, or does not
 * say what it should, is named, and nothing stands in its place.
 */

import { listTokensOf, type TokenInForce } from "../access/api_tokens.ts";
import { type ArchiveBySite, ArchiveFacts, type PropertyArchive } from "../archive/report_facts.ts";
import { isMoment, type UtcDay, utcDayOf } from "../base/time.ts";
import { listLasting, type MonitoringFailure } from "../health/monitoring.ts";
import { listPauses, type Pause } from "../health/pauses.ts";
import { listStreakEnds, type StreakEnd } from "../health/refusals.ts";
import { type KnownState, listHealthStates } from "../health/state_store.ts";
import { isProvider } from "../providers/adapter.ts";
import { listDetachments, listStoredAttachments, type StoredAttachment } from "../providers/attachments.ts";
import { type Credential, type Detachment, listCredentials } from "../providers/credentials.ts";
import { listUsable, type UsableProperty } from "../providers/properties.ts";
import { type LastReport, listLastReports } from "../reports/codebase.ts";
import { type LastNight, listLastNights } from "../reports/pulse.ts";
import { type AskedQuestion, listAskedQuestions } from "../signals/live_traffic.ts";
import { listPanels, type Panel } from "../signals/panels.ts";
import { listSourceAttempts, type SourceAttempt } from "../signals/pull_standing.ts";
import { type Calendar, listCalendars } from "../sites/calendars.ts";
import { listPlacedSites, type PlacedSite } from "../sites/sites.ts";
import type { Db } from "../store/store.ts";

/** An attachment over a connection that is there. */
export type Connected = StoredAttachment & { readonly connectionRevision: string };

/** A channel of notices, as far as its health goes. */
interface Channel {
  readonly id: string;
  readonly kind: string;
  readonly connection_revision: string;
  readonly changed_at: number;
  readonly paused_at: number | null;
}

/** Lists the channels: notices lie above this room, and hand their reader down. */
export type ListChannels = (db: Db) => readonly Channel[];

/** What each part holds. Times are milliseconds since the epoch. */
export interface Parts {
  /** Every site but the service's own, retired ones too, by id. */
  readonly sites: readonly PlacedSite[];
  readonly attachments: readonly Connected[];
  readonly detachments: readonly Detachment[];
  readonly accounts: readonly Credential[];
  /** Addresses that accounts of webmaster tools listed. */
  readonly listed: readonly UsableProperty[];
  readonly panels: readonly Panel[];
  readonly pauses: readonly Pause[];
  readonly questions: readonly AskedQuestion[];
  /** Tokens that annotations can be posted with. */
  readonly senders: readonly TokenInForce[];
  readonly calendars: readonly Pick<Calendar, "id" | "asset" | "connection_revision" | "added_at">[];
  /** Channels that notices go to. */
  readonly channels: readonly Channel[];
  readonly nights: readonly LastNight[];
  readonly codebase: readonly LastReport[];
  readonly refused: readonly StreakEnd[];
  readonly states: readonly KnownState[];
  readonly attempts: readonly SourceAttempt[];
  readonly archive: ArchiveBySite;
  readonly monitoring: readonly MonitoringFailure[];
}

export type PartName = keyof Parts;

/** What was read of them: a part that could not be is undefined. */
export type KnownParts = { readonly [Name in PartName]: Parts[Name] | undefined };

/** What was read, and the names of the parts that could not be. */
export interface Inventory {
  readonly parts: KnownParts;
  readonly unread: readonly PartName[];
  /** The sites whose rows are others than in `before`; undefined where those of any site may be. */
  readonly changed?: ReadonlySet<string> | undefined;
}

/** What is read, as it is called in a sentence. */
export const PART_WORDS: Readonly<Record<PartName, string>> = {
  sites: "the sites",
  attachments: "the connections of sites",
  detachments: "the connections that were taken away",
  accounts: "the accounts",
  listed: "what the accounts list",
  panels: "the search result panels",
  pauses: "what is paused",
  questions: "who asked for live traffic",
  senders: "the tokens of senders",
  calendars: "the calendars",
  channels: "the channels of notices",
  nights: "when nightly reports came",
  codebase: "when codebase reports came",
  refused: "which reports were refused",
  states: "what attempts came to",
  attempts: "which attempts were made",
  archive: "which reports are archived",
  monitoring: "what is not watched",
};

/** The tables that each part is read from: a write to any other leaves it as it was. */
export const READ_FROM: Readonly<Record<PartName, readonly string[]>> = {
  sites: ["asset"],
  attachments: ["attachment", "credential"],
  detachments: ["detachment"],
  accounts: ["credential"],
  listed: ["property"],
  panels: ["panel"],
  pauses: ["health_pause"],
  questions: ["live_lease"],
  senders: ["api_token"],
  calendars: ["calendar"],
  channels: ["channel"],
  nights: ["pulse_freshness", "pulse"],
  // Asked for each site.
  codebase: ["asset", "codebase_report"],
  refused: ["refused_streak"],
  states: ["health_target", "health_state"],
  attempts: ["pull_target", "pull_attempt"],
  archive: ["archive_target", "archive_report", "archive_day", "archive_standing", "archive_skip"],
  monitoring: ["monitoring_failure"],
};

/** What reading depends on beside the database. */
export interface InventoryOf {
  readonly serviceAsset: string;
  /** The newest day that a report can be of. */
  readonly newestDay: UtcDay;
  readonly listChannels: ListChannels;
  /** What was read before, and the parts of it that are to be read again. */
  readonly before?:
    | {
        readonly parts: KnownParts;
        readonly isOld: (part: PartName) => boolean;
        /** The sites of which a part is to be read again, where nothing else of it was written to. */
        readonly sitesOf?: (part: PartName) => ReadonlySet<string> | undefined;
      }
    | undefined;
  /** Reads what is archived; all of it where it is absent. */
  readonly archive?: () => ArchiveBySite;
  /** Hears why a part could not be read. */
  readonly onUnread: (part: PartName, cause: unknown) => void;
}

type RowOf<Part> = Part extends readonly (infer Row)[] ? Row : [string, readonly PropertyArchive[]];

/** Which site a row is of, in parts that hold rows of single sites; '' where it concerns a whole account. */
const SITE_OF: { readonly [Name in PartName]?: (row: RowOf<Parts[Name]>) => string } = {
  sites: ({ id }) => id,
  attachments: ({ asset }) => asset,
  detachments: ({ asset }) => asset,
  panels: ({ asset }) => asset,
  questions: ({ asset }) => asset,
  nights: ({ asset }) => asset,
  codebase: ({ asset }) => asset,
  refused: ({ asset }) => asset,
  states: ({ scope }) => scope.asset,
  attempts: ({ asset }) => asset,
  archive: ([asset]) => asset,
};

/** The sites of rows that are others than before, '' where that concerns more than single sites. */
function changedSites(name: PartName, known: Parts[PartName] | undefined, found: Parts[PartName]): string[] {
  const siteOf = (SITE_OF[name] ?? (() => "")) as (row: unknown) => string;
  const [before, now] = [[...(known ?? [])], [...found]];
  const sites: string[] = [];
  for (let place = 0; place < Math.max(before.length, now.length); place++) {
    const [one, other] = [before[place], now[place]];
    if (one === other || Bun.deepEquals(one, other)) continue;
    for (const row of [one, other]) if (row !== undefined) sites.push(siteOf(row));
  }
  return sites;
}

/** Of more sites, finding the rows of each takes longer than reading all. */
const MOST_SITES = 32;

/**
 * The rows of before with those of some sites read again, each in the place of one of its site; undefined where a site has more or fewer of
 * them. So an attempt at one of ten thousand sites has nothing read of the others.
 */
function patchedRows<Row>(
  known: readonly Row[],
  sites: ReadonlySet<string>,
  {
    siteOf,
    read,
  }: { readonly siteOf: (row: Row) => string; readonly read: (site: string) => readonly Row[] },
): Row[] | undefined {
  if (sites.size > MOST_SITES) return undefined;
  const rows = [...known];
  const bySite = new Map(groupedRows(known, siteOf));
  for (const site of sites) {
    const found = read(site);
    const old = bySite.get(site) ?? NONE;
    if (found.length !== old.length) return undefined;
    let from = 0;
    for (const [place, row] of old.entries()) {
      from = rows.indexOf(row, from);
      rows[from] = found[place] as Row;
    }
    bySite.set(site, found);
  }
  GROUPED.set(rows, bySite);
  return rows;
}

/** The rows of one site, part by part; a part that could not be read is undefined. */
export type SiteRows = ReturnType<ReturnType<typeof rowsBySite>>;

/** Finds the rows of a site; grouped once for as long as they are not read again, when the first is asked for. */
export function rowsBySite(parts: KnownParts) {
  const [attachments, detachments] = [grouped(parts.attachments), grouped(parts.detachments)];
  const [panels, questions] = [grouped(parts.panels), grouped(parts.questions)];
  const [nights, codebase] = [grouped(parts.nights), grouped(parts.codebase)];
  const [refused, attempts] = [grouped(parts.refused), grouped(parts.attempts)];
  const states = grouped(parts.states, ({ scope }) => scope.asset);
  return (asset: string) => ({
    attachments: attachments(asset),
    detachments: detachments(asset),
    panels: panels(asset),
    questions: questions(asset),
    nights: nights(asset),
    codebase: codebase(asset),
    refused: refused(asset),
    attempts: attempts(asset),
    states: states(asset),
    archive: parts.archive && (parts.archive.get(asset) ?? NONE),
  });
}

const NONE: readonly never[] = [];

function grouped<Row>(
  rows: readonly Row[] | undefined,
  siteOf = (row: Row): string => (row as { readonly asset: string }).asset,
): (asset: string) => readonly Row[] | undefined {
  return (asset) => rows && (groupedRows(rows, siteOf).get(asset) ?? NONE);
}

const GROUPED = new WeakMap<readonly unknown[], ReadonlyMap<string, readonly unknown[]>>();

function groupedRows<Row>(
  rows: readonly Row[],
  siteOf: (row: Row) => string,
): ReadonlyMap<string, readonly Row[]> {
  const known = GROUPED.get(rows) as ReadonlyMap<string, readonly Row[]> | undefined;
  const bySite = known ?? Map.groupBy(rows, siteOf);
  if (known === undefined) GROUPED.set(rows, bySite);
  return bySite;
}

/** Reads all of it that is not known. Never throws. */
export function readInventory(
  db: Db,
  {
    serviceAsset,
    newestDay,
    listChannels,
    before,
    archive = () => new ArchiveFacts(db).read(true),
    onUnread,
  }: InventoryOf,
): Inventory {
  const unread: PartName[] = [];
  const changed = new Set<string>();
  const part = <Name extends PartName>(
    name: Name,
    read: () => Parts[Name],
    patch?: (known: Parts[Name], sites: ReadonlySet<string>) => Parts[Name] | undefined,
  ): Parts[Name] | undefined => {
    try {
      const known = before?.parts[name];
      if (known !== undefined && before?.isOld(name) === false) return known;
      const sites = known && before?.sitesOf?.(name);
      const found = (known && sites && patch?.(known, sites)) ?? read();
      for (const site of changedSites(name, known, found)) changed.add(site);
      return found;
    } catch (cause) {
      unread.push(name);
      onUnread(name, cause);
      return undefined;
    }
  };
  const sites = part("sites", () =>
    dated(listPlacedSites(db), ["addedAt", "wentLiveAt"]).filter(({ id }) => id !== serviceAsset),
  );
  const parts = {
    sites,
    attachments: part("attachments", () => dated(listStoredAttachments(db).map(connected), ["attachedAt"])),
    detachments: part("detachments", () => dated(listDetachments(db).map(ofKnownProvider), ["detachedAt"])),
    accounts: part("accounts", () => dated(listCredentials(db), ["connectedAt"])),
    listed: part("listed", () => listUsable(db, "webmaster-tools")),
    panels: part("panels", () => dated(listPanels(db), ["created_at"])),
    pauses: part("pauses", () => dated(listPauses(db), ["pausedAt", "until"])),
    questions: part("questions", () => dated(listAskedQuestions(db), ["takenAt"])),
    senders: part("senders", () => dated(listTokensOf(db, "annotations"), ["createdAt"])),
    calendars: part("calendars", () => dated(listCalendars(db), ["added_at"])),
    channels: part("channels", () => dated(listChannels(db), ["changed_at", "paused_at"])),
    nights: part("nights", () => dated(listLastNights(db, newestDay), ["at"])),
    codebase: part("codebase", () =>
      dated(
        listLastReports(
          db,
          (sites ?? []).map(({ id }) => id),
          newestDay,
        ),
        ["receivedAt"],
      ),
    ),
    refused: part("refused", () => dated(listStreakEnds(db), ["lastAt"])),
    states: part(
      "states",
      () => listHealthStates(db),
      (known, sites) =>
        patchedRows(known, sites, {
          siteOf: ({ scope }) => scope.asset,
          read: (asset) => listHealthStates(db, { asset }),
        }),
    ),
    attempts: part(
      "attempts",
      () => dated(listSourceAttempts(db), ["startedAt"]),
      (known, sites) =>
        patchedRows(known, sites, {
          siteOf: ({ asset }) => asset,
          read: (asset) => dated(listSourceAttempts(db, asset), ["startedAt"]),
        }),
    ),
    archive: part("archive", archive),
    monitoring: part("monitoring", () => dated(listLasting(db), ["since"])),
  };
  return {
    parts,
    unread,
    changed: before === undefined || unread.length > 0 || changed.has("") ? undefined : changed,
  };
}

function connected(row: StoredAttachment): Connected {
  const { connectionRevision, asset } = ofKnownProvider(row);
  if (connectionRevision === null) throw new Error(`the connection of ${asset} has no account`);
  return { ...row, connectionRevision };
}

function ofKnownProvider<Row extends { readonly asset: string; readonly provider: string }>(row: Row): Row {
  if (!isProvider(row.provider)) throw new Error(`a connection of ${row.asset} is to no provider`);
  return row;
}

/** The rows, where each of their moments is one. */
function dated<Row, Key extends keyof Row>(rows: readonly Row[], moments: readonly Key[]): readonly Row[] {
  for (const row of rows) {
    for (const name of moments) {
      const moment = row[name];
      if (moment !== null && !isMoment(moment)) throw new Error(`${String(name)} of a row is no moment`);
    }
  }
  return rows;
}

/** Moments at which something stands otherwise by itself: until the soonest of them, what was worked out once holds. */

export class Moments {
  readonly #now: number;
  #next = Number.POSITIVE_INFINITY;

  /** Milliseconds since the epoch, like every moment. */
  constructor(now: number) {
    this.#now = now;
    this.today = utcDayOf(now);
  }

  /** The UTC day that they are looked at. */
  readonly today: string;

  /** What has passed, and what is no moment, changes nothing any more. */
  add(moment: number | null | undefined): void {
    if (moment !== null && moment !== undefined && moment > this.#now && moment < this.#next)
      this.#next = moment;
  }

  /** The soonest; infinity where nothing changes by itself. */
  get next(): number {
    return this.#next;
  }
}
