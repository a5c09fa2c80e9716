/** Channels on the command line and in the health of integrations: what is stored, said, refused and shown, and no secret anywhere. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import type { Opened } from "../../src/app/boot.ts";
import { channelScope } from "../../src/health/health.ts";
import { recordResult, resultOf } from "../../src/health/record.ts";
import { payloadOf } from "../../src/integrations/payload.ts";
import { readSettings } from "../../src/notices/channel_settings.ts";
import { findChannelRow, listChannels, saveChannel } from "../../src/notices/channels.ts";
import { send } from "../../src/notices/senders.ts";
import { loseTexts } from "../../src/providers/sealing.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { setGroup } from "../../src/sites/sites.ts";
import { run } from "../app/run.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { captureLog, type Logged } from "../support/log.ts";

const KEY = Buffer.from("0123456789abcdef0123456789abcdef").toString("base64");
/** Nothing of these may be printed, shown, logged or written down in the clear. */
const SECRETS = [KEY, "box.internal", "tk_secret", "hunter2", "SECRET-ANSWER", "/private-path"];

let folder: ReturnType<typeof temporaryFolder>;
let opened: Opened;
let log: { readonly lines: readonly Logged[]; end(): void };
let status = 200;
let server: ReturnType<typeof Bun.serve>;
let said = "";
const call = async (words: string, file?: unknown) => {
  const outcome = await run(opened, words, undefined, typeof file === "string" ? file : JSON.stringify(file));
  said += outcome.stdout + outcome.stderr;
  return outcome;
};
beforeEach(async () => {
  folder = temporaryFolder();
  log = captureLog();
  status = 200;
  said = "";
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("SECRET-ANSWER", { status }),
  });
  opened = await openFolder(join(folder.path, "data"), { OUTBOUND_ALLOWED_HOSTS: "127.0.0.1" });
  await opened.deps.writer.write((tx) => {
    ensureAssets(tx, ["harbor", "orchard"], { actor: "test", now: 1 });
    setGroup(tx, "harbor", "shops");
  });
});
afterEach(async () => {
  const { db } = opened.deps.store;
  const view = payloadOf(opened.deps.health.read(opened.deps.clock.now()));
  const shown = [
    said,
    JSON.stringify([listAudit(db, { limit: 100 }), view, log.lines, listChannels(db)]),
  ].join();
  for (const secret of SECRETS) expect(shown).not.toContain(secret);
  log.end();
  opened.close();
  await server.stop(true);
  folder[Symbol.dispose]();
});

const webhook = () => ({ url: `http://127.0.0.1:${server.port}/private-path`, secret: `whsec_${KEY}` });
const add = async (words = "webhook --name ops", file: unknown = webhook()) =>
  JSON.parse((await call(`channel add ${words} --file -`, file)).stdout) as {
    id: string;
    connection_revision: string;
  };
const listed = async () => JSON.parse((await call("channel list --json")).stdout) as unknown[];
/** How a capability's channels stand. */
const standing = (capability: string) =>
  payloadOf(opened.deps.health.read(opened.deps.clock.now()))
    .capabilities.find((one) => one.capability === capability)
    ?.targets.map(({ state, category }) => (category === null ? state : `${state} ${category}`));

