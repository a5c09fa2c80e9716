/** What sending came to, recorded for each channel: real notices under `notices.<kind>`, tests under `notices.<kind>.test`. */
import type { Tx } from "../db/mod.ts";
import { opaqueId, recordBeside, type Scope } from "../health/mod.ts";
import type { Channel, Sent } from "./contract.ts";

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
  { attempt, startedAt, observedAt, sent, nextRetryAt, isTest }: Attempted,
): boolean {
  const result = sent.ok
    ? ({ ok: true, coveredDate: null } as const)
    : ({ ok: false, category: sent.category, code: sent.code, nextRetryAt } as const);
  const observation = { attempt, startedAt, observedAt, result };
  return recordBeside(tx, channelScope(workspace, channel, isTest), observation, observedAt);
}
