/**
 * Calendars: iCalendar feeds whose events become annotations when their time comes. A feed is asked every hour, its text read on a worker
 * (`ical.ts`), and one transaction appends what came, retracts what was moved or cancelled, and stores what is to come.
 */

import { asc, eq } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { By } from "../access/access.ts";
import { auditAct } from "../access/audit.ts";
import { mapConcurrent } from "../base/concurrency.ts";
import { codePoints, hasControl } from "../base/contract.ts";
import type { InstallationKeys } from "../base/keys.ts";
import { addressFault, type OutboundRules, outboundRequest } from "../base/outbound.ts";
import { formatInstant } from "../base/time.ts";
import { askWorker } from "../base/worker.ts";
import { type Failure, opaqueId, type Scope } from "../health/health.ts";
import { pauseOf } from "../health/pauses.ts";
import { recordResult } from "../health/record.ts";
import { findEvidence } from "../health/state_store.ts";
import { codeOfStatus, FAILURES } from "../providers/answers.ts";
import { type FaultCode, faultOf } from "../providers/faults.ts";
import { openText, sealText } from "../providers/sealing.ts";
import type { Core } from "../store/core.ts";
import { isAskedByPerson, type RunHandle } from "../store/job_runs.ts";
import type { Db, Tx } from "../store/store.ts";
import {
  appendAnnotation,
  EVERY_SITE,
  listAnnotations,
  putRetraction,
  type StoredAnnotation,
} from "./annotations.ts";
import type { CalendarText, Occurrence } from "./ical.ts";
import { hasAsset, isRetired } from "./sites.ts";

/** Who posts and retracts the events of a calendar. */
export const posterOf = (name: string): string => `calendar:${name}`;

/** An occurrence's ref: what has come is known again by it, however often it is read. */
export const refOf = (name: string, { uid, at }: Pick<Occurrence, "uid" | "at">): string =>
  `${posterOf(name)}:${uid}:${formatInstant(at)}`;

/** What is read of an annotation of the calendar's. */
export type Posted = Pick<StoredAnnotation, "id" | "ref" | "atMs" | "struck">;

const START_LENGTH = formatInstant(0).length;

/**
 * An event whose time has come is appended, once. A posted one that the text no longer has is retracted where the text shows that it was
 * moved or cancelled: its event is in the text with other times, or the text has an event from before it and not this one. A text that
 * begins later shows nothing: many calendars drop what is over, and an empty one was rather emptied by mistake or lies between two seasons.
 * What an operator retracted stays retracted.
 */
export function changesOf(name: string, text: CalendarText, posted: readonly Posted[], now: number) {
  const known = new Set(posted.map(({ ref }) => ref));
  const [whole, broken] = [new Set(text.whole), new Set(text.broken)];
  const here = new Set(text.occurrences.map((one) => refOf(name, one)));
  const isGone = ({ ref, atMs }: Posted) => {
    const uid = ref.slice(posterOf(name).length + 1, -START_LENGTH - 1);
    if (here.has(ref) || broken.has(uid) || atMs < text.since || atMs > now) return false;
    // An event without an id that was left out may be any.
    return whole.has(uid) || (atMs >= text.reachesBackTo && !broken.has(""));
  };
  return {
    append: text.occurrences.filter((one) => one.at <= now && !known.has(refOf(name, one))),
    retract: posted.filter((one) => one.struck === undefined && isGone(one)).map(({ id }) => id),
    restore: posted
      .filter(({ ref, struck }) => struck?.by === posterOf(name) && here.has(ref))
      .map(({ id }) => id),
    coming: text.occurrences.filter(({ at }) => at > now),
  };
}

/** Calendars that are read. The address is a secret, sealed as credentials are. */
export const calendar = sqliteTable("calendar", {
  id: text("id").primaryKey(),
  name: text("name").notNull().unique(),
  /** A site, or `*` for every site. */
  asset: text("asset").notNull(),
  connection_revision: text("connection_revision").notNull(),
  key_id: text("key_id").notNull(),
  sealed: text("sealed").notNull(),
  added_at: integer("added_at").notNull(),
  /** What is to come by the last good read, the soonest first; each becomes an annotation when its time comes. */
  coming: text("coming", { mode: "json" }).$type<readonly Occurrence[]>().notNull(),
  /** What that read left out, in sentences. */
  notes: text("notes", { mode: "json" }).$type<readonly string[]>().notNull(),
});

export type Calendar = typeof calendar.$inferSelect;

export interface CalendarDeps extends Core {
  readonly keys: InstallationKeys;
  readonly outbound: OutboundRules;
}

/** Longest name, in characters: it stands in the ref of every annotation of the calendar's. */
export const LONGEST_NAME = 64;
export const NAME_RULE = `must be 1 to ${LONGEST_NAME} characters on one line without a colon, for example search-updates`;

