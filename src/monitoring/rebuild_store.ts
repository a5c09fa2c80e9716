/** The read model of lasting failures against the events it is made of. */
import type { Db, Tx } from "../db/mod.ts";
import type { Monitored, MonitoringFailure } from "./contract.ts";
import { keyText, lastingAfter } from "./rebuild.ts";
import { dropFailure, insertFailure, listEvents, listLasting } from "./store.ts";

/** A lasting failure that is not what the events lead to. */
export interface MonitoringDifference {
  readonly text: string;
  readonly of: Monitored;
  /** What must stand there; undefined when nothing must. */
  readonly expected: MonitoringFailure | undefined;
}

/** Every failure that differs. */
export function* monitoringDifferences(db: Db): Generator<MonitoringDifference | undefined> {
  const expected = lastingAfter(listEvents(db));
  const name = ({ kind, asset, source, subject }: Monitored) =>
    [kind, asset, source, subject].filter((part) => part !== "").join(" ");
  for (const row of listLasting(db)) {
    const right = expected.get(keyText(row));
    expected.delete(keyText(row));
    yield Bun.deepEquals(right, row)
      ? undefined
      : { text: `monitoring failure ${name(row)} is not what its events lead to`, of: row, expected: right };
  }
  for (const missing of expected.values()) {
    yield {
      text: `monitoring failure ${name(missing)} has events but no row`,
      of: missing,
      expected: missing,
    };
  }
}

/** Puts the failures named right. */
export function mendMonitoring(tx: Tx, differences: readonly MonitoringDifference[]): void {
  for (const { of, expected } of differences) {
    dropFailure(tx, of);
    if (expected !== undefined) insertFailure(tx, expected);
  }
}
