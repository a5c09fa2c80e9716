/**
 * Gathers what is set up and to be watched, and what is stored of it. Each part is read for itself: one that cannot be read, or does not
 * say what it should, is named, and nothing stands in its place.
 */
import { type ArchiveBySite, ArchiveFacts } from "../archive/mod.ts";
import { listPlacedSites, type PlacedSite } from "../assets/mod.ts";
import { type Calendar, listCalendars } from "../calendars/store.ts";
import { type ChannelRow, listChannels } from "../channels/store.ts";
import { type LastReport, listLastReports } from "../codebase/mod.ts";
import type { Credential, Detachment } from "../credentials/contract.ts";
import {
  listCredentials,
  listDetachments,
  listStoredAttachments,
  listUsable,
  type StoredAttachment,
  type UsableProperty,
} from "../credentials/mod.ts";
import type { Db } from "../db/mod.ts";
import { type KnownState, listHealthStates, listPauses, type Pause } from "../health/mod.ts";
import { isMoment } from "../lib/instant.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { type AskedQuestion, listAskedQuestions } from "../live/mod.ts";
import { listLasting, type MonitoringFailure } from "../monitoring/mod.ts";
import { listTokensOf, type TokenInForce } from "../operators/mod.ts";
import type { Panel } from "../panels/contract.ts";
import { listPanels } from "../panels/store.ts";
import { isProvider } from "../provider/contract.ts";
import { type LastNight, listLastNights } from "../pulse/mod.ts";
import { listStreakEnds, type StreakEnd } from "../refusals/mod.ts";
import { listSourceAttempts, type SourceAttempt } from "../signals/mod.ts";

/** An attachment over a connection that is there. */
export type Connected = StoredAttachment & { readonly connectionRevision: string };

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
  readonly channels: readonly Pick<
    ChannelRow,
    "id" | "kind" | "connection_revision" | "changed_at" | "paused_at"
  >[];
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
  { serviceAsset, newestDay, known, archive = () => new ArchiveFacts(db).read("all"), onUnread }: InventoryOf,
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