const KEY_LOST = "cannot be sealed while the installation's key is lost: put it back, then restart Tower";

/** What is wrong with a field, as the end of a sentence that names it. */
type Faults = Readonly<Partial<Record<"name" | "address" | "asset", string>>>;

/** Whether a calendar can have this name. */
export function isCalendarName(name: string): boolean {
  return /^[^\s:](?:[^:]*[^\s:])?$/.test(name) && codePoints(name) <= LONGEST_NAME && !hasControl(name);
}

/** Stores a calendar with a sealed address for a site or `*`; else says what is wrong. The address is in no fault and in no audit. */
export function addCalendar(
  deps: CalendarDeps,
  { name, address, asset }: Readonly<Record<"name" | "address" | "asset", string>>,
  { actor, now }: By,
): Promise<Calendar | Faults> {
  // webcal is how calendars spell https.
  const url = address.trim().replace(/^webcals?:/i, "https:");
  return deps.writer.write((tx): Calendar | Faults => {
    const isTaken = listCalendars(tx).some((known) => known.name === name);
    const wrong =
      url.length > 2_048
        ? "must have at most 2,048 characters"
        : addressFault(url, deps.outbound, "https://calendar.example/sales.ics");
    const faults = {
      ...(isCalendarName(name) ? {} : { name: NAME_RULE }),
      ...(isTaken ? { name: "is taken: remove that calendar first, or choose another name" } : {}),
      ...(wrong === undefined ? {} : { address: wrong }),
      ...(deps.keys.isStandIn ? { address: KEY_LOST } : {}),
      ...(asset === EVERY_SITE || hasAsset(tx, asset) ? {} : { asset: "is no site of the portfolio" }),
    };
    if (Object.keys(faults).length > 0) return faults;
    const key = { id: deps.ids.uuid(), connection_revision: deps.ids.uuid() };
    const row = { ...key, ...sealText(deps, "calendar", key, url), name, asset, added_at: now };
    const stored: Calendar = { ...row, coming: [], notes: [] };
    tx.insert(calendar).values(stored).run();
    const detail = { id: key.id, asset, connection_revision: key.connection_revision };
    auditAct(tx, { actor, now }, "calendar.add", `calendar:${name}`, detail);
    return stored;
  });
}

/** Removes a calendar with its address and what is to come; past events stay on the timeline. Says whether there was one. */
export function removeCalendar(
  writer: CalendarDeps["writer"],
  name: string,
  { actor, now }: By,
): Promise<boolean> {
  return writer.write((tx) => {
    const known = listCalendars(tx).find((one) => one.name === name);
    if (known === undefined) return false;
    tx.delete(calendar).where(eq(calendar.id, known.id)).run();
    const detail = { id: known.id, asset: known.asset };
    auditAct(tx, { actor, now }, "calendar.remove", `calendar:${name}`, detail);
    return true;
  });
}

export function listCalendars(db: Db): Calendar[] {
  return db.select().from(calendar).orderBy(asc(calendar.name)).all();
}

/** Puts what is to come in the place of what was. */
function putComing(tx: Tx, id: string, has: Partial<Pick<Calendar, "coming" | "notes">>): void {
  tx.update(calendar).set(has).where(eq(calendar.id, id)).run();
}

/** What is monitored of a calendar. */
export function calendarScope(
  workspace: string,
  { id, asset, connection_revision }: Pick<Calendar, "id" | "asset" | "connection_revision">,
): Scope {
  return {
    workspace,
    provider: "calendars",
    connectionRevision: connection_revision,
    capability: "calendars.read",
    asset: asset === EVERY_SITE ? "" : asset,
    target: opaqueId("calendar", id),
    family: "",
  };
}

/** The last attempt to read a calendar, and the last that succeeded. */
export const evidenceOf = (db: Db, workspace: string, of: Calendar) =>
  findEvidence(db, calendarScope(workspace, of));

/** What of a calendar is to come. */
export const upcomingOf = ({ coming }: Calendar, now: number): readonly Occurrence[] =>
  coming.filter(({ at }) => at > now);

/** A tick of the hour finds what was asked in the hour before, however late that was. In milliseconds. */
const REST_MS = 50 * 60_000;
/** Of an answer. */
const BOUNDS = { timeoutMs: 30_000, maxBytes: 10 * 1024 * 1024 };
/** Several times what a full calendar takes: a rule that never ends is given up then. In milliseconds. */
const READING_MS = 20_000;
const AT_ONCE = 4;

/**
 * Appends what has come, also of calendars that fail or are paused, and asks those that were not asked within the hour; all of them where a person
 * asks for it.
 */
