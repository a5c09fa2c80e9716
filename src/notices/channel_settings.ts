/** What an operator gives for a channel: its file, which is sealed, and its rules. Every broken rule is named by its field; no value is repeated. */

import * as v from "valibot";
import { isHost } from "../base/hosts.ts";
import { addressFault, type OutboundRules } from "../base/outbound.ts";
import { isTimeZone } from "../base/time.ts";
import { FLAG_KINDS, SEVERITIES } from "../flags/flags.ts";
import type { FailureCategory } from "../providers/faults.ts";

/**
 * Where notices go, and what one of them says: a channel is a mail address, a webhook, an ntfy topic or a Slack-shaped webhook, with rules.
 * Channels stand below `integrations`, which shows their health; what is sent, and when, is decided above it.
 */

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

const MAX_RECIPIENTS = 50;
/** Bytes of a webhook's secret (Standard Webhooks). */
const [LEAST_BYTES, MOST_BYTES] = [24, 64];

/** A text for which something holds; any other, and what is no text, breaks the rule. */
const text = (rule: string, fits: (given: string) => boolean) =>
  v.custom<string>((given) => typeof given === "string" && fits(given), rule);
const optional = <Schema extends v.GenericSchema>(schema: Schema) => v.nullish(schema, null);
const isPlain = (given: string) => given.trim() !== "" && given.length <= 100 && !/\p{Cc}/u.test(given);

const isMailbox = (given: string) =>
  /^[^\s<>()@,;:"\\\p{Cc}]{1,64}@[^\s<>()@,;:"\\\p{Cc}]{1,255}$/u.test(given);
