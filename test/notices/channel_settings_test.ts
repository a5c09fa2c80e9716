import { expect, test } from "bun:test";
import { type ChannelKind, readRules, readSettings } from "../../src/notices/channel_settings.ts";
import { recordEach } from "../support/mixtures.ts";

const KEY = Buffer.alloc(24, "k").toString("base64");
const RIGHT: Readonly<Record<ChannelKind, object>> = {
  mail: {
    host: "smtp.shop.example",
    port: 465,
    tls: "implicit",
    from: "t@shop.example",
    to: "a@shop.example",
  },
  webhook: { url: "https://hooks.example/tower", secret: KEY },
  ntfy: { url: "https://ntfy.sh", topic: "alerts" },
  slack: { url: "https://hooks.slack.com/services/x" },
};
const told = (kind: ChannelKind, file: unknown) => {
  const read = readSettings(kind, typeof file === "string" ? file : JSON.stringify(file), {
    heartbeat: false,
    outbound: { allowedHosts: [] },
  });
  return read.ok ? [] : read.faults.map(({ field, message }) => `${field} ${message}`);
};
const mailboxes = (count: number) => Array<string>(count).fill("a@shop.example").join(", ");
const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString("base64");

test("the ends of what a channel's file may hold are in it", () => {
  const good: readonly (readonly [ChannelKind, object])[] = [
    ...[1, 65_535].map((port) => ["mail", { port }] as const),
    ["mail", { user: "u".repeat(100), password: "" }],
    ["mail", { from: "Tower <t@shop.example>", to: mailboxes(50) }],
    ["mail", { from: `${"t".repeat(64)}@${"h".repeat(255)}` }],
    ...[24, 64].map((bytes) => ["webhook", { secret: `whsec_${base64(bytes)}` }] as const),
    ["ntfy", { topic: "a".repeat(64), token: "t".repeat(256) }],
  ];
  for (const [kind, changes] of good)
    expect([changes, ...told(kind, { ...RIGHT[kind], ...changes })]).toEqual([changes]);
});

test("what is beyond them is named by its field, in one sentence, with an example: recorded", () => {
  const bad: readonly (readonly [ChannelKind, object])[] = [
    ...[0, 65_536, 1.5, "25"].map((port) => ["mail", { port }] as const),
    ["mail", { host: "smtp:25" }],
    ["mail", { tls: "ssl" }],
    ...["", " ", "u".repeat(101), "a\tb"].map((user) => ["mail", { user, password: "" }] as const),
    ["mail", { user: "u" }],
    ["mail", { password: "p" }],
    ["mail", { user: "u", password: 5 }],
    ["mail", { from: `${"t".repeat(65)}@shop.example` }],
    ["mail", { from: `t@${"h".repeat(256)}` }],
    ["mail", { to: mailboxes(51) }],
    ["mail", { to: "a@shop.example, " }],
    ...[base64(23), base64(65), "not base64!", `${base64(24)}!`, 5].map(
      (secret) => ["webhook", { secret }] as const,
    ),
    ["webhook", { url: 5 }],
    ["ntfy", { topic: "a".repeat(65) }],
    ["ntfy", { topic: "" }],
    ["ntfy", { token: "t".repeat(257) }],
    ["slack", { x: 1 }],
    ["slack", { url: undefined }],
  ];
  recordEach(bad, ([kind, changes]) => told(kind, { ...RIGHT[kind], ...changes }));
  recordEach(["5", "{"], (file) => told("webhook", file));
});

test("rules are read with their defaults, and a broken one is named: recorded", () => {
  const quiet = (from: string, to: string) => ({ quiet: { from, to } });
  const rules: readonly (readonly [string, object])[] = [
    ["On-call mail", {}],
    ["n".repeat(100), { sites: ["a"], ...quiet("00:00", "23:59") }],
    ...["", "n".repeat(101), "a@b", "https://x"].map((name) => [name, {}] as const),
    ["ops", { severity: "loud", sites: [], group: " ", zone: "Mars", digest: "24:00" }],
    ["ops", quiet("22:60", "7:00")],
    ["ops", quiet("22:00", "22:00")],
  ];
  recordEach(rules, ([name, given]) => {
    const read = readRules(name, given);
    return read.ok ? read.value : read.faults.map(({ field, message }) => `${field} ${message}`);
  });
});
