/** Reading calendars: ask, read the text on a worker, then one transaction that tells what came, what is to come and how it went. */
import { appendAnnotation, listAnnotations, putStrike } from "../annotations/mod.ts";
import { isRetired } from "../assets/mod.ts";
import { openText } from "../credentials/mod.ts";
import type { Db, Tx } from "../db/mod.ts";
import { type Failure, pauseOf, recordResult } from "../health/mod.ts";
import { isAskedByPerson, type RunHandle } from "../jobs/mod.ts";
import { atOnce } from "../lib/at_once.ts";
import { formatInstant } from "../lib/instant.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import { outboundRequest } from "../platform/outbound.ts";
import { askWorker } from "../platform/worker.ts";
import { codeOfStatus, FAILURES } from "../provider/answer.ts";
import { faultOf } from "../provider/fault.ts";
import type { FaultCode } from "../provider/fault_codes.ts";
import type { CalendarText, Occurrence } from "./events.ts";
import {
  type Calendar,
  type CalendarDeps,
  calendarScope,
  evidenceOf,
  listCalendars,
  putComing,
} from "./store.ts";
import { changesOf, posterOf, refOf } from "./timeline.ts";

export interface ReadDeps extends CalendarDeps {
  readonly store: { readonly db: Db };
  readonly clock: Clock;
  readonly config: Pick<Config, "workspace">;
}

/** A tick of the hour finds what was asked in the hour before, however late that was. In milliseconds. */
const REST_MS = 50 * 60_000;
/** Of an answer. */
const BOUNDS = { timeoutMs: 30_000, maxBytes: 10 * 1024 * 1024 };
/** Several times what a full calendar takes: a rule that never ends is given up then. In milliseconds. */
const READING_MS = 20_000;
const AT_ONCE = 4;

/**
 * Tells what has come, also of calendars that fail or are paused, and asks those that were not asked within the hour; all of them where a person
 * asks for it.
 */
export async function readCalendars(deps: ReadDeps, run: RunHandle): Promise<void> {
  const { store, writer, clock, config } = deps;
  await writer.write((tx) => {
    const now = clock.now();
    for (const of of listCalendars(tx)) {
      const coming = of.coming.filter(({ at }) => at > now);
      if (coming.length === of.coming.length) continue;
      for (const one of of.coming) if (one.at <= now) tell(tx, deps, of, one, now);
      putComing(tx, of.id, { coming });
    }
  });
  const calendars = listCalendars(store.db);
  let done = 0;
  await atOnce(calendars, AT_ONCE, async (of) => {
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

async function readOne(deps: ReadDeps, of: Calendar, run: RunHandle): Promise<string> {
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
    { behind: true },
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
function apply(tx: Tx, deps: ReadDeps, of: Calendar, text: CalendarText, now: number): boolean {
  const poster = posterOf(of.name);
  const between = { asset: of.asset, from: text.since, to: now + 1 };
  const told = listAnnotations(
    tx,
    { ...between, kind: "external", postedBy: poster },
    Number.MAX_SAFE_INTEGER,
  );
  const { append, strike, unstrike, coming } = changesOf(of.name, text, told, now);
  for (const one of append) tell(tx, deps, of, one, now);
  const by = { name: poster, actor: poster, now };
  const reason = "The calendar no longer has it at this time.";
  for (const id of strike) putStrike(tx, id, { struck: 1, reason }, by);
  for (const id of unstrike) putStrike(tx, id, { struck: 0, reason: null }, by);
  const { notes } = text;
  const isSame = Bun.deepEquals([of.coming, of.notes], [coming, notes]);
  if (!isSame) putComing(tx, of.id, { coming, notes });
  return !isSame || append.length + strike.length + unstrike.length > 0;
}

function tell(tx: Tx, { ids }: ReadDeps, { name, asset }: Calendar, one: Occurrence, now: number): void {
  const at = formatInstant(one.at);
  const annotation = { asset, at, kind: "external", ref: refOf(name, one), note: one.title } as const;
  appendAnnotation(tx, annotation, { name: posterOf(name), now, newId: ids.uuid });
}

async function textOf(deps: ReadDeps, of: Calendar, signal: AbortSignal): Promise<CalendarText | FaultCode> {
  const url = openText(deps.keys, "calendar", of);
  if (url === undefined) return "credential_unreadable";
  const headers = { accept: "text/calendar" };
  const answer = await outboundRequest({ url, method: "GET", headers, signal, ...BOUNDS }, deps.outbound);
  if (!answer.ok) return FAILURES[answer.failure];
  if (answer.status !== 200) return codeOfStatus(answer.status);
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(READING_MS)]);
    const question = { text: answer.text, now: deps.clock.now() };
    const script = new URL("./events_worker.ts", import.meta.url);
    return (await askWorker<CalendarText | null>(script, question, limit)) ?? "unreadable_report";
  } catch {
    // A text that takes too long, or too much memory, is no calendar that can be read.
    return "unreadable_report";
  }
}
