/**
 * Where notices go, and what one of them says: a channel is a mail address, a webhook, an ntfy topic or a Slack-shaped webhook, with rules.
 * Channels stand below `integrations`, which shows their health; what is sent, and when, is decided above it.
 */
import * as v from "valibot";
import { FLAG_KINDS, SEVERITIES } from "../flags/contract.ts";
import type { FailureCategory } from "../provider/contract.ts";

export const CHANNEL_KINDS = ["mail", "webhook", "ntfy", "slack"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export const NOTICE_TYPES = [
  "flags.raised",
  "flags.resolved",
  "integrations.failing",
  "integrations.recovered",
  "digest",
  "heartbeat",
  "test",
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** What a webhook is sent as JSON: described in OpenAPI by this schema. */
export const PayloadSchema = v.object({
  /** The delivery id: the same each time the same notice is sent. */
  id: v.string(),
  type: v.picklist(NOTICE_TYPES),
  at: v.pipe(v.string(), v.isoTimestamp()),
  asset: v.nullable(v.string()),
  text: v.string(),
  flags: v.array(
    v.object({
      id: v.string(),
      rule: v.nullable(v.string()),
      severity: v.picklist(SEVERITIES),
      kind: v.picklist(FLAG_KINDS),
      metric: v.nullable(v.string()),
      message: v.string(),
      raised_at: v.pipe(v.string(), v.isoTimestamp()),
      href: v.string(),
    }),
  ),
});
export type Payload = v.InferOutput<typeof PayloadSchema>;

/** One message, as every kind of channel takes it. */
export interface Notice extends Payload {
  readonly subject: string;
  /** The text of the message as the body of an HTML document. */
  readonly html: string;
}

/** What came of sending a notice once. Nothing of it is what the other side wrote. */
export type Sent =
  /** `receipt` is a status code, of a mail server the code of its answer: "202", "250". */
  | { readonly ok: true; readonly receipt: string }
  /** `permanent`: sending it again would come to the same. */
  | {
      readonly ok: false;
      readonly category: FailureCategory;
      /** One of `FAULT_CODES`. */
      readonly code: string;
      readonly permanent: boolean;
    };
