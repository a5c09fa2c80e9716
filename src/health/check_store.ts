/** What is stored of health against itself. */
import { type Db, statement } from "../db/mod.ts";
import { familyOf } from "./family.ts";
import { everyState } from "./state_store.ts";

interface Bereft {
  readonly what: "state" | "event";
  readonly id: number;
  readonly target: number;
}

const bereft = statement<Bereft, []>(
  `SELECT 'state' AS what, target AS id, target FROM health_state WHERE target NOT IN (SELECT id FROM health_target)
   UNION ALL
   SELECT 'event', id, target FROM health_event WHERE target NOT IN (SELECT target FROM health_state)
     OR target NOT IN (SELECT id FROM health_target)`,
);

/** Targets whose state is not what the last event of theirs tells: an event is appended for every change of it. */
const untold = statement<{ readonly target: number }, []>(
  `WITH told AS (SELECT target, max(id) AS id FROM health_event GROUP BY target)
   SELECT state.target FROM health_state AS state
   LEFT JOIN told ON told.target = state.target
   LEFT JOIN health_event AS last ON last.id = told.id
   WHERE state.category IS NOT CASE last.change WHEN 'recovery' THEN NULL ELSE last.category END`,
);

/** Everything that is wrong with what is stored, in words. */
export function* healthFaults(db: Db): Generator<string> {
  for (const { what, id, target } of bereft(db).all())
    yield `health ${what} ${id}: of a target ${target} that is not there`;
  for (const { target } of untold(db).all())
    yield `health state ${target}: it is not what its events lead to`;
  for (const { scope, evidence } of everyState(db)) {
    const name = [scope.capability, scope.asset].filter((part) => part !== "").join(" of ");
    if (evidence === "unreadable") yield `health of ${name}: half of its last success is missing`;
    if (scope.family !== "" && familyOf(scope.family) === undefined)
      yield `health of ${name}: a report family that is none`;
  }
}
