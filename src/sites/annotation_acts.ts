/** What posting did. */

import { appendAudit } from "../access/audit.ts";
import type { Clock, Ids } from "../base/base.ts";
import type { Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { type Annotation, readMoment } from "./annotation_schema.ts";
import { findAnnotation, insertAnnotation, insertStrike, type StoredAnnotation } from "./annotations.ts";

interface PostedAnnotation {
  /** The row as it was first stored. */
  readonly stored: StoredAnnotation;
  /** False when an annotation with this identity was there before. */
  readonly created: boolean;
}

/** What posting did, and whether what `told` had to say of it could be told. */
interface ToldAnnotation extends PostedAnnotation {
  readonly isMonitored: boolean;
}

/** Who posts, when, and where ids come from. */
interface PostedBy {
  /** An operator's name, or what makes the annotation. */
  readonly name: string;
  /** Milliseconds since the epoch, not before the annotation's `at`. */
  readonly now: number;
  readonly newId: () => string;
}

/** What posting needs. */
export interface PostDeps {
  readonly writer: Writer;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Stores an annotation that passed the contract, once for each (asset, instant, kind, ref). Two posts in one group commit see
 * each other, since the unique index decides. `told` tells of it in the same transaction, and whether it could.
 */
export function postAnnotation(
  deps: PostDeps,
  annotation: Annotation,
  name: string,
  told: (tx: Tx, now: number) => boolean = () => true,
): Promise<ToldAnnotation> {
  return deps.writer.write((tx) => {
    const now = deps.clock.now();
    const posted = appendAnnotation(tx, annotation, { name, now, newId: deps.ids.uuid });
    return { ...posted, isMonitored: told(tx, now) };
  });
}

/** The same inside a caller's transaction. The id is made here, so that ids sort in the order of storing. */
export function appendAnnotation(tx: Tx, annotation: Annotation, by: PostedBy): PostedAnnotation {
  const moment = readMoment(annotation.at);
  if (moment === undefined) throw new TypeError("an annotation without a readable at passed the contract");
  const id = by.newId();
  const stored = insertAnnotation(tx, {
    id,
    asset: annotation.asset,
    instant: moment.instant,
    at: annotation.at,
    atMs: moment.ms,
    kind: annotation.kind,
    ref: annotation.ref,
    note: annotation.note ?? null,
    receivedAt: by.now,
    postedBy: by.name,
  });
  return { stored, created: stored.id === id };
}

/** Who strikes an entry or takes that back, and when. */

interface StruckBy {
  /** An operator's name, or what does it. */
  readonly name: string;
  /** The same as the audit calls it. */
  readonly actor: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** `same` where it is as asked already: nothing is written then. */
export type StrikeResult = "done" | "same" | "missing";

/** Strikes an entry that was a mistake: it stays and is marked, no chart shows it and no rule reads it. */
export function strikeAnnotation(
  writer: Pick<Writer, "write">,
  id: string,
  reason: string | null,
  by: StruckBy,
): Promise<StrikeResult> {
  return writer.write((tx) => putStrike(tx, id, { struck: 1, reason }, by));
}

/** Takes it back: the entry stands again. */
export function unstrikeAnnotation(
  writer: Pick<Writer, "write">,
  id: string,
  by: StruckBy,
): Promise<StrikeResult> {
  return writer.write((tx) => putStrike(tx, id, { struck: 0, reason: null }, by));
}

/** The same inside a caller's transaction. */
export function putStrike(
  tx: Tx,
  id: string,
  { struck, reason }: { readonly struck: 0 | 1; readonly reason: string | null },
  { name, actor, now }: StruckBy,
): StrikeResult {
  const known = findAnnotation(tx, id);
  if (known === undefined) return "missing";
  if ((known.struck !== undefined) === (struck === 1)) return "same";
  insertStrike(tx, { annotation: id, struck, reason, at: now, by: name });
  appendAudit(tx, {
    at: now,
    actor,
    act: struck === 1 ? "annotation.strike" : "annotation.unstrike",
    target: known.asset,
    // The reason is anybody's words and stands with the entry.
    detail: { id, kind: known.kind, at: known.at },
  });
  return "done";
}
