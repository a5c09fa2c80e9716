/** Accounts of providers on the command line: what is stored, said and refused (recorded: `run.ts`), and that no secret is anywhere in it. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import type { Opened } from "../../src/app/boot.ts";
import { readGivenFile } from "../../src/app/run_command.ts";
import { listAttachments } from "../../src/providers/properties.ts";
import { attachProperty } from "../../src/signals/credential_changes.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";
import { bareEnvironment, finished, startService } from "../support/service.ts";
import { serviceAccount, serviceAccountFile, WEBMASTER_KEY } from "../support/service_account.ts";
import { run } from "./run.ts";

const folder = fresh(temporaryFolder);

/** Nothing of these may be printed, whatever is asked. */
const SECRETS = ["PRIVATE KEY", "iam.gserviceaccount", "id-of-", WEBMASTER_KEY];
const noSecretIn = (text: string) => {
  for (const secret of SECRETS) expect(text).not.toContain(secret);
};

describe("stored accounts", () => {
  let opened: Opened;
  beforeEach(async () => {
    opened = await openFolder(join(folder.path, "data"));
    await opened.deps.writer.write((tx) =>
      ensureAssets(tx, ["harbor", "orchard"], { actor: "test", now: 1 }),
    );
  });
  afterEach(() => opened.close());

  const call = async (words: string, file?: string) => {
    const outcome = await run(opened, words, undefined, file);
    noSecretIn(outcome.stdout + outcome.stderr);
    return outcome;
  };
  const add = (words: string, file: string = serviceAccountFile()) =>
    call(`credential add ${words} --file x`, file);
  const idOf = async (words: string, file?: string) =>
    JSON.parse((await add(words, file)).stdout) as { id: string; connection_revision: string };

  const attach = (credential: string, property: string) =>
    attachProperty(
      opened.deps,
      { asset: "harbor", provider: "analytics", credential, property, replace: true },
      { actor: "test", now: 1 },
    );

  test("adding prints the id and the connection revision alone, as JSON; the same again, and the other provider, answer the same", async () => {
    const first = await idOf("analytics");
    expect(Object.keys(first)).toEqual(["id", "connection_revision"]);
    expect(first.connection_revision).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf("search-console")).toEqual(first);
    expect(await idOf("analytics")).toEqual(first);
    await add("analytics");
    expect(JSON.parse((await call("credential list --json")).stdout)).toMatchObject([first]);
    await call("credential list");
  });

  test("--replace begins a new connection of the same credential, and says whose account it is", async () => {
    const first = await idOf("analytics");
    const again = await add(`analytics --replace ${first.id}`, serviceAccountFile({ key: "second" }));
    const second = JSON.parse(again.stdout) as typeof first;
    expect(second.id).toBe(first.id);
    expect(second.connection_revision).not.toBe(first.connection_revision);
    const other = serviceAccountFile({ email: "b@c.iam.gserviceaccount.com" });
    await add(`analytics --replace ${first.id}`, other);
    const bing = await idOf("webmaster-tools", WEBMASTER_KEY);
    await add(`webmaster-tools --replace ${bing.id}`, "f".repeat(32));
  });

  test("what cannot be stored is refused with what to do, and changes nothing", async () => {
    await idOf("analytics");
    const bing = await idOf("webmaster-tools", WEBMASTER_KEY);
    const before = (await call("credential list --json")).stdout;
    const second = serviceAccountFile({ key: "second" });
    for (const [words, file] of [
      ["analytics", second],
      [`analytics --replace ${bing.id}`, second],
      ["analytics --replace nobody", serviceAccountFile()],
      ["analytics", JSON.stringify({ ...serviceAccount(), client_email: "x", token_uri: "y" })],
      ["analytics", ""],
      ["webmaster-tools", "two words"],
    ] as const)
      await add(words, file);
    for (const words of [
      "credential add bing --file x",
      "credential add analytics",
      "credential add analytics --file x --label a@b.example",
      `credential add analytics --file x --label ${"x".repeat(101)}`,
    ])
      await call(words, serviceAccountFile());
    expect((await call("credential list --json")).stdout).toBe(before);
  });

  test("a label is shown, and one account is called by it", async () => {
    await add(`analytics --label ${"😀".repeat(100)}`);
    await call("credential list --json");
    await add("analytics --label Agency");
    await call("credential list");
  });

  test("removing one says which sites lose which property, and leaves an act", async () => {
    const { id } = await idOf("analytics");
    await attach(id, "11");
    await call("credential list --json");
    await call(`credential remove ${id}`);
    expect(listAttachments(opened.deps.store.db)).toStrictEqual([]);
    const [act] = listAudit(opened.deps.store.db, { limit: 1 });
    expect([act?.act, act?.actor]).toEqual(["credential.remove", "command-line"]);
    noSecretIn(JSON.stringify(act));
    await call(`credential remove ${id}`);
    await call("credential list");
  });

  test("detaching names what the site has, by provider or by property", async () => {
    const { id } = await idOf("analytics");
    await attach(id, "11");
    const detach = (words: string) => call(`property detach ${words}`);
    for (const of of ["provider search-console", "property 11", "provider analytics"])
      await detach(`harbor --${of}`);
    await attach(id, "12");
    await detach("harbor --provider analytics");
    await detach("habor --provider analytics");
    for (const of of ["", " --provider x --property y", " --provider analytic"]) await detach(`harbor${of}`);
  });

  test("the key is changed by a command; what was stored is read with it", async () => {
    const { id } = await idOf("analytics");
    const before = opened.deps.keys.id;
    expect((await call("credentials-key rotate")).stderr).toContain(`credentials.key.${before}`);
    expect(opened.deps.credentials.canOpen(id)).toBe(true);
  });
});