export async function readCalendars(deps: CalendarDeps, run: RunHandle): Promise<void> {
  const { store, writer, clock, config } = deps;
  await writer.write((tx) => {
    const now = clock.now();
    for (const of of listCalendars(tx)) {
      const coming = of.coming.filter(({ at }) => at > now);
      if (coming.length === of.coming.length) continue;
      for (const one of of.coming) if (one.at <= now) appendOne(tx, deps, of, one, now);
      putComing(tx, of.id, { coming });
    }
  });
  const calendars = listCalendars(store.db);
  let done = 0;
  await mapConcurrent(calendars, AT_ONCE, async (of) => {
    const askedAt = evidenceOf(store.db, config.workspace, of)?.latest.startedAt ?? Number.NEGATIVE_INFINITY;
    // A clock that was set back is no reason to wait.
    const rests = Math.abs(clock.now() - askedAt) < REST_MS && !isAskedByPerson(run.askedBy);
    if (rests || isRetired(store.db, of.asset)) return;
    if (run.signal.aborted) return run.count("given_up");
    if (pauseOf(store.db, calendarScope(config.workspace, of), clock.now()) !== undefined)
      return run.count("paused");
    run.progress(++done, calendars.length, of.name);
    run.count(await readOne(deps, of, run));
  });
}

async function readOne(deps: CalendarDeps, of: Calendar, run: RunHandle): Promise<string> {
  const { writer, clock, ids, config } = deps;
  const startedAt = clock.now();
  const text = await textOf(deps, of, run.signal);
  if (run.signal.aborted) return "given_up";
  return writer.write(
    (tx) => {
      const now = clock.now();
      const known = listCalendars(tx).find(({ id }) => id === of.id);
      if (known === undefined) return "given_up";
      const isRead = typeof text !== "string";
      const isChanged = isRead && apply(tx, deps, known, text, now);
      const result = isRead ? ({ ok: true, coveredDate: null } as const) : failure(text);
      const attempt = { attempt: `calendar:${ids.uuid()}`, startedAt, observedAt: now };
      if (!recordResult(tx, calendarScope(config.workspace, of), attempt, result)) run.unmonitored();
      return isChanged ? "changed" : isRead ? "unchanged" : "failed";
    },
    { lowPriority: true },
  );
}

/** In words of calendars, which the category has; the codes speak of providers, but for the key. */
const failure = (code: FaultCode): Failure => ({
  ok: false,
  category: faultOf(code).category,
  code: code === "credential_unreadable" ? code : null,
  nextRetryAt: null,
});

/** Says whether anything is otherwise. */
function apply(tx: Tx, deps: CalendarDeps, of: Calendar, text: CalendarText, now: number): boolean {
  const poster = posterOf(of.name);
  const between = { asset: of.asset, from: text.since, to: now + 1 };
  const posted = listAnnotations(
    tx,
    { ...between, kind: "external", postedBy: poster },
    Number.MAX_SAFE_INTEGER,
  );
  const { append, retract, restore, coming } = changesOf(of.name, text, posted, now);
  for (const one of append) appendOne(tx, deps, of, one, now);
  const by = { name: poster, actor: poster, now };
  const reason = "The calendar no longer has it at this time.";
  for (const id of retract) putRetraction(tx, id, { struck: 1, reason }, by);
  for (const id of restore) putRetraction(tx, id, { struck: 0, reason: null }, by);
  const { notes } = text;
  const isSame = Bun.deepEquals([of.coming, of.notes], [coming, notes]);
  if (!isSame) putComing(tx, of.id, { coming, notes });
  return !isSame || append.length + retract.length + restore.length > 0;
}

function appendOne(tx: Tx, { ids }: CalendarDeps, { name, asset }: Calendar, one: Occurrence, now: number) {
  const at = formatInstant(one.at);
  const annotation = { asset, at, kind: "external", ref: refOf(name, one), note: one.title } as const;
  appendAnnotation(tx, annotation, { name: posterOf(name), now, newId: ids.uuid });
}

async function textOf(
  deps: CalendarDeps,
  of: Calendar,
  signal: AbortSignal,
): Promise<CalendarText | FaultCode> {
  const url = openText(deps.keys, "calendar", of);
  if (url === undefined) return "credential_unreadable";
  const headers = { accept: "text/calendar" };
  const answer = await outboundRequest({ url, method: "GET", headers, signal, ...BOUNDS }, deps.outbound);
  if (!answer.ok) return FAILURES[answer.failure];
  if (answer.status !== 200) return codeOfStatus(answer.status);
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(READING_MS)]);
    const question = { text: answer.text, now: deps.clock.now() };
    const script = new URL("./ical_worker.ts", import.meta.url);
    return (await askWorker<CalendarText | null>(script, question, limit)) ?? "unreadable_report";
  } catch {
    // A text that takes too long, or too much memory, is no calendar that can be read.
    return "unreadable_report";
  }
}
