/** The values that days of a provider's figure had, one after another, and which days may still move. */

import { type Provider, SIGNAL_METRICS } from "../providers/adapter.ts";
import { type Db, statement } from "../store/store.ts";
import { PULL_OUTCOMES } from "./attempts.ts";
import {
  findNewest,
  listObservations,
  listTargets,
  observedIn,
  type SignalsOf,
  type ToldFigure,
  toldBetween,
} from "./observations.ts";
import type { DayFigure } from "./observed.ts";

/** Every value that one figure ever had on each of the days between two, by day. */
export function revisionsBetween(
  db: Db,
  of: {
    readonly asset: string;
    readonly source: Provider;
    readonly metric: string;
    readonly from: number;
    readonly to: number;
  },
): ReadonlyMap<number, DayRevision[]> {
  const { asset, source, metric } = of;
  const metrics: readonly string[] = SIGNAL_METRICS[source];
  const asked = metrics.indexOf(metric);
  const byDay = new Map<number, ToldFigure[]>();
  for (const figure of toldBetween(db, { asset, provider: source }, of)) {
    if (figure?.place !== asked) continue;
    const known = byDay.get(figure.day);
    if (known === undefined) byDay.set(figure.day, [figure]);
    else known.push(figure);
  }
  return new Map([...byDay].map(([day, figures]) => [day, revisionsIn(figures)]));
}

/** A value that a day had for a while. Times are milliseconds since the epoch. */
export interface DayRevision extends DayFigure {
  /** Counts from 1; that a day settles, or that a zero is told by leaving it out, is no revision of its value. */
  readonly revision: number;
  /** When this value was first told. */
  readonly firstAt: number;
  /** When it was last told anew: as another value, as settled, or as excluded. */
  readonly observedAt: number;
  readonly property: string;
  /** '' where the provider does not tell it. */
  readonly timeZone: string;
}

/** The revisions that what was told of one figure of one day comes to, in the order in which it was told. Pure. */
export function revisionsIn(told: readonly ToldFigure[]): DayRevision[] {
  const revisions: DayRevision[] = [];
  for (const { to, observation } of told) {
    const { observedAt, target } = observation;
    const last = revisions.at(-1);
    const place = { property: target.property, timeZone: target.timeZone };
    if (last !== undefined && last.value === to.value) {
      revisions[revisions.length - 1] = { ...last, ...to, ...place, observedAt };
    } else {
      const revision = revisions.length + 1;
      revisions.push({ ...to, ...place, revision, firstAt: observedAt, observedAt });
    }
  }
  return revisions;
}

/** Which settled days two collections in a row agree on, from what is stored of them: attempts and observations. */

// An answer without any day agrees with nothing.
const AGREEING = (["unchanged", "source_lag"] as const).map((outcome) => PULL_OUTCOMES.indexOf(outcome));
const collectedSince = statement<{ id: number }, [number, number]>(
  `SELECT id FROM pull_attempt WHERE target = ? AND id > ? AND outcome IN (${AGREEING.join(", ")}) LIMIT 1`,
);

/**
 * The settled days, from one on, on which the newest collection of a site's figures told another value than the one before: they may still
 * move, and so may what was never told before. A day that settled with the value it had does not.
 */
export function movingDays(db: Db, of: SignalsOf, last: LastTold, from: number): ReadonlySet<number> {
  const targets = listTargets(db, of);
  if (targets.some(({ id }) => collectedSince(db).first(id, last.attempt) !== undefined)) return new Set();
  const newest = targets.flatMap((target) => findNewest(db, target) ?? []).sort((a, b) => b.id - a.id)[0];
  const told = newest === undefined ? [] : observedIn(newest).figures;
  const settled = told.filter(({ day, to }) => day >= from && to.state === "final");
  const [first, end] = [settled[0], settled.at(-1)];
  if (newest === undefined || first === undefined || end === undefined) return new Set();
  const before = new Map<string, number | null>();
  for (const observation of listObservations(db, of, { from: first.day, to: end.day })) {
    // Left out before it is read: the first of a site tells 97 days.
    if (observation.target.id !== newest.target.id || observation.id === newest.id) continue;
    for (const { day, place, to } of observedIn(observation).figures) before.set(`${day} ${place}`, to.value);
  }
  const moving = settled.filter(({ day, place, to }) => before.get(`${day} ${place}`) !== to.value);
  return new Set(moving.map(({ day }) => day));
}

/** The newest observation of a site from a provider, whichever property it was of. */
export interface LastTold {
  /** The attempt that brought it. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly observedAt: number;
  /** The calendar that its days are of; '' where it is not known. */
  readonly timeZone: string;
}

const lastTold = statement<LastTold, [string, string]>(
  `SELECT told.attempt, told.observed_at AS observedAt, asked.time_zone AS timeZone
   FROM pull_target asked JOIN observation told ON told.id = (SELECT max(id) FROM observation WHERE target = asked.id)
   WHERE asked.asset = ? AND asked.provider = ? ORDER BY told.id DESC LIMIT 1`,
);

/** What a provider last told of a site; undefined while it told nothing. */
export function findLastTold(db: Db, asset: string, provider: Provider): LastTold | undefined {
  return lastTold(db).first(asset, provider);
}
