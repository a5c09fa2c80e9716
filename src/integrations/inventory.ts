/**
 * Gathers what is set up and to be watched, and what is stored of it. Each part is read for itself: one that cannot be read, or does not
 * say what it should, is named, and nothing stands in its place.
 */

import { listTokensOf, type TokenInForce } from "../access/api_tokens.ts";
import { type ArchiveBySite, ArchiveFacts } from "../archive/report_facts.ts";
import { isMoment, type UtcDay, utcDayOf } from "../base/time.ts";
import { listLasting, type MonitoringFailure } from "../health/monitoring.ts";
import { listPauses, type Pause } from "../health/pauses.ts";
import { listStreakEnds, type StreakEnd } from "../health/refusals.ts";
import { isSound, type KnownState, listHealthStates } from "../health/state_store.ts";
import { isProvider } from "../providers/adapter.ts";
import { type Credential, type Detachment, listCredentials } from "../providers/credentials.ts";
import {
  listDetachments,
  listStoredAttachments,
  listUsable,
  type StoredAttachment,
  type UsableProperty,
} from "../providers/properties.ts";
import { type LastReport, listLastReports } from "../reports/codebase.ts";
import { type LastNight, listLastNights } from "../reports/pulse.ts";
import { listSourceAttempts, type SourceAttempt } from "../signals/attempts.ts";
import { type AskedQuestion, listAskedQuestions } from "../signals/live_traffic.ts";
import { listPanels, type Panel } from "../signals/panels.ts";
import { type Calendar, listCalendars } from "../sites/calendars.ts";
import { listSites, type Site } from "../sites/sites.ts";
import { sharing } from "../store/rows.ts";
import type { Db } from "../store/store.ts";

/** An attachment over a connection that is there. */
type Connected = StoredAttachment & { readonly connectionRevision: string };

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

/** Rows by the site that they are of, '' where they concern a whole account. */
export type BySite<Row> = ReadonlyMap<string, readonly Row[]>;

