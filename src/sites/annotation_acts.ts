/** Posting an annotation, retracting one that was a mistake, and restoring it. */

import { auditAct } from "../access/audit.ts";
import type { Clock, Ids } from "../base/base.ts";
import type { Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { type Annotation, readMoment } from "./annotation_schema.ts";
import { annotationStrike, findAnnotation, insertAnnotation, type StoredAnnotation } from "./annotations.ts";

/** What posting needs. */
export interface PostDeps {
  readonly writer: Writer;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Stores an annotation that passed the contract, once for each (asset, instant, kind, ref). Two posts in one group commit see each other,
 * since the unique index decides. `monitored` records the post in the same transaction, and says whether it could.
 */
export function postAnnotation(
  deps: PostDeps,
  annotation: Annotation,
  name: string,
  monitored: (tx: Tx, now: number) => boolean = () => true,
) {
  return deps.writer.write((tx) => {
    const now = deps.clock.now();
    const posted = appendAnnotation(tx, annotation, { name, now, newId: deps.ids.uuid });
    return { ...posted, isMonitored: monitored(tx, now) };
  });
}

/**
 * The same inside a caller's transaction: the row as first stored, and whether this post `created` it. `name` is an operator's or that of
 * what makes the annotation, `now` not before its `at`. The id is made here, so that ids sort in the order of storing.
 */
export function appendAnnotation(
  tx: Tx,
  { asset, at, kind, ref, note = null }: Annotation,
  by: { readonly name: string; readonly now: number; readonly newId: () => string },
): { readonly stored: StoredAnnotation; readonly created: boolean } {
  const moment = readMoment(at);
  if (moment === undefined) throw new TypeError("an annotation without a readable at passed the contract");
  const id = by.newId();
  const [instant, atMs] = [moment.instant, moment.ms];
  const row = { id, asset, instant, at, atMs, kind, ref, note, receivedAt: by.now, postedBy: by.name };
  const stored = insertAnnotation(tx, row);
  return { stored, created: stored.id === id };
}

/** Who retracts, by name and as the audit calls them, and when (milliseconds since the epoch). */
interface RetractedBy {
  readonly name: string;
  readonly actor: string;
  readonly now: number;
}

/** `same` where it is as asked already: nothing is written then. */
export type RetractResult = "done" | "same" | "missing";

/** Retracts an annotation that was a mistake: it stays and is marked, no chart shows it and no rule reads it. */
export function retractAnnotation(
  writer: Pick<Writer, "write">,
  id: string,
  reason: string | null,
  by: RetractedBy,
): Promise<RetractResult> {
  return writer.write((tx) => putRetraction(tx, id, { struck: 1, reason }, by));
}

/** Makes a retracted annotation count again. */
export function restoreAnnotation(
  writer: Pick<Writer, "write">,
  id: string,
  by: RetractedBy,
): Promise<RetractResult> {
  return writer.write((tx) => putRetraction(tx, id, { struck: 0, reason: null }, by));
}

/** Either of them inside a caller's transaction. */
export function putRetraction(
  tx: Tx,
  id: string,
  { struck, reason }: { readonly struck: 0 | 1; readonly reason: string | null },
  { name, actor, now: at }: RetractedBy,
): RetractResult {
  const known = findAnnotation(tx, id);
  if (known === undefined) return "missing";
  if ((known.struck !== undefined) === (struck === 1)) return "same";
  tx.insert(annotationStrike).values({ annotation: id, struck, reason, at, by: name }).run();
  const act = struck === 1 ? "annotation.strike" : "annotation.unstrike";
  // The reason is anybody's words and stays with the annotation.
  auditAct(tx, { actor, now: at }, act, known.asset, { id, kind: known.kind, at: known.at });
  return "done";
}