const isSender = (given: string) => isMailbox(/^[^<>"\\\p{Cc}]* <([^<>]+)>$/u.exec(given)?.[1] ?? given);
const areRecipients = (given: string) => {
  const all = given.split(",").map((one) => one.trim());
  return all.length <= MAX_RECIPIENTS && all.every(isMailbox);
};
const RECIPIENTS = `must be up to ${MAX_RECIPIENTS} mail addresses split by commas, for example ann@shop.example`;
const isPort = (given: unknown) => Number.isInteger(given) && Number(given) > 0 && Number(given) < 65_536;
const SECRET = `must be ${LEAST_BYTES} to ${MOST_BYTES} bytes in base64, with whsec_ before them or without, for example made by: openssl rand -base64 32`;
const TOPIC = "must be 1 to 64 letters, digits, hyphens and underscores, for example tower-alerts";

/** The key that a webhook's messages are signed with; undefined where the text is none. */
export function webhookKey(secret: string): Buffer | undefined {
  const base64 = secret.replace(/^whsec_|=+$/g, "");
  const bytes = Buffer.from(base64, "base64");
  const isWhole = bytes.toString("base64").replace(/=+$/, "") === base64;
  return isWhole && bytes.length >= LEAST_BYTES && bytes.length <= MOST_BYTES ? bytes : undefined;
}

/** The file of each kind. */
function schemasOf(rules: Pick<OutboundRules, "allowedHosts">) {
  const url = v.custom<string>(
    (given) => typeof given === "string" && addressFault(given, rules) === undefined,
    ({ input }) => addressFault(String(input), rules) ?? "must be text",
  );
  const secret = text(SECRET, (given) => webhookKey(given) !== undefined);
  return {
    mail: v.strictObject({
      host: text("must be a host name without a port, for example smtp.shop.example", isHost),
      port: v.custom<number>(isPort, "must be a port from 1 to 65535, for example 465"),
      tls: v.picklist(["implicit", "starttls", "off"], 'must be "implicit", "starttls" or "off"'),
      user: optional(text("must be 1 to 100 plain characters, for example tower@shop.example", isPlain)),
      password: optional(text("must be text", () => true)),
      from: text("must be a mail address, for example tower@shop.example", isSender),
      to: text(RECIPIENTS, areRecipients),
    }),
    webhook: v.strictObject({ url, secret }),
    heartbeat: v.strictObject({ url, secret: optional(secret) }),
    ntfy: v.strictObject({
      url,
      topic: text(TOPIC, (given) => /^[A-Za-z0-9_-]{1,64}$/.test(given)),
      token: optional(
        text("must be an access token, for example tk_…", (given) => /^[\x21-\x7e]{1,256}$/.test(given)),
      ),
    }),
    slack: v.strictObject({ url }),
  };
}

type Schemas = ReturnType<typeof schemasOf>;
/** What is sealed of a channel: where it leads, and the secrets that it takes. */
export type ChannelSettings =
  | ({ readonly kind: "mail" } & Readonly<v.InferOutput<Schemas["mail"]>>)
  | ({ readonly kind: "webhook" } & Readonly<v.InferOutput<Schemas["heartbeat"]>>)
  | ({ readonly kind: "ntfy" } & Readonly<v.InferOutput<Schemas["ntfy"]>>)
  | ({ readonly kind: "slack" } & Readonly<v.InferOutput<Schemas["slack"]>>);

/** A broken rule of a field. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly FieldFault[] };

/** Reads a channel's file. */
export function readSettings(
  kind: ChannelKind,
  text: string,
  asked: { readonly heartbeat: boolean; readonly outbound: Pick<OutboundRules, "allowedHosts"> },
): Read<ChannelSettings> {
  let given: unknown;
  try {
    given = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    // What the parser says repeats a piece of the file.
    return { ok: false, faults: [{ field: "file", message: `must be JSON, for example ${EXAMPLES[kind]}` }] };
  }
  const schema = schemasOf(asked.outbound)[asked.heartbeat ? "heartbeat" : kind];
  const read = v.safeParse(schema, given);
  if (!read.success) return { ok: false, faults: faultsIn(read.issues, EXAMPLES[kind]) };
  const value = { ...read.output, kind } as ChannelSettings;
  if (value.kind === "mail" && (value.user === null) !== (value.password === null)) {
    const field = value.user === null ? "user" : "password";
    return { ok: false, faults: [{ field, message: "is missing: a user and a password go together" }] };
  }
  return { ok: true, value };
}

/** A file of each kind as it may be. */
export const EXAMPLES: Readonly<Record<ChannelKind, string>> = {
  mail: '{"host": "smtp.shop.example", "port": 587, "tls": "starttls", "user": "tower", "password": "…", "from": "Tower <tower@shop.example>", "to": "ann@shop.example"}',
  webhook: '{"url": "https://hooks.example/tower", "secret": "whsec_…"}',
  ntfy: '{"url": "https://ntfy.sh", "topic": "tower-alerts", "token": "tk_…"}',
  slack: '{"url": "https://hooks.slack.com/services/…"}',
};

const hour = text("must be an hour of the day, for example 22:00", (given) =>
  /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(given),
);
const hours = v.pipe(
  v.strictObject({ from: hour, to: hour }),
  v.check(({ from, to }) => from !== to, "must end at another hour than it begins, for example 22:00-07:00"),
);
const SITES = "must name a site, or be left out for every site";
/** A name is shown wherever the channel is: it gives nothing of the address away. */
const isName = (given: string) => isPlain(given) && !/@|:\/\//.test(given);

/** A channel's name and rules; whether its sites and its group are there is for the caller to see. */
const RulesSchema = v.strictObject({
  name: text("must be 1 to 100 plain characters and no address, for example On-call mail", isName),
  /** Flags below it are not sent. */
  severity: v.optional(v.picklist(SEVERITIES, `must be one of ${SEVERITIES.join(", ")}`), "warn"),
  /** Ids of sites; null for every site. */
  sites: optional(v.pipe(v.array(v.string()), v.minLength(1, SITES))),
  /** The name of a group whose sites it is for; null for every site. */
  group: optional(text("must be the name of a group of sites", isPlain)),
  /** Hours of the day in which only errors are sent. */
  quiet: optional(hours),
  /** The IANA time zone of `quiet` and `digest`. */
  zone: v.optional(text("must be an IANA time zone, for example Europe/Berlin", isTimeZone), "UTC"),
  /** The hour of the daily digest; null for none. */
  digest: optional(hour),
  /** Whether it is told when the last flag of a message ends, too. */
  resolved: v.optional(v.boolean(), false),
  /** Whether it is an address that gets nothing but the hourly heartbeat. */
  heartbeat: v.optional(v.boolean(), false),
});

/** What a channel is sent, and when. */
export type ChannelRules = Readonly<Omit<v.InferOutput<typeof RulesSchema>, "name">>;

/** Reads a channel's name and rules. */
export function readRules(name: string, given: object): Read<ChannelRules> {
  const read = v.safeParse(RulesSchema, { ...given, name });
  if (!read.success) return { ok: false, faults: faultsIn(read.issues, "") };
  const { name: _, ...value } = read.output;
  return { ok: true, value };
}

function faultsIn(issues: readonly v.BaseIssue<unknown>[], example: string): FieldFault[] {
  return issues.map(({ type, expected, path, message }) => {
    const field = path?.map(({ key }) => String(key)).join(".") ?? "file";
    if (type !== "strict_object") return { field, message };
    if (expected === "never")
      return { field, message: `is not a field of it, which is for example ${example}` };
    return {
      field,
      message: path === undefined ? `must be an object, for example ${example}` : "is missing",
    };
  });
}