/** What each part holds. Times are milliseconds since the epoch. */
export interface Parts {
  /** Every site but the service's own, retired ones too, by id. */
  readonly sites: readonly Site[];
  readonly attachments: BySite<Connected>;
  readonly detachments: BySite<Detachment>;
  readonly accounts: readonly Credential[];
  /** Addresses that accounts of webmaster tools listed. */
  readonly listed: readonly UsableProperty[];
  readonly panels: BySite<Panel>;
  readonly pauses: readonly Pause[];
  readonly questions: BySite<AskedQuestion>;
  /** Tokens that annotations can be posted with. */
  readonly senders: readonly TokenInForce[];
  readonly calendars: readonly Pick<Calendar, "id" | "asset" | "connection_revision" | "added_at">[];
  /** Channels that notices go to. */
  readonly channels: readonly Channel[];
  readonly nights: BySite<LastNight>;
  readonly codebase: BySite<LastReport>;
  readonly refused: BySite<StreakEnd>;
  readonly states: BySite<KnownState>;
  readonly attempts: BySite<SourceAttempt>;
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
  /** Whether nothing is other than in `before`. */
  readonly isSame?: boolean;
  /** The sites whose rows are others than in `before`, and of which parts; undefined where those of any site may be. */
  readonly changed?: ReadonlyMap<string, "reports" | "all"> | undefined;
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
  sites: ["asset", "asset_group"],
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

/** The parts of which the rows of one site can be read alone: many sites are written to at once. */
export const READ_ALONE: ReadonlySet<PartName> = new Set([
  "attachments",
  "nights",
  "codebase",
  "refused",
  "states",
  "attempts",
]);

/** Before the rows of any site were read. */
export const nothingOfSites = (): Partial<KnownParts> =>
  Object.fromEntries(Array.from(READ_ALONE, (part) => [part, new Map()]));

/** What reading depends on beside the database. */
interface InventoryOf {
  readonly serviceAsset: string;
  /** The newest day that a report can be of. */
  readonly newestDay: UtcDay;
  readonly listChannels: ListChannels;
  /** What was read before, which is used up, and the parts of it that are to be read again. What is the same stays the very same. */
  readonly before?:
    | {
        readonly parts: Partial<KnownParts>;
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

const NONE: readonly never[] = [];

/** The rows of one site, part by part; a part that could not be read is undefined. */
export type SiteRows = ReturnType<typeof siteRows>;

export function siteRows(parts: KnownParts, asset: string) {
  const of = <Row>(rows: BySite<Row> | undefined) => rows && (rows.get(asset) ?? NONE);
  return {
    attachments: of(parts.attachments),
    detachments: of(parts.detachments),
    panels: of(parts.panels),
    questions: of(parts.questions),
    nights: of(parts.nights),
    codebase: of(parts.codebase),
    refused: of(parts.refused),
    attempts: of(parts.attempts),
    states: of(parts.states),
    archive: of(parts.archive),
  };
}

/** An account that is let in says nothing of its sites (`underAccount`), but where they are found in its list (`matchedOf`). */
const concernsSites = ({ scope, evidence }: KnownState): boolean =>
  evidence === "unreadable" ||
  evidence.latest.category !== null ||
  scope.capability === "webmaster-tools.daily" ||
  !isSound(evidence);

/** What says nothing of a site but how it sends its reports. */
const OF_REPORTS: ReadonlySet<PartName> = new Set(["nights", "codebase", "refused"]);

const siteOf = ({ asset }: { readonly asset: string }): string => asset;
/** Rows that any site may stand otherwise for. */
const EVERY_SITE = () => [""];
/** Rows of accounts, senders and channels alone, which are always judged again. */
const NO_SITE = () => NONE;

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
  const changed = new Map<string, "reports" | "all">();
  let isSame = true;
  const texts = new Map<unknown, unknown>();
  const change = (name: PartName, site: string) =>
    changed.set(site, OF_REPORTS.has(name) ? (changed.get(site) ?? "reports") : "all");
  const part = <Value>(name: PartName, read: (known: Value | undefined) => Value): Value | undefined => {
    try {
      const known = before?.parts[name] as Value | undefined;
      return known !== undefined && before?.isOld(name) === false ? known : read(known);
    } catch (cause) {
      isSame = false;
      unread.push(name);
      onUnread(name, cause);
      return undefined;
    }
  };
  const list = <Row>(
    name: PartName,
    read: () => readonly Row[],
    concerned: (row: Row) => readonly string[] = EVERY_SITE,
  ) =>
    part<readonly Row[]>(name, (known) => {
      const found = read();
      if (known !== undefined && Bun.deepEquals(known, found)) return known;
      isSame = false;
      const [old, now] = [known ?? NONE, found].map(
        (rows) => new Map(rows.map((row) => [JSON.stringify(row), row])),
      ) as [Map<string, Row>, Map<string, Row>];
      for (const [text, row] of [...old, ...now]) {
        if (!old.has(text) || !now.has(text)) for (const site of concerned(row)) change(name, site);
      }
      return found;
    });
  const rowsOfSites = <Row>(
    name: PartName,
    readAll: () => BySite<Row>,
    /** Of a part that many sites are written to at once. */
    readOf?: (site: string) => readonly Row[],
    concerns: (row: Row) => boolean = () => true,
  ) =>
    part<BySite<Row>>(name, (known) => {
      if (known === undefined) {
        isSame = false;
        change(name, "");
        return readAll();
      }
      const touched = readOf && before?.sitesOf?.(name);
      const all = touched === undefined ? readAll() : undefined;
      const found = known as Map<string, readonly Row[]>;
      for (const site of touched ?? new Set([...found.keys(), ...(all?.keys() ?? NONE)])) {
        const old = found.get(site) ?? NONE;
        const rows = (all === undefined ? readOf?.(site) : all.get(site)) ?? NONE;
        if (Bun.deepEquals(old, rows)) continue;
        isSame = false;
        if (rows.length === 0) found.delete(site);
        else found.set(site, rows);
        if (site !== "" || !Bun.deepEquals(old.filter(concerns), rows.filter(concerns))) change(name, site);
      }
      return found;
    });
  /** The rows, where each of their moments is one. */
  const dated = <Row extends object, Key extends keyof Row>(
    rows: readonly Row[],
    moments: readonly Key[],
  ): readonly Row[] => {
    for (const row of sharing(rows, texts)) {
      for (const name of moments) {
        const moment = row[name];
        if (moment !== null && !isMoment(moment)) throw new Error(`${String(name)} of a row is no moment`);
      }
    }
    return rows;
  };
  const sites = list(
    "sites",
    () => dated(listSites(db), ["addedAt", "wentLiveAt"]).filter(({ id }) => id !== serviceAsset),
    ({ id }) => [id],
  );
  const attached = (site?: string) => dated(listStoredAttachments(db, site).map(connected), ["attachedAt"]);
  const nights = (site?: string) => dated(listLastNights(db, newestDay, site), ["at"]);
  const codebase = (of: readonly string[]) => dated(listLastReports(db, of, newestDay), ["receivedAt"]);
  const refused = (site?: string) => dated(listStreakEnds(db, site), ["lastAt"]);
  const states = (asset?: string) => listHealthStates(db, asset === undefined ? {} : { asset });
  const attempts = (site?: string) => dated(listSourceAttempts(db, site), ["startedAt"]);
  const parts = {
    sites,
    attachments: rowsOfSites("attachments", () => Map.groupBy(attached(), siteOf), attached),
    detachments: rowsOfSites("detachments", () =>
      Map.groupBy(dated(listDetachments(db).map(ofKnownProvider), ["detachedAt"]), siteOf),
    ),
    accounts: list("accounts", () => dated(listCredentials(db), ["connectedAt"])),
    listed: list("listed", () => listUsable(db, "webmaster-tools")),
    panels: rowsOfSites("panels", () => Map.groupBy(dated(listPanels(db), ["created_at"]), siteOf)),
    pauses: list(
      "pauses",
      () => dated(listPauses(db), ["pausedAt", "until"]),
      ({ asset }) => [asset],
    ),
    questions: rowsOfSites("questions", () =>
      Map.groupBy(dated(listAskedQuestions(db), ["takenAt"]), siteOf),
    ),
    senders: list("senders", () => dated(listTokensOf(db, "annotations"), ["createdAt"]), NO_SITE),
    calendars: list("calendars", () => dated(listCalendars(db), ["added_at"]), NO_SITE),
    channels: list("channels", () => dated(listChannels(db), ["changed_at", "paused_at"]), NO_SITE),
    nights: rowsOfSites("nights", () => Map.groupBy(nights(), siteOf), nights),
    codebase: rowsOfSites(
      "codebase",
      () => Map.groupBy(codebase((sites ?? NONE).map(({ id }) => id)), siteOf),
      (site) => codebase([site]),
    ),
    refused: rowsOfSites("refused", () => Map.groupBy(refused(), siteOf), refused),
    states: rowsOfSites(
      "states",
      () => Map.groupBy(states(), ({ scope }) => scope.asset),
      states,
      concernsSites,
    ),
    attempts: rowsOfSites("attempts", () => Map.groupBy(attempts(), siteOf), attempts),
    archive: rowsOfSites("archive", archive),
    monitoring: list(
      "monitoring",
      () => dated(listLasting(db), ["since"]),
      // Others say nothing of a site (`unrecordedSince`).
      ({ kind, asset }) => (kind === "recorder" ? [asset] : NONE),
    ),
  };
  return {
    parts,
    unread,
    isSame,
    changed: before === undefined || unread.length > 0 || changed.has("") ? undefined : changed,
  };
}

function connected(row: StoredAttachment): Connected {
  const { connectionRevision, asset } = ofKnownProvider(row);
  if (connectionRevision === null) throw new Error(`the connection of ${asset} has no account`);
  return row as Connected;
}

function ofKnownProvider<Row extends { readonly asset: string; readonly provider: string }>(row: Row): Row {
  if (!isProvider(row.provider)) throw new Error(`a connection of ${row.asset} is to no provider`);
  return row;
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
