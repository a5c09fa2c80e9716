/** The failures that last against the events that lead to them. */

import { asc } from "drizzle-orm";
import { type ReadModel, tableModel } from "../store/read_model.ts";
import {
  type Monitored,
  type MonitoringFailure,
  monitoringEvent,
  monitoringFailure,
} from "./monitoring_table.ts";

type Event = Pick<
  typeof monitoringEvent.$inferSelect,
  "kind" | "asset" | "source" | "subject" | "at" | "change" | "reason"
>;

const nameOf = ({ kind, asset, source, subject }: Monitored): string =>
  JSON.stringify([kind, asset, source, subject]);

/** The failures that last after these events, oldest event first. A failure whose reason changed lasts since its beginning. */
function lastingAfter(events: readonly Event[]): MonitoringFailure[] {
  const lasting = new Map<string, MonitoringFailure>();
  for (const { kind, asset, source, subject, at, change, reason } of events) {
    const of = { kind, asset, source, subject };
    const name = nameOf(of);
    if (change === "recovered") lasting.delete(name);
    else lasting.set(name, { ...of, since: lasting.get(name)?.since ?? at, reason });
  }
  return [...lasting.values()];
}

export const MONITORING_MODEL: ReadModel<MonitoringFailure, number> = tableModel({
  name: "monitoring",
  what: "lasting failures against their events",
  source: "its events",
  table: monitoringFailure,
  named: (row) => `monitoring failure ${nameOf(row)}`,
  replay: (db) => lastingAfter(db.select().from(monitoringEvent).orderBy(asc(monitoringEvent.id)).all()),
});
