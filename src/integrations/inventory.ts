/**
 * Gathers what is set up and to be watched, and what is stored of it. Each part is read for itself: one that cannot be read, or does not
 * say what it should, is named, and nothing stands in its place.
 */

import { listTokensOf, type TokenInForce } from "../access/api_tokens.ts";
import { type ArchiveBySite, ArchiveFacts } from "../archive/property_archives.ts";
import { isMoment, type UtcDay, utcDayOf } from "../base/time.ts";
import { listLasting, type MonitoringFailure } from "../health/monitoring.ts";
import { listPauses, type Pause } from "../health/pauses.ts";
import { listStreakEnds, type StreakEnd } from "../health/refusals_store.ts";
import { type KnownState, listHealthStates } from "../health/state_store.ts";
import { isProvider, type Provider } from "../providers/adapter.ts";
import { listDetachments, listStoredAttachments, type StoredAttachment } from "../providers/attachments.ts";
import { type Credential, type Detachment, listCredentials } from "../providers/credentials.ts";
import { listUsable, type UsableProperty } from "../providers/properties.ts";
import { type LastReport, listLastReports } from "../reports/codebase.ts";
import { type LastNight, listLastNights } from "../reports/pulse.ts";
import { type AskedQuestion, listAskedQuestions } from "../signals/live_lease.ts";
import { listedAddresses, MATCHED_FOR_MS } from "../signals/matched_site.ts";
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
  /** A part that is known to stand as it was read before; undefined where it has to be read. */
  readonly known?: <Name extends PartName>(part: Name) => Parts[Name] | undefined;
  /** Reads what is archived; all of it where it is absent. */
  readonly archive?: () => ArchiveBySite;
  /** Hears why a part could not be read. */
  readonly onUnread: (part: PartName, cause: unknown) => void;
}

/** Reads all of it that is not known. Never throws. */
export function readInventory(
  db: Db,
  {
    serviceAsset,
    newestDay,
    listChannels,
    known,
    archive = () => new ArchiveFacts(db).read("all"),
    onUnread,
  }: InventoryOf,
): Inventory {
  const unread: PartName[] = [];
  const part = <Name extends PartName>(name: Name, read: () => Parts[Name]): Parts[Name] | undefined => {
    try {
      return known?.(name) ?? read();
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
    states: part("states", () => listHealthStates(db)),
    attempts: part("attempts", () => dated(listSourceAttempts(db), ["startedAt"])),
    archive: part("archive", archive),
    monitoring: part("monitoring", () => dated(listLasting(db), ["since"])),
  };
  return { parts, unread };
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

/** Sites whose figures of webmaster tools are asked for without an attachment, since an account lists their address. Pure. */

/** A site with the address that it is asked by. */
interface MatchedSite {
  readonly asset: string;
  readonly connectionRevision: string;
  readonly property: string;
}

interface Ground {
  readonly sites: ReadonlyMap<string, PlacedSite>;
  readonly connected: readonly Connected[];
  readonly now: number;
  readonly moments: Moments;
}

const PROVIDER: Provider = "webmaster-tools";
/** How long a night takes at the most until it has asked every site of its list. */
const NIGHT_MS = 3 * 3_600_000;

/**
 * Every such site, once for each account that it is asked with. What the nightly list held is stored nowhere; what it was followed by is: a
 * site that was asked lately is asked again, listed or not, and one that nobody asked yet is asked if the account's list, as it was read
 * last, has its address.
 */
export function matchedSites(parts: KnownParts, { sites, connected, now, moments }: Ground): MatchedSite[] {
  const attached = new Set(
    connected.filter(({ provider }) => provider === PROVIDER).map(({ asset }) => asset),
  );
  const free = [...sites.values()].filter(({ id }) => !attached.has(id));
  const accounts = (parts.accounts ?? []).filter(({ providers }) => providers.includes(PROVIDER));
  if (free.length === 0 || accounts.length === 0) return [];
  const asked = Map.groupBy(
    (parts.attempts ?? []).filter((one) => one.provider === PROVIDER),
    ({ asset }) => asset,
  );
  return accounts.flatMap((account) => {
    const listed = (parts.listed ?? []).filter(({ credential }) => credential === account.id);
    const addressOf = listedAddresses(listed.map(({ property }) => property));
    const away = new Set(
      (parts.detachments ?? [])
        .filter((one) => one.provider === PROVIDER && one.connectionRevision === account.connectionRevision)
        .map(({ asset }) => asset),
    );
    const isReplaced = isListReplaced(listed, listReadAt(parts, account), now, moments);
    return free.flatMap((site): MatchedSite[] => {
      if (away.has(site.id)) return [];
      const last = lastAsked(asked.get(site.id) ?? [], {
        account,
        isOnly: accounts.length === 1,
        now,
        moments,
      });
      const lasting = last === undefined ? undefined : listedAddresses([last.property])(site);
      const property = lasting ?? (isReplaced ? undefined : addressOf(site));
      if (property === undefined) return [];
      return [{ asset: site.id, connectionRevision: account.connectionRevision, property }];
    });
  });
}

/** When a nightly list of the account was last read. */
function listReadAt({ states = [] }: KnownParts, account: Credential): number | undefined {
  const known = states.find(
    ({ scope }) =>
      scope.capability === `${PROVIDER}.daily` &&
      scope.asset === "" &&
      scope.connectionRevision === account.connectionRevision,
  )?.evidence;
  return known === undefined || known === "unreadable" ? undefined : known.success?.startedAt;
}

/** Whether a later list was read and followed: an address that nobody asked about then is listed no more. */
function isListReplaced(
  listed: readonly UsableProperty[],
  readAt: number | undefined,
  now: number,
  moments: Moments,
): boolean {
  const seenAt = listed.reduce((latest, one) => Math.max(latest, one.seenAt), 0);
  if (readAt === undefined || readAt <= seenAt) return false;
  moments.add(readAt + NIGHT_MS);
  return now >= readAt + NIGHT_MS;
}

/** What a site was last asked by, while figures of it can be in the window. */
function lastAsked(
  attempts: readonly SourceAttempt[],
  of: {
    readonly account: Credential;
    readonly isOnly: boolean;
    readonly now: number;
    readonly moments: Moments;
  },
): SourceAttempt | undefined {
  const last = attempts
    .filter((one) => of.isOnly || one.connectionRevision === of.account.connectionRevision)
    .reduce<SourceAttempt | undefined>(
      (a, b) => (a !== undefined && a.startedAt >= b.startedAt ? a : b),
      undefined,
    );
  if (last === undefined || of.now - last.startedAt > MATCHED_FOR_MS) return undefined;
  of.moments.add(last.startedAt + MATCHED_FOR_MS + 1);
  return last;
}
