/** Which properties are archived, and what is asked of each: gathered from what is stored, a few at a time. */
import { type Db, statement } from "../db/mod.ts";
import type { Clock } from "../platform/clock.ts";
import { PROVIDERS } from "../provider/contract.ts";
import { attachedQuestions, findKnownProperty, matchedQuestions, type Question } from "../signals/mod.ts";
import { planProperty, providerDay } from "./plan.ts";
import { knownFamily } from "./plan_store.ts";
import type { PlannedProperty } from "./run_ground.ts";

/** What gathering needs. */
export interface PropertyGround {
  readonly clock: Clock;
  readonly store: { readonly db: Db };
  readonly credentials: {
    list(): readonly { readonly id: string; readonly kind: string; readonly connectionRevision: string }[];
  };
}

/** Properties that sites are attached to, and addresses that an account of webmaster tools was found to have of others. */
function archivedProperties(ground: PropertyGround): Question[] {
  return [...attachedQuestions(ground.store.db, PROVIDERS), ...matchedQuestions(ground)];
}

const anybody = statement<{ found: number }, []>(
  `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM credential WHERE kind = 'webmaster-tools-key')
     OR EXISTS (SELECT 1 FROM attachment a JOIN asset s ON s.id = a.asset WHERE s.lifecycle <> 'retired')`,
);

/** Whether there is anybody to ask, without gathering whom: a site with a property, or an account that may have sites of its own. */
export const asksAnybody = (db: Db): boolean => anybody(db).first() !== undefined;

/** When it is planned. */
interface Planning {
  readonly now: number;
  readonly startedAt: number;
  readonly resumes: number | undefined;
}

/** Longest stretch of planning before others get their turn, in milliseconds. */
const SLICE_MS = 4;

/** What is asked of each property. */
export async function planned(
  ground: PropertyGround,
  { now, startedAt, resumes }: Planning,
): Promise<PlannedProperty[]> {
  const { db } = ground.store;
  const properties: PlannedProperty[] = [];
  let sliceStarted = performance.now();
  for (const question of archivedProperties(ground)) {
    const { provider } = question;
    const timeZone = timeZoneOf(db, question);
    const today = providerDay(provider, now, timeZone);
    const plan = planProperty(provider, { now, startedAt, timeZone }, (family) =>
      knownFamily(db, question, family, { today, resumes }),
    );
    properties.push({ question, timeZone, plan });
    if (performance.now() - sliceStarted < SLICE_MS) continue;
    await new Promise(setImmediate);
    sliceStarted = performance.now();
  }
  return properties;
}

/** The property's calendar as its provider last told it, or as it was discovered. */
function timeZoneOf(db: Db, question: Question): string | undefined {
  const known = findKnownProperty(db, question).last?.timeZone;
  return known !== undefined && known !== "" ? known : question.discoveredZone;
}
