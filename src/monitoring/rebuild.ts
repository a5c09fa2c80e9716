/** The lasting failures from the events: what the read model must hold. */
import type { Monitored, MonitoringFailure } from "./contract.ts";

type Event = Monitored & {
  readonly at: number;
  readonly change: "failed" | "recovered";
  readonly reason: string;
};

/** One text for what is watched; the parts are joined by a character that none of them may hold. */
export function keyText({ kind, asset, source, subject }: Monitored): string {
  return [kind, asset, source, subject].join("\u0000");
}

/** The failures that last after these events, oldest event first. A failure whose reason changed lasts since its beginning. */
export function lastingAfter(events: readonly Event[]): Map<string, MonitoringFailure> {
  const lasting = new Map<string, MonitoringFailure>();
  for (const { kind, asset, source, subject, at, change, reason } of events) {
    const of = { kind, asset, source, subject };
    const key = keyText(of);
    if (change === "recovered") lasting.delete(key);
    else lasting.set(key, { ...of, since: lasting.get(key)?.since ?? at, reason });
  }
  return lasting;
}
