/** Each sender against real servers on loopback: what arrives, and what each answer comes to. */

import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import * as v from "valibot";
import type { OutboundRules } from "../../src/base/outbound.ts";
import {
  type ChannelSettings,
  type Notice,
  PayloadSchema,
  type Sent,
} from "../../src/notices/channel_settings.ts";
import { sendByHttp, sendMail } from "../../src/notices/senders.ts";
import { selfSigned } from "../support/certificate.ts";
import { recordEach } from "../support/mixtures.ts";
import { rawAnswers } from "../support/raw_http.ts";

const NOTICE: Notice = {
  id: "0199f3c2-7d1e-7000-8000-000000000001",
  type: "flags.raised",
  at: "2026-11-20T06:00:00.000Z",
  asset: "northlight-hotels",
  subject: "northlight-hotels: bookings down 71 %\r\nBcc: evil@example.org — ä",
  text: "WARNING  Bookings down 71% (31, normally about 107) <!channel> & more → ä",
  html: "<p>Bookings down 71%</p>",
  flags: [
    {
      id: "4821",
      rule: "flow-drop",
      severity: "warn",
      kind: "anomaly",
      metric: "bookings",
      message: "Bookings down 71%",
      raised_at: "2026-11-20T05:14:00.000Z",
      href: "https://tower.example.org/flags/4821",
    },
  ],
};
const NOW = Date.parse("2026-11-20T06:00:01.500Z");
const RULES: OutboundRules = {
  allowedHosts: ["box.internal"],
  resolve: async () => [{ address: "127.0.0.1" }],
};
const KEY = Buffer.from("0123456789abcdef0123456789abcdef");
const SECRET = `whsec_${KEY.toString("base64")}`;

type Kind<Name extends ChannelSettings["kind"]> = ChannelSettings & { readonly kind: Name };
const code = (sent: Sent) => (sent.ok ? sent.receipt : [sent.category, sent.code, sent.permanent]);

