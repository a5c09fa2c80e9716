/** Steps: entries that say from when on a site's figures are counted otherwise. */
import { type Db, statement } from "../db/mod.ts";
import { EVERY_SITE } from "./contract.ts";
import { STANDS } from "./strike_store.ts";

/** How the reference of a change of consent mode begins; its kind is `config`. */
const CONSENT_MODE = "consent-mode";

/** Says of an annotation's row, in SQL, that it tells a change of consent mode. */
const IS_STEP = `annotation.kind = 'config' AND substr(annotation.ref, 1, ${CONSENT_MODE.length}) = '${CONSENT_MODE}'`;

const stepsOf = statement<{ at: number }, [string, number]>(
  `SELECT at_ms AS at FROM annotation WHERE asset = ? AND at_ms >= ? AND ${IS_STEP} AND ${STANDS}`,
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

const told = statement<StepChange, [number, number]>(
  `SELECT asset, received_at AS changedAt FROM annotation WHERE rowid > ? AND at_ms >= ? AND ${IS_STEP}`,
);

const struck = statement<StepChange, [number, number]>(
  `SELECT annotation.asset, annotation_strike.at AS changedAt
   FROM annotation_strike JOIN annotation ON annotation.id = annotation_strike.annotation
   WHERE annotation_strike.id > ? AND annotation.at_ms >= ? AND ${IS_STEP}`,
);

/** How far they have come. */
export function findStepMark(db: Db): StepMark {
  return markOf(db).first() ?? { annotation: 0, strike: 0 };
}

/** What changed of the steps from an instant on, after a mark. */
export function listStepChanges(db: Db, after: StepMark, since: number): StepChange[] {
  return [...told(db).all(after.annotation, since), ...struck(db).all(after.strike, since)];
}
