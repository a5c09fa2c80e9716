/** The calendars that are read: adding and removing them, and what of theirs is to come. */
import { asc, eq } from "drizzle-orm";
import { EVERY_SITE } from "../annotations/mod.ts";
import { hasAsset } from "../assets/mod.ts";
import { appendAudit } from "../audit/mod.ts";
import { sealText } from "../credentials/mod.ts";
import type { Db, Tx, Writer } from "../db/mod.ts";
import { findEvidence, opaqueId, type Scope } from "../health/mod.ts";
import { hasControl } from "../lib/contract.ts";
import type { Ids } from "../platform/ids.ts";
import type { InstallationKeys } from "../platform/keys.ts";
import { addressFault, type OutboundRules } from "../platform/outbound.ts";
import { LOOK_AHEAD_MS, type Occurrence } from "./events.ts";
import { calendar } from "./table.ts";

export type Calendar = typeof calendar.$inferSelect;

export interface CalendarDeps {
  readonly writer: Pick<Writer, "write">;
  readonly keys: InstallationKeys;
  readonly ids: Ids;
  readonly outbound: OutboundRules;
}

interface By {
  readonly actor: string;
  readonly now: number;
}

/** Longest name, in characters: it stands in the ref of every annotation of the calendar's. */
export const LONGEST_NAME = 64;
const NAME_RULE = `must be 1 to ${LONGEST_NAME} characters on one line without a colon, for example search-updates`;

const KEY_LOST = "cannot be sealed while the installation's key is lost: put it back, then restart Tower";

/** What is wrong with a field, as the end of a sentence that names it. */
export type Faults = Readonly<Partial<Record<"name" | "address" | "asset", string>>>;

/** Stores a calendar with a sealed address for a site or `*`; else says what is wrong. The address is in no fault and in no audit. */
export function addCalendar(
  deps: CalendarDeps,
  { name, address, asset }: Readonly<Record<"name" | "address" | "asset", string>>,
  { actor, now }: By,
): Promise<Calendar | Faults> {
  // webcal is how calendars spell https.
  const url = address.trim().replace(/^webcals?:/i, "https:");
  return deps.writer.write((tx): Calendar | Faults => {
    const isName = /^[^\s:](?:[^:]*[^\s:])?$/.test(name) && name.length <= LONGEST_NAME && !hasControl(name);
    const isTaken = listCalendars(tx).some((known) => known.name === name);
    const wrong =
      url.length > 2_048 ? "must have at most 2,048 characters" : addressFault(url, deps.outbound);
    const faults = {
      ...(isName ? {} : { name: NAME_RULE }),
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
    appendAudit(tx, { at: now, actor, act: "calendar.add", target: `calendar:${name}`, detail });
    return stored;
  });
}

/** Removes a calendar with its address and what was to come; what came stays on the timeline. Says whether there was one. */
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
    appendAudit(tx, { at: now, actor, act: "calendar.remove", target: `calendar:${name}`, detail });
    return true;
  });
}

export function listCalendars(db: Db): Calendar[] {
  return db.select().from(calendar).orderBy(asc(calendar.name)).all();
}

/** Puts what is to come in the place of what was. */
export function putComing(tx: Tx, id: string, has: Partial<Pick<Calendar, "coming" | "notes">>): void {
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

/** The last attempt to read a calendar, and the last that came off. */
export const evidenceOf = (db: Db, workspace: string, of: Calendar) =>
  findEvidence(db, calendarScope(workspace, of));

/** An occurrence with the site of its calendar, or `*`. */
export type ListedOccurrence = Occurrence & Pick<Calendar, "asset">;

/** What of a calendar is to come. */
export const upcomingOf = ({ coming, asset }: Calendar, now: number): ListedOccurrence[] =>
  coming.flatMap((one) => (one.at > now && one.at <= now + LOOK_AHEAD_MS ? { ...one, asset } : []));

/** What is to come on a site's timeline, or on all of them, the soonest first. */
export const listUpcoming = (db: Db, site: string | null, now: number): ListedOccurrence[] =>
  listCalendars(db)
    .filter(({ asset }) => site === null || asset === site || asset === EVERY_SITE)
    .flatMap((of) => upcomingOf(of, now))
    .sort((a, b) => a.at - b.at);
