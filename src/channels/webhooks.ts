/** Notices by HTTP: a webhook of our own, signed; an ntfy topic; the incoming webhook that Slack, Mattermost and Discord take. */
import { createHmac } from "node:crypto";
import type { BodySink } from "../platform/http.ts";
import { type OutboundRules, outboundRequest } from "../platform/outbound.ts";
import type { Notice, Payload, Sent } from "./contract.ts";
import { sentBy, unanswered } from "./failed.ts";
import { type ChannelSettings, webhookKey } from "./settings.ts";

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
      ...(click === undefined ? {} : { click }),
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