describe("while the key is lost, or is a setting's", () => {
  test("nothing is stored, and it is said what to do", async () => {
    const path = join(folder.path, "data");
    const first = await openFolder(path);
    await run(first, "credential add analytics --file x", undefined, serviceAccountFile());
    first.close();
    writeFileSync(join(path, "credentials.key"), "torn");
    const lost = await openFolder(path);
    await run(lost, "credential add webmaster-tools --file x", undefined, WEBMASTER_KEY);
    for (const words of ["credentials-key rotate", "credential list --json"]) await run(lost, words);
    lost.close();
  });

  test("of a setting, the key is changed there", async () => {
    const settings = { CREDENTIALS_KEY: Buffer.alloc(32, 3).toString("base64") };
    const opened = await openFolder(folder.path, settings);
    await run(opened, "credentials-key rotate");
    opened.close();
  });
});

describe("the file, as the command line reads it", () => {
  async function tower(words: readonly string[], settings: Readonly<Record<string, string>>, given?: string) {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../src/cli.ts"), ...words], {
      cwd: folder.path,
      env: { ...bareEnvironment(), ...settings },
      stdin: given === undefined ? "ignore" : new Blob([given]),
      stdout: "pipe",
      stderr: "pipe",
    });
    return finished(child);
  }

  test("by its path without a service, and from standard input beside one, it comes to the same", async () => {
    const settings = { DATA_DIR: join(folder.path, "data"), INGEST_PORT: "0", TOWER_PORT: "0" };
    writeFileSync(join(folder.path, "account.json"), serviceAccountFile());
    const alone = await tower(["credential", "add", "analytics", "--file=account.json"], settings);
    expect([alone.code, alone.err.includes("A new installation was begun")]).toEqual([0, true]);
    const service = await startService(settings);
    try {
      const piped = await tower(
        ["credential", "add", "analytics", "--file", "-"],
        settings,
        serviceAccountFile(),
      );
      expect([piped.code, piped.out]).toEqual([0, alone.out]);
      const bad = await tower(["credential", "add", "analytics", "--file", "-"], settings, "canary: {");
      expect([bad.code, bad.out, bad.err.includes("canary")]).toEqual([1, "", false]);
      expect(await service.end("SIGTERM")).toBe(0);
      const said = `${service.said}${await service.errors()}${piped.err}${alone.err}`;
      noSecretIn(said);
      expect(said).not.toContain("canary");
    } finally {
      await service.end("SIGKILL");
    }
  });

  test("one that is not there, a folder and one that is far too large are refused by name before anything is begun", async () => {
    mkdirSync(join(folder.path, "folder"));
    writeFileSync(join(folder.path, "large.json"), "x".repeat(10 * 1_024 * 1_024));
    const settings = { DATA_DIR: join(folder.path, "none") };
    for (const [path, said] of [
      ["nowhere.json", "nowhere.json cannot be read: there is no such file"],
      ["folder", "folder cannot be read: it is a folder"],
      ["large.json", "large.json holds more than 64 KiB"],
    ] as const) {
      expect(await readGivenFile(join(folder.path, path))).toEqual({ fault: expect.stringContaining(said) });
    }
    const endless = await tower(
      ["credential", "add", "analytics", "--file", "-"],
      settings,
      "x".repeat(70_000),
    );
    expect([endless.code, endless.out]).toEqual([1, ""]);
    expect(endless.err).toStartWith("tower credential add: standard input holds more than");
    expect(existsSync(settings.DATA_DIR)).toBe(false);
  });
});
