/** What an operator gives for a channel: its file, which is sealed, and its rules. Every broken rule is named by its field; no value is repeated. */
import * as v from "valibot";
import { SEVERITIES } from "../flags/contract.ts";
import { isTimeZone } from "../lib/zone_day.ts";
import { isHost } from "../platform/host_name.ts";
import { addressFault, type OutboundRules } from "../platform/outbound.ts";
import type { ChannelKind, ChannelRules } from "./contract.ts";

const MAX_NAME = 100;
const MAX_RECIPIENTS = 50;
/** Bytes of a webhook's secret (Standard Webhooks). */
const SECRET_BYTES = { least: 24, most: 64 };

const plain = (most: number, example: string) => {
  const message = `must be 1 to ${most} plain characters, for example ${example}`;
  const fits = (text: string) => text.trim() !== "" && text.length <= most && !/\p{Cc}/u.test(text);
  return v.pipe(v.string(message), v.check(fits, message));
};
const mailbox = (text: string) => /^[^\s<>()@,;:"\\\p{Cc}]{1,64}@[^\s<>()@,;:"\\\p{Cc}]{1,255}$/u.test(text);
const MAILBOX = "must be a mail address, for example tower@shop.example";
const address = (text: string) => mailbox(/^[^<>"\\\p{Cc}]* <([^<>]+)>$/u.exec(text)?.[1] ?? text);
const recipients = (text: string) => {
  const all = text.split(",").map((one) => one.trim());
  return all.length <= MAX_RECIPIENTS && all.every(mailbox);
};
const RECIPIENTS = `must be up to ${MAX_RECIPIENTS} mail addresses split by commas, for example ann@shop.example`;
const PORT = "must be a port from 1 to 65535, for example 465";
const TLS = 'must be "implicit" (port 465), "starttls" (port 587) or "off"';
const SECRET = `must be ${SECRET_BYTES.least} to ${SECRET_BYTES.most} bytes in base64, with whsec_ before them or without, for example made by: openssl rand -base64 32`;
const TOPIC = "must be 1 to 64 letters, digits, hyphens and underscores, for example tower-alerts";
const TOKEN = "must be an access token of visible ASCII characters, for example tk_…";

/** The key that a webhook's messages are signed with; undefined where the text is none. */
export function webhookKey(secret: string): Buffer | undefined {
  const text = secret.replace(/^whsec_/, "");
  const bytes = Buffer.from(text, "base64");
  const isBase64 = bytes.toString("base64").replace(/=+$/, "") === text.replace(/=+$/, "");
  return isBase64 && bytes.length >= SECRET_BYTES.least && bytes.length <= SECRET_BYTES.most
    ? bytes
    : undefined;
}

const optional = <Schema extends v.GenericSchema>(schema: Schema) => v.nullish(schema, null);

/** The file of each kind. */
function schemasOf(rules: Pick<OutboundRules, "allowedHosts">) {
  const url = v.pipe(
    v.string("must be an https address, for example https://hooks.example/tower"),
    v.rawCheck(({ dataset, addIssue }) => {
      const fault = dataset.typed ? addressFault(dataset.value, rules) : undefined;
      if (fault !== undefined) addIssue({ message: fault });
    }),
  );
  const secret = v.pipe(
    v.string(SECRET),
    v.check((text) => webhookKey(text) !== undefined, SECRET),
  );
  return {
    mail: v.strictObject({
      host: v.pipe(
        v.string("must be the mail server's host name, for example smtp.shop.example"),
        v.check(isHost, "must be a host name without a port, for example smtp.shop.example"),
      ),
      port: v.pipe(v.number(PORT), v.integer(PORT), v.minValue(1, PORT), v.maxValue(65_535, PORT)),
      tls: v.picklist(["implicit", "starttls", "off"], TLS),
      user: optional(plain(320, "tower@shop.example")),
      password: optional(
        v.pipe(v.string("must be text"), v.maxLength(1_024, "must be at most 1024 characters")),
      ),
      from: v.pipe(v.string(MAILBOX), v.check(address, MAILBOX)),
      to: v.pipe(v.string(RECIPIENTS), v.check(recipients, RECIPIENTS)),
    }),
    webhook: v.strictObject({ url, secret }),
    heartbeat: v.strictObject({ url, secret: optional(secret) }),
    ntfy: v.strictObject({
      url,
      topic: v.pipe(v.string(TOPIC), v.regex(/^[A-Za-z0-9_-]{1,64}$/, TOPIC)),
      token: optional(v.pipe(v.string(TOKEN), v.regex(/^[\x21-\x7e]{1,256}$/, TOKEN))),
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
  const schema = schemasOf(asked.outbound)[asked.heartbeat && kind === "webhook" ? "heartbeat" : kind];
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

const HOUR = "must be an hour of the day, for example 22:00";
const hour = v.pipe(v.string(HOUR), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, HOUR));
const GROUP = "must be the name of a group of sites";

/** The rules of a channel; whether its sites and its group are there is for the caller to see. */
const RulesSchema = v.strictObject({
  severity: v.optional(v.picklist(SEVERITIES, `must be one of ${SEVERITIES.join(", ")}`), "warn"),
  sites: optional(
    v.pipe(v.array(v.string()), v.minLength(1, "must name a site, or be left out for every site")),
  ),
  group: optional(plain(MAX_NAME, GROUP)),
  quiet: optional(
    v.pipe(
      v.strictObject({ from: hour, to: hour }),
      v.check(
        ({ from, to }) => from !== to,
        "must end at another hour than it begins, for example 22:00-07:00",
      ),
    ),
  ),
  zone: v.optional(
    v.pipe(v.string(), v.check(isTimeZone, "must be an IANA time zone, for example Europe/Berlin")),
    "UTC",
  ),
  digest: optional(hour),
  resolved: v.optional(v.boolean(), false),
  heartbeat: v.optional(v.boolean(), false),
});

/** A name is shown wherever the channel is: it gives nothing of the address away. */
const NAME = v.pipe(
  plain(MAX_NAME, "On-call mail"),
  v.check((name) => !/@|:\/\//.test(name), "must hold no address, since it is shown on every page"),
);

/** Reads a channel's name and rules. */
export function readRules(name: string, rules: unknown): Read<ChannelRules> {
  const named = v.safeParse(v.object({ name: NAME }), { name });
  const read = v.safeParse(RulesSchema, rules);
  const faults = [...(named.issues ?? []), ...(read.issues ?? [])];
  return read.success && named.success
    ? { ok: true, value: read.output }
    : { ok: false, faults: faultsIn(faults, "") };
}

function faultsIn(issues: readonly v.BaseIssue<unknown>[], example: string): FieldFault[] {
  return issues.map((issue) => {
    const path = issue.path?.map(({ key }) => String(key)).join(".") ?? "file";
    if (issue.type === "strict_object" && issue.expected === "never")
      return { field: path, message: `is not a field of it, which is for example ${example}` };
    if (issue.type === "strict_object")
      return {
        field: path,
        message: issue.path === undefined ? `must be an object, for example ${example}` : "is missing",
      };
    return { field: path, message: issue.message };
  });
}
