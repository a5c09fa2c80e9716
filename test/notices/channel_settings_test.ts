import { expect, test } from "bun:test";
import { type ChannelKind, readRules, readSettings } from "../../src/notices/channel_settings.ts";

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
const toldOfRules = (name: string, rules: object) => {
  const read = readRules(name, rules);
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

test("what is beyond them is named by its field, in one sentence, with an example", () => {
  const port = "port must be a port from 1 to 65535, for example 465";
  const user = "user must be 1 to 100 plain characters, for example tower@shop.example";
  const from = "from must be a mail address, for example tower@shop.example";
  const to = "to must be up to 50 mail addresses split by commas, for example ann@shop.example";
  const secret =
    "secret must be 24 to 64 bytes in base64, with whsec_ before them or without, for example made by: openssl rand -base64 32";
  const topic = "topic must be 1 to 64 letters, digits, hyphens and underscores, for example tower-alerts";
  const together = "is missing: a user and a password go together";
  const bad: readonly (readonly [ChannelKind, object, string])[] = [
    ...[0, 65_536, 1.5, "25"].map((given) => ["mail", { port: given }, port] as const),
    ["mail", { host: "smtp:25" }, "host must be a host name without a port, for example smtp.shop.example"],
    ["mail", { tls: "ssl" }, 'tls must be "implicit", "starttls" or "off"'],
    ...["", " ", "u".repeat(101), "a\tb"].map((one) => ["mail", { user: one, password: "" }, user] as const),
    ["mail", { user: "u" }, `password ${together}`],
    ["mail", { password: "p" }, `user ${together}`],
    ["mail", { user: "u", password: 5 }, "password must be text"],
    ["mail", { from: `${"t".repeat(65)}@shop.example` }, from],
    ["mail", { from: `t@${"h".repeat(256)}` }, from],
    ["mail", { to: mailboxes(51) }, to],
    ["mail", { to: "a@shop.example, " }, to],
    ...[base64(23), base64(65), "not base64!", 5].map((one) => ["webhook", { secret: one }, secret] as const),
    ["webhook", { url: 5 }, "url must be an https address, for example https://hooks.example/tower"],
    ["ntfy", { topic: "a".repeat(65) }, topic],
    ["ntfy", { topic: "" }, topic],
    ["ntfy", { token: "t".repeat(257) }, "token must be an access token, for example tk_…"],
    [
      "slack",
      { x: 1 },
      'x is not a field of it, which is for example {"url": "https://hooks.slack.com/services/…"}',
    ],
    ["slack", { url: undefined }, "url is missing"],
  ];
  for (const [kind, changes, ...faults] of bad)
    expect([changes, ...told(kind, { ...RIGHT[kind], ...changes })]).toEqual([changes, ...faults]);
  const example = '{"url": "https://hooks.example/tower", "secret": "whsec_…"}';
  expect(told("webhook", "5")).toEqual([`file must be an object, for example ${example}`]);
  expect(told("webhook", "{")).toEqual([`file must be JSON, for example ${example}`]);
});

test("rules are read with their defaults, and a broken one is named", () => {
  expect(readRules("On-call mail", {})).toEqual({
    ok: true,
    value: {
      ...{ severity: "warn", sites: null, group: null, quiet: null, zone: "UTC", digest: null },
      ...{ resolved: false, heartbeat: false },
    },
  });
  const name = "name must be 1 to 100 plain characters and no address, for example On-call mail";
  const hour = "must be an hour of the day, for example 22:00";
  expect(toldOfRules("n".repeat(100), { sites: ["a"], quiet: { from: "00:00", to: "23:59" } })).toEqual([]);
  for (const one of ["", "n".repeat(101), "a@b", "https://x"]) expect(toldOfRules(one, {})).toEqual([name]);
  expect(
    toldOfRules("ops", { severity: "loud", sites: [], group: " ", zone: "Mars", digest: "24:00" }),
  ).toEqual([
    "severity must be one of info, warn, error",
    "sites must name a site, or be left out for every site",
    "group must be the name of a group of sites",
    "zone must be an IANA time zone, for example Europe/Berlin",
    `digest ${hour}`,
  ]);
  expect(toldOfRules("ops", { quiet: { from: "22:60", to: "7:00" } })).toEqual([
    `quiet.from ${hour}`,
    `quiet.to ${hour}`,
  ]);
  expect(toldOfRules("ops", { quiet: { from: "22:00", to: "22:00" } })).toEqual([
    "quiet must end at another hour than it begins, for example 22:00-07:00",
  ]);
});
