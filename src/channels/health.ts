/** What sending came to, recorded for each channel: real notices under `notices.<kind>`, tests under `notices.<kind>.test`. */
import type { Tx } from "../db/mod.ts";
import { opaqueId, recordBeside, type Scope } from "../health/mod.ts";
import type { Sent } from "./contract.ts";
import type { Channel } from "./store.ts";

type OfChannel = Pick<Channel, "id" | "kind" | "connection_revision">;

/** What is monitored of a channel: nothing in it says where the channel leads. */
export function channelScope(
  workspace: string,
  { id, kind, connection_revision }: OfChannel,
  isTest: boolean,
): Scope {
  return {
    workspace,
    provider: "notifications",
    connectionRevision: connection_revision,
    capability: `notices.${kind}${isTest ? ".test" : ""}`,
    asset: "",
    target: opaqueId("channel", id),
    family: "",
  };
}

/** One attempt to send. Times are milliseconds since the epoch. */
export interface Attempted {
  /** The attempt's own id: the delivery id and the attempt's number. */
  readonly attempt: string;
  readonly startedAt: number;
  readonly observedAt: number;
  readonly sent: Sent;
  readonly nextRetryAt: number | null;
  readonly isTest: boolean;
}

/** Records an attempt in the transaction that stores its outcome; false where that failed, so that monitoring is unavailable. */
export function recordSend(
  tx: Tx,
  workspace: string,
  channel: OfChannel,
  { sent, nextRetryAt, isTest, ...times }: Attempted,
): boolean {
  const result = sent.ok
    ? ({ ok: true, coveredDate: null } as const)
    : ({ ok: false, category: sent.category, code: sent.code, nextRetryAt } as const);
  const scope = channelScope(workspace, channel, isTest);
  return recordBeside(tx, scope, { ...times, result }, times.observedAt);
}
