/** Steps: entries that say from when on a site's figures are counted otherwise. */

import { type Db, statement } from "../store/db_open.ts";
import { STANDS } from "./annotations.ts";
import { IS_CONSENT_STEP } from "./annotations_table.ts";
import { EVERY_SITE } from "./moment.ts";

const stepsOf = statement<{ at: number }, [string, number]>(
  `SELECT at_ms AS at FROM annotation WHERE asset = ? AND at_ms >= ? AND ${IS_CONSENT_STEP} AND ${STANDS}`,
);

/** When consent mode changed on a site, or on every site, since an instant, oldest first; struck entries do not count. */
export function listConsentSteps(db: Db, asset: string, since: number): number[] {
  return [asset, EVERY_SITE]
    .flatMap((timeline) => stepsOf(db).all(timeline, since))
    .map(({ at }) => at)
    .sort((one, other) => one - other);
}

/** How far entries, and what was struck of them, had come. */
export interface StepMark {
  readonly annotation: number;
  readonly strike: number;
}

/** A step that was told, struck, or stands again. */
export interface StepChange {
  /** A site, or `*` for every site. */
  readonly asset: string;
  /** When that was, in milliseconds since the epoch. */
  readonly changedAt: number;
}

const markOf = statement<StepMark, []>(
  `SELECT coalesce((SELECT max(rowid) FROM annotation), 0) AS annotation,
     coalesce((SELECT max(id) FROM annotation_strike), 0) AS strike`,
);

// All steps there are, from their own index: they are few, however many entries there are.
const STEPS = "annotation INDEXED BY annotation_consent_step";

const told = statement<StepChange, [number, number]>(
  `SELECT asset, received_at AS changedAt FROM ${STEPS} WHERE rowid > ? AND at_ms >= ? AND ${IS_CONSENT_STEP}`,
);

const struck = statement<StepChange, [number, number]>(
  `SELECT annotation.asset, annotation_strike.at AS changedAt
   FROM ${STEPS} CROSS JOIN annotation_strike ON annotation_strike.annotation = annotation.id
   WHERE annotation_strike.id > ? AND annotation.at_ms >= ? AND ${IS_CONSENT_STEP}`,
);

/** How far they have come. */
export function findStepMark(db: Db): StepMark {
  return markOf(db).first() ?? { annotation: 0, strike: 0 };
}

/** What changed of the steps from an instant on, after a mark. */
export function listStepChanges(db: Db, after: StepMark, since: number): StepChange[] {
  return [...told(db).all(after.annotation, since), ...struck(db).all(after.strike, since)];
}
