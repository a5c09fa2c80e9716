/** Sends a notice: by mail, or by HTTP to a signed webhook, an ntfy topic or the incoming webhook of Slack, Mattermost and Discord. */

import { createHmac } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { createTransport } from "nodemailer";
import type { BodySink, HttpFailureKind } from "../base/http_client.ts";
import type { InstallationKeys } from "../base/keys.ts";
import {
  checkedAddress,
  OUTBOUND_TIMEOUT_MS,
  type OutboundRules,
  outboundRequest,
} from "../base/outbound.ts";
import type { FaultCode } from "../providers/faults.ts";
import { faultOf } from "../providers/faults.ts";
import { openText } from "../providers/sealing.ts";
import type { Core } from "../store/core.ts";
import {
  type ChannelSettings,
  type Notice,
  type Payload,
  type Sent,
  webhookKey,
} from "./channel_settings.ts";
import { type Channel, type ChannelRow, findChannelRow } from "./channels.ts";

/** What of an answer, or of none, is told of a notice that was not delivered: a code of ours, never what the other side wrote. */

/** Refusals of this very notice. All else may pass within the 24 hours in which it is tried: a receiver's release answers 404 for a minute. */
const REFUSED: ReadonlySet<FaultCode> = new Set([
  "receiver_refused",
  "recipient_refused",
  "credential_removed",
]);

/** Not delivered. */
function failed(code: FaultCode): Sent {
  const { category } = faultOf(code);
  return { ok: false, category, code, permanent: REFUSED.has(code) };
}

/** No answer came, or no connection; where nothing else is said the connection was lost. */
const UNANSWERED: Readonly<Partial<Record<HttpFailureKind, FaultCode>>> = {
  address: "receiver_private",
  dns: "receiver_unknown",
  refused: "receiver_unreachable",
  connection: "receiver_unreachable",
  tls: "receiver_insecure",
  timeout: "receiver_silent",
  aborted: "stopped",
  redirect: "receiver_moved",
};
const unanswered = (failure: HttpFailureKind): Sent => failed(UNANSWERED[failure] ?? "receiver_cut_off");

/** What a status says: any 2xx is a delivery, whatever stands in its body. */
function sentBy(status: number): Sent {
  if (status >= 200 && status < 300) return { ok: true, receipt: String(status) };
  if (status < 400) return failed("receiver_moved");
  const known = STATUSES[status];
  if (known !== undefined) return failed(known);
  return failed(status < 500 ? "receiver_refused" : "receiver_failed");
}

const STATUSES: Readonly<Record<number, FaultCode>> = {
  401: "receiver_denied",
  403: "receiver_denied",
  404: "receiver_gone",
  407: "receiver_denied",
  408: "receiver_failed",
  410: "receiver_gone",
  425: "receiver_failed",
  429: "receiver_busy",
};

type HttpSettings = Exclude<ChannelSettings, { readonly kind: "mail" }>;

interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a notice by HTTP, once. `now` is milliseconds since the epoch. Never throws. */
export async function sendByHttp(
  outbound: OutboundRules,
  settings: HttpSettings,
  notice: Notice,
  now: number,
): Promise<Sent> {
  const { url, headers, body } = messageOf(settings, notice, now);
  let status: number | undefined;
  // Nothing of an answer is kept but its status: who answered 200 has the notice, however the body ends.
  const into: BodySink = {
    begin: async (answered) => {
      status = answered;
    },
    write: async () => {},
    end: async () => {},
  };
  const own = { "user-agent": "Tower", "idempotency-key": notice.id };
  const result = await outboundRequest(
    { url, method: "POST", headers: { ...own, ...headers }, body, into },
    outbound,
  );
  if (status !== undefined) return sentBy(status);
  return unanswered(result.ok ? "cut" : result.failure);
}

function messageOf(settings: HttpSettings, notice: Notice, now: number): Message {
  switch (settings.kind) {
    case "webhook":
      return webhook(settings, notice, now);
    case "ntfy":
      return ntfy(settings, notice);
    case "slack":
      return {
        url: settings.url,
        headers: JSON_BODY,
        // "<!channel>" in a text that a site wrote would call everybody.
        body: JSON.stringify({ text: notice.text.replaceAll("&", "&amp;").replaceAll("<", "&lt;") }),
      };
  }
}

const JSON_BODY = { "content-type": "application/json" };