describe("by HTTP", () => {
  /** What arrives, at a server that answers so. */
  async function sent(
    settings: (url: string) => Exclude<ChannelSettings, Kind<"mail">>,
    answer = new Response("no answer is read"),
    notice = NOTICE,
  ) {
    const arrived = Promise.withResolvers<{ readonly request: Request; readonly body: string }>();
    using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        arrived.resolve({ request, body: await request.text() });
        return answer;
      },
    });
    const outcome = await sendByHttp(RULES, settings(`http://box.internal:${server.port}/base`), notice, NOW);
    return { outcome, ...(await arrived.promise) };
  }

  test("a webhook gets the described JSON, signed as Standard Webhooks says, under the delivery id", async () => {
    const { outcome, request, body } = await sent(
      (url) => ({ kind: "webhook", url, secret: SECRET }),
      new Response(null, { status: 202 }),
    );
    expect(outcome).toEqual({ ok: true, receipt: "202" });
    expect(v.parse(v.strictObject(PayloadSchema.entries), JSON.parse(body))).toMatchSnapshot();
    const header = (name: string) => request.headers.get(name);
    const said = ["content-type", "user-agent", "idempotency-key"].map(header);
    expect([request.method, ...said]).toMatchSnapshot();
    expect([header("webhook-id"), header("webhook-timestamp")]).toEqual([
      NOTICE.id,
      String(Math.floor(NOW / 1_000)),
    ]);
    const signed = createHmac("sha256", KEY)
      .update(`${NOTICE.id}.${header("webhook-timestamp")}.${body}`)
      .digest("base64");
    expect(header("webhook-signature")).toBe(`v1,${signed}`);
  });

  test("a heartbeat's address without a secret gets no signature", async () => {
    const { request } = await sent((url) => ({ kind: "webhook", url, secret: null }));
    expect([request.headers.get("webhook-id"), request.headers.get("webhook-signature")]).toEqual([
      NOTICE.id,
      null,
    ]);
  });

  test("ntfy gets the text at its topic, with a title, a priority, a link and the token; a Slack-shaped one the text alone", async () => {
    const ntfy = await sent((url) => ({ kind: "ntfy", url, topic: "alerts", token: "tk_1" }));
    expect([new URL(ntfy.request.url).pathname, ntfy.body]).toEqual(["/base/alerts", NOTICE.text]);
    const { title, priority, click, authorization } = Object.fromEntries(ntfy.request.headers);
    expect([priority, click, authorization]).toEqual(["4", NOTICE.flags[0]?.href, "Bearer tk_1"]);
    const encoded = /^=\?UTF-8\?B\?(.+)\?=$/.exec(title ?? "")?.[1] ?? "";
    expect(Buffer.from(encoded, "base64").toString()).toBe(NOTICE.subject.replace("\r\n", " "));
    const long = { ...NOTICE, text: `a${"é".repeat(3_000)}` };
    const cut = await sent((url) => ({ kind: "ntfy", url, topic: "alerts", token: null }), undefined, long);
    expect([Buffer.byteLength(cut.body) <= 4_096, cut.body.slice(-2)]).toEqual([true, "é…"]);
    const flags = NOTICE.flags.map((flag) => ({ ...flag, href: `/flags/${flag.id}` }));
    const unlinked = await sent((url) => ({ kind: "ntfy", url, topic: "alerts", token: null }), undefined, {
      ...NOTICE,
      flags,
    });
    expect(unlinked.request.headers.has("click")).toBe(false);
    const slack = await sent((url) => ({ kind: "slack", url }));
    expect(JSON.parse(slack.body)).toEqual({ text: NOTICE.text.replace("&", "&amp;").replace("<", "&lt;") });
  });

  test("any 2xx is delivered, however its body goes on; a notice that is refused is not sent again, all else is", async () => {
    const statuses = [200, 204, 301, 302, 304, 400, 401, 403, 404, 408, 410, 422, 425, 429, 500, 503];
    const headers = { location: "http://127.0.0.1:9/" };
    const told: Record<number, unknown> = {};
    for (const status of statuses) {
      const answer = new Response(null, { status, headers });
      told[status] = code((await sent((url) => ({ kind: "slack", url }), answer)).outcome);
    }
    recordEach(statuses, (status) => told[status]);
    const huge = await sent((url) => ({ kind: "slack", url }), new Response(new Uint8Array(1_000_000)));
    expect(huge.outcome).toEqual({ ok: true, receipt: "200" });
    using cut = rawAnswers({ bytes: "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc" });
    using silent = rawAnswers({ bytes: "", ending: "close" });
    const at = (url: string) =>
      sendByHttp(RULES, { kind: "slack", url: url.replace("127.0.0.1", "box.internal") }, NOTICE, NOW);
    expect(code(await at(cut.url))).toBe("200");
    expect((await at(silent.url)).ok).toBe(false);
    expect(code(await at("http://127.0.0.1:9/"))).toEqual(["network", "receiver_unreachable", false]);
    expect(
      code(
        await sendByHttp(
          { ...RULES, allowedHosts: [] },
          { kind: "slack", url: "https://box.internal/" },
          NOTICE,
          NOW,
        ),
      ),
    ).toEqual(["configuration", "receiver_private", false]);
  });
});