describe("a channel on the command line", () => {
  test("is stored with its rules", async () => {
    const first = await add(
      "webhook --name ops --severity error --sites harbor,orchard --quiet 22:00-07:00 --zone Europe/Berlin --digest 08:00 --resolved",
    );
    expect(Object.keys(first)).toEqual(["id", "connection_revision"]);
    const rules = {
      ...{
        severity: "error",
        sites: ["harbor", "orchard"],
        group: null,
        quiet: { from: "22:00", to: "07:00" },
      },
      ...{ zone: "Europe/Berlin", digest: "08:00", resolved: true, heartbeat: false },
    };
    expect(await listed()).toMatchObject([
      { ...first, name: "ops", kind: "webhook", edit_revision: 1, rules, paused: false, readable: true },
    ]);
    expect(listAudit(opened.deps.store.db, { limit: 1 })[0]?.act).toBe("channel.add");
  });

  test("each kind's file, or a heartbeat's without a secret, is stored; the defaults are said", async () => {
    const mail = {
      host: "box.internal",
      port: 587,
      tls: "starttls",
      user: "tower",
      password: "hunter2",
      from: "Tower <t@shop.example>",
      to: "a@shop.example",
    };
    await add("mail --name mail", mail);
    await add("mail --name relay", { ...mail, user: undefined, password: null });
    await add("ntfy --name phone", { url: "https://ntfy.sh", topic: "alerts", token: "tk_secret" });
    await add("slack --name chat --group shops", { url: "https://hooks.slack.com/services/private-path" });
    await add("webhook --name beat --heartbeat", { url: "https://beat.example/private-path" });
    const defaults = {
      severity: "warn",
      sites: null,
      quiet: null,
      zone: "UTC",
      digest: null,
      resolved: false,
    };
    expect(await listed()).toMatchObject(
      ["mail", "mail", "ntfy", "slack", "webhook"].map((kind) => ({
        kind,
        rules: { ...defaults, heartbeat: kind === "webhook" },
      })),
    );
  });

  test("every broken option is wrong usage, named before the file is read", async () => {
    const bad = "--name a@b --severity loud --quiet 22 --zone Mars --digest 8";
    const { exitCode, stderr } = await call(`channel add webhook ${bad} --file -`, "no JSON");
    expect([exitCode, stderr.match(/--(?!file|help)\w+(?= )/g)]).toEqual([
      2,
      ["--name", "--severity", "--quiet", "--zone", "--digest"],
    ]);
  });

  test("every broken field is named with its rule, no value is repeated, and nothing is stored", async () => {
    const faults = async (words: string, file: unknown) => {
      const { exitCode, stdout, stderr } = await call(`channel add ${words} --file -`, file);
      expect([exitCode, stdout, stderr.split("\n")[0]]).toEqual([1, "", "Nothing was stored."]);
      return stderr
        .split("\n")
        .slice(1)
        .map((line) => line.split(":")[0]);
    };
    expect(
      await faults("webhook --name w", { url: "http://box.internal/", secret: "hunter2", x: 1 }),
    ).toEqual(["url", "secret", "x"]);
    const mail = {
      host: "box.internal:25",
      port: 0,
      tls: "ssl",
      user: "u",
      from: "a@b\r\nBcc: c@d",
      to: "a@b, <c@d>",
    };
    expect(await faults("mail --name m", mail)).toEqual(["host", "port", "tls", "from", "to"]);
    const right = {
      host: "box.internal",
      port: 25,
      tls: "off",
      from: "a@shop.example",
      to: "b@shop.example",
    };
    expect(await faults("mail --name m", { ...right, user: "u" })).toEqual(["password"]);
    expect(await faults("mail --name m", {})).toEqual(["host", "port", "tls", "from", "to"]);
    expect(
      await faults("ntfy --name n", { url: "https://10.0.0.1", topic: "a/b", token: "a b" }),
    ).toMatchSnapshot();
    expect(await faults("slack --name s", "hunter2 {")).toEqual(["file"]);
    expect(await faults("webhook --name w", { url: "https://h.example" })).toEqual(["secret"]);
    expect(
      await faults("slack --name s --sites harbor,nowhere --group none", { url: "https://h.example" }),
    ).toEqual(["sites", "group"]);
    expect(await listed()).toStrictEqual([]);
    await add();
    expect(await faults("webhook --name ops", webhook())).toEqual(["name"]);
    for (const words of [
      "channel add fax --name f --file -",
      "channel add slack --file -",
      "channel add slack --name s",
      "channel add slack --name s --file - --heartbeat",
    ])
      expect((await call(words, "{}")).exitCode).toBe(2);
    for (const act of ["test", "pause", "resume", "remove"]) {
      const { exitCode, stderr } = await call(`channel ${act} opps`);
      expect([exitCode, stderr]).toEqual([
        1,
        "there is no channel opps; did you mean ops?: tower channel list shows them",
      ]);
    }
  });

  test("a test prints its outcome and receipt, and 0 only where it was delivered", async () => {
    const { id, connection_revision } = await add();
    const tested = await call(`channel test ${id}`);
    const outcome = {
      id,
      connection_revision,
      outcome: "delivered",
      receipt: "200",
      category: null,
      code: null,
    };
    expect([tested.exitCode, JSON.parse(tested.stdout)]).toEqual([
      0,
      { ...outcome, delivery: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
    status = 401;
    const failed = await call("channel test ops");
    expect([failed.exitCode, JSON.parse(failed.stdout)]).toMatchObject([
      1,
      { outcome: "failed", receipt: null, category: "access", code: "receiver_denied" },
    ]);
  });
});

describe("a channel in the health of integrations", () => {
  test("waits idle until something was sent, a test makes only the test's row green, and a new connection starts anew", async () => {
    const { id } = await add();
    expect([standing("notices.webhook"), standing("notices.webhook.test")]).toEqual([
      ["idle"],
      ["never_run"],
    ]);
    await call("channel test ops");
    expect([standing("notices.webhook"), standing("notices.webhook.test")]).toEqual([["idle"], ["idle"]]);
    status = 500;
    expect((await call("channel test ops")).stderr).toEndWith("Wait a while, then send the test again.");
    expect([standing("notices.webhook"), standing("notices.webhook.test")]).toEqual([
      ["idle"],
      ["failing provider_error"],
    ]);
    const { deps } = opened;
    const [channel] = listChannels(deps.store.db);
    if (channel === undefined) throw new Error("no channel");
    const now = deps.clock.now();
    const attempt = { attempt: "delivery:1", startedAt: now, observedAt: now };
    const fault = { category: "network", code: "receiver_silent" } as const;
    await deps.writer.write((tx) =>
      recordResult(tx, channelScope("default", channel, false), attempt, resultOf(fault)),
    );
    expect(standing("notices.webhook")).toEqual(["failing network"]);
    const { name, rules } = channel;
    const settings = readSettings("webhook", JSON.stringify(webhook()), {
      heartbeat: false,
      outbound: deps.outbound,
    });
    if (!settings.ok) throw new Error("no settings");
    await saveChannel(deps, id, { name, rules, settings: settings.value }, { actor: "test", now });
    expect([standing("notices.webhook"), standing("notices.webhook.test")]).toEqual([
      ["idle"],
      ["never_run"],
    ]);
  });

  test("stands paused while it is paused, nowhere when it is removed, and its secrets are gone with it", async () => {
    const { id } = await add();
    await call("channel pause ops");
    expect([standing("notices.webhook"), (await listed())[0]]).toMatchObject([["paused"], { paused: true }]);
    await call("channel resume ops");
    expect(standing("notices.webhook")).toEqual(["idle"]);
    await call("channel remove ops");
    expect([standing("notices.webhook"), standing("notices.webhook.test")]).toEqual([undefined, undefined]);
    expect(opened.deps.store.raw.query("SELECT sealed, key_id FROM channel WHERE id = ?").get(id)).toEqual({
      sealed: "",
      key_id: "",
    });
    expect((await add()).id).not.toBe(id);
    expect((await call("credentials-key rotate")).stderr).not.toContain("Could not be read");
  });
});

describe("a channel's address and secrets", () => {
  test("are sealed in the file, taken along by a new key, and read by no other connection", async () => {
    const { id, connection_revision } = await add();
    const bytes =
      (await Bun.file(join(folder.path, "data", "tower.db-wal")).text()) +
      (await Bun.file(join(folder.path, "data", "tower.db")).text());
    for (const secret of SECRETS) expect(bytes).not.toContain(secret);
    expect((await call("credentials-key rotate")).stderr).toContain("1 credential sealed with it");
    expect((await call("channel test ops")).exitCode).toBe(0);
    const { deps } = opened;
    const notice = {
      id: "n",
      type: "test",
      at: "",
      asset: null,
      text: "",
      flags: [],
      subject: "",
      html: "",
    } as const;
    const sent = (of: Parameters<typeof send>[1]) => send(deps, of, { ...notice, flags: [] });
    expect(await sent({ id, connection_revision: "another" })).toMatchObject({
      code: "connection_changed",
      permanent: false,
    });
    expect(await sent({ id: "none", connection_revision })).toMatchObject({
      code: "credential_removed",
      permanent: true,
    });
    // Sealed with a key that is not here: a new key cannot take it along.
    deps.store.raw.run("UPDATE channel SET key_id = 'gone'");
    expect((await call("credentials-key rotate")).stderr).toContain(`and cannot now: ${id}.`);
    // What a restore of a backup without a proven origin does.
    await deps.writer.write(loseTexts);
    expect(findChannelRow(deps.store.db, id)).toMatchObject({ sealed: "" });
    expect(await listed()).toMatchObject([{ readable: false }]);
    expect(await sent({ id, connection_revision })).toMatchObject({
      code: "credential_unreadable",
      permanent: false,
    });
  });
});