/** Standard Webhooks 1.0: the signature is of id, time and body. */
function webhook(
  { url, secret }: HttpSettings & { readonly kind: "webhook" },
  { id, type, at, asset, text, flags }: Notice,
  now: number,
): Message {
  const body = JSON.stringify({ id, type, at, asset, text, flags } satisfies Payload);
  const timestamp = String(Math.floor(now / 1_000));
  const key = secret === null ? undefined : webhookKey(secret);
  const signature =
    key === undefined
      ? {}
      : {
          "webhook-signature": `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
        };
  return {
    url,
    headers: { ...JSON_BODY, "webhook-id": id, "webhook-timestamp": timestamp, ...signature },
    body,
  };
}

/** Longest message that ntfy shows as one, in bytes: a longer one becomes a file, or is refused. */
const MAX_NTFY_BYTES = 4_096;
const PRIORITIES = { info: "3", warn: "4", error: "5" };

function ntfy(
  { url, topic, token }: HttpSettings & { readonly kind: "ntfy" },
  { subject, text, flags }: Notice,
): Message {
  const severity = (["error", "warn", "info"] as const).find((one) =>
    flags.some((flag) => flag.severity === one),
  );
  const click = flags[0]?.href;
  return {
    url: `${url.replace(/\/+$/, "")}/${topic}`,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      title: headerText(subject),
      priority: PRIORITIES[severity ?? "info"],
      // A path alone leads nowhere from a phone.
      ...(click === undefined || !URL.canParse(click) ? {} : { click }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: cut(text, MAX_NTFY_BYTES),
  };
}

/** A text in a header: on one line, beyond ASCII as RFC 2047 writes it. */
function headerText(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, " ").trim();
  return /^[\x20-\x7e]*$/.test(line) ? line : `=?UTF-8?B?${Buffer.from(line).toString("base64")}?=`;
}

function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const start = new TextDecoder().decode(Buffer.from(text).subarray(0, bytes - 3));
  return `${start.replace(/\uFFFD+$/, "")}…`;
}

/** Notices by mail: one connection for each, to an address that was checked, under the server's own name. */

/** From the greeting to the last answer, in milliseconds. */
const MAIL_TIMEOUT_MS = 60_000;

type MailSettings = ChannelSettings & { readonly kind: "mail" };

/** Sends a notice by mail. Never throws. */
export async function sendMail(
  outbound: OutboundRules,
  settings: MailSettings,
  notice: Notice,
  timeoutMs = MAIL_TIMEOUT_MS,
): Promise<Sent> {
  const checked = await checkedAddress(settings.host, outbound, settings.port);
  if (!checked.ok) return unanswered(checked.failure);
  let sent = failed("receiver_unreachable");
  for (const address of checked.addresses) {
    sent = await sendTo(address, { name: checked.name, ca: outbound.ca, timeoutMs }, settings, notice);
    if (sent.ok || sent.code !== "receiver_unreachable") return sent;
  }
  return sent;
}

async function sendTo(
  address: string,
  { name, ca, timeoutMs }: { name: string | undefined; ca: string | undefined; timeoutMs: number },
  { port, tls, user, password, from, to }: MailSettings,
  notice: Notice,
): Promise<Sent> {
  let transport: ReturnType<typeof createTransport> | undefined;
  try {
    // Loaded when a start has answered, which need not wait for it.
    transport = (await import("nodemailer")).createTransport({
      host: address,
      port,
      secure: tls === "implicit",
      requireTLS: tls === "starttls",
      ignoreTLS: tls === "off",
      tls: { ...(name === undefined ? {} : { servername: name }), ...(ca === undefined ? {} : { ca }) },
      ...(user === null || password === null ? {} : { auth: { user, pass: password } }),
      connectionTimeout: OUTBOUND_TIMEOUT_MS,
      greetingTimeout: OUTBOUND_TIMEOUT_MS,
      socketTimeout: OUTBOUND_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const mail = transport.sendMail({
      from,
      to,
      subject: notice.subject.replace(/\p{Cc}+/gu, " "),
      text: notice.text,
      html: notice.html,
      // The same at every attempt, so that a mailbox may drop what came twice.
      messageId: `<${notice.id}@${from.replace(/^.*@|>$/g, "")}>`,
      headers: { "Auto-Submitted": "auto-generated" },
    });
    // A server that goes on saying a little is never silent, and would hold every channel up.
    const sent = await Promise.race([mail, setTimeout(timeoutMs, undefined, { ref: false })]);
    if (sent === undefined) return failed("receiver_silent");
    const { response, accepted, rejected } = sent;
    const all = accepted.length + rejected.length;
    const some = rejected.length === 0 ? "" : ` (${accepted.length} of ${all} recipients)`;
    return { ok: true, receipt: `${response.slice(0, 3)}${some}` };
  } catch (error) {
    return failed(codeOf(error as MailError));
  } finally {
    transport?.close();
  }
}

/** What nodemailer throws, as far as it is read: its message repeats what the server wrote. */
interface MailError {
  readonly code?: string;
  /** The code of the error below it. */
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly command?: string;
}

function codeOf({ code = "", originalCode = "", responseCode, command }: MailError): FaultCode {
  if (code === "ETLS" || /CERT|TLS|SSL|SIGNATURE/.test(originalCode)) return "receiver_insecure";
  if (responseCode === undefined) {
    if (code === "ETIMEDOUT") return "receiver_silent";
    return /REFUSED|UNREACH/.test(originalCode) ? "receiver_unreachable" : "receiver_cut_off";
  }
  // A 4xx is for now, greylisting among them; a 5xx is for good (RFC 5321, 4.2.1).
  if (responseCode < 500) return "receiver_failed";
  if (code === "EAUTH" || responseCode === 530) return "receiver_denied";
  return command === "RCPT TO" ? "recipient_refused" : "receiver_refused";
}

/** Sending one notice to one channel, once; whether and when it is sent again is decided by who sends. */

export interface SendDeps extends Core {
  readonly keys: InstallationKeys;
  readonly outbound: OutboundRules;
}

/** Sends a notice over the connection that the channel has. Never throws for anything that the network or the other side does. */
export async function send(
  deps: SendDeps,
  { id, connection_revision }: Pick<Channel, "id" | "connection_revision">,
  notice: Notice,
): Promise<Sent> {
  const row = findChannelRow(deps.store.db, id);
  if (row === undefined) return failed("credential_removed");
  if (row.connection_revision !== connection_revision) return failed("connection_changed");
  const settings = settingsOf(deps.keys, row);
  if (settings === undefined) return failed("credential_unreadable");
  return settings.kind === "mail"
    ? sendMail(deps.outbound, settings, notice)
    : sendByHttp(deps.outbound, settings, notice, deps.clock.now());
}

/** Where a channel leads; undefined where that cannot be read with the keys that are here. It was judged before it was sealed. */
export function settingsOf(keys: InstallationKeys, row: ChannelRow): ChannelSettings | undefined {
  const text = openText(keys, "channel", row);
  return text === undefined ? undefined : (JSON.parse(text) as ChannelSettings);
}