describe("by mail", () => {
  const settings = (port: number, change: Partial<Kind<"mail">> = {}): Kind<"mail"> => ({
    ...{ kind: "mail", host: "box.internal", port, tls: "off", user: null, password: null },
    ...{ from: "Tower <tower@shop.example>", to: "ann@shop.example, bo@shop.example" },
    ...change,
  });
  const login = { user: "tower", password: "right" };
  const refusing = (responseCode: number) => ({
    onRcptTo: (_to: unknown, _session: unknown, done: (error: Error) => void) =>
      done(Object.assign(new Error("SECRET-ANSWER"), { responseCode })),
  });

  test("carries subject, text and HTML under the delivery's id, and no header that a subject smuggles in", async () => {
    await using server = await mailServer({ disabledCommands: ["STARTTLS"] });
    expect(await sendMail(RULES, settings(server.port), NOTICE)).toEqual({ ok: true, receipt: "250" });
    const [message = ""] = server.messages;
    const head = message.slice(0, message.indexOf("\r\n\r\n"));
    expect(head).toContain(`Message-ID: <${NOTICE.id}@shop.example>`);
    expect(head).toMatch(/^From: Tower <tower@shop\.example>$/m);
    expect(head).toMatch(/^To: ann@shop\.example, bo@shop\.example$/m);
    expect(head).toMatch(/^Date: /m);
    expect(head).not.toMatch(/^Bcc:/im);
    expect(message).toContain("multipart/alternative");
    expect(message).toContain("<p>Bookings down 71%</p>");
  });

  test("goes over TLS from the start or from STARTTLS on, under the host's own name, and never without where TLS is asked for", async () => {
    const { key, cert } = await selfSigned("box.internal");
    const signedIn = {
      ...{ key, cert, authOptional: false },
      onAuth: (
        { password }: { password?: string | null | undefined },
        _session: unknown,
        done: (error: Error | null, ok?: { user: string }) => void,
      ) => (password === "right" ? done(null, { user: "tower" }) : done(new Error("SECRET-ANSWER"))),
    };
    await using implicit = await mailServer({ ...signedIn, secure: true });
    await using starttls = await mailServer(signedIn);
    await using plain = await mailServer({ disabledCommands: ["STARTTLS"] });
    const over = async (
      port: number,
      tls: "implicit" | "starttls",
      ca = cert,
      user: Partial<Kind<"mail">> = login,
    ) => code(await sendMail({ ...RULES, ca }, settings(port, { tls, ...user }), NOTICE));
    expect([await over(implicit.port, "implicit"), await over(starttls.port, "starttls")]).toEqual([
      "250",
      "250",
    ]);
    const wrong = { ...login, password: "wrong" };
    expect(await over(starttls.port, "starttls", cert, wrong)).toEqual(["access", "receiver_denied", false]);
    const insecure = ["network", "receiver_insecure", false];
    const { cert: other } = await selfSigned("other.internal");
    expect(await over(implicit.port, "implicit", other)).toEqual(insecure);
    expect(await over(starttls.port, "starttls", other)).toEqual(insecure);
    expect(await over(plain.port, "starttls")).toEqual(insecure);
    expect(await over(plain.port, "implicit")).toEqual(insecure);
    expect(plain.messages).toStrictEqual([]);
  });

  test("greylisting and a connection that is dropped after the text are tried again; a refused recipient is not", async () => {
    const at = async (options: Parameters<typeof mailServer>[0], change: Partial<Kind<"mail">> = {}) => {
      await using server = await mailServer({ disabledCommands: ["STARTTLS"], ...options });
      return code(await sendMail(RULES, settings(server.port, change), NOTICE));
    };
    expect(await at(refusing(451))).toEqual(["provider_error", "receiver_failed", false]);
    expect(await at(refusing(550))).toEqual(["configuration", "recipient_refused", true]);
    const some = {
      onRcptTo: ({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) =>
        address.startsWith("ann") ? done() : done(Object.assign(new Error("no"), { responseCode: 550 })),
    };
    expect(await at(some)).toBe("250 (1 of 2 recipients)");
    using dropping = droppingServer();
    expect(code(await sendMail(RULES, settings(dropping.port), NOTICE))).toMatchSnapshot();
    expect(code(await sendMail(RULES, settings(9), NOTICE))).toMatchSnapshot();
    const strict = { ...RULES, allowedHosts: [] };
    expect(code(await sendMail(strict, settings(25), NOTICE))).toMatchSnapshot();
  });

  test("a server that goes on saying a little holds nobody up", async () => {
    using talking = Bun.listen<undefined>({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open: (socket) => void socket.write("220 ready\r\n"),
        data: (socket) => {
          const talk = setInterval(() => socket.write("250-one moment\r\n") < 0 && clearInterval(talk), 50);
          talk.unref();
        },
      },
    });
    const sent = await sendMail(RULES, settings(talking.port), NOTICE, 300);
    expect(code(sent)).toEqual(["network", "receiver_silent", false]);
  });
});

/** A mail server that takes the whole message and is gone before it says so. */
function droppingServer() {
  const answers = [/^EHLO/i, /^MAIL/i, /^RCPT/i];
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => void socket.write("220 ready\r\n"),
      data: (socket, bytes) => {
        const text = bytes.toString();
        if (answers.some((verb) => verb.test(text))) socket.write("250 ok\r\n");
        else if (/^DATA/i.test(text)) socket.write("354 go on\r\n");
        else if (text.endsWith("\r\n.\r\n")) socket.end();
      },
    },
  });
  return { port: listener.port, [Symbol.dispose]: () => listener.stop(true) };
}

// A real mail server on loopback.

interface MailServer extends AsyncDisposable {
  readonly port: number;
  /** Every message that was taken, as it came. */
  readonly messages: readonly string[];
}

/** Takes every message, unless the options say otherwise. */
async function mailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const messages: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    onData: async (stream, _session, done) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      messages.push(Buffer.concat(chunks).toString());
      done(null, "2.0.0 queued as SECRET-QUEUE-ID");
    },
    ...options,
  });
  // A client that breaks a handshake off is what some tests are about.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    messages,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
