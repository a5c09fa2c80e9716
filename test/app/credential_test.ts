/** Accounts of providers on the command line: what is stored, said and refused, and that no secret is anywhere in it. */

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

  test("adding prints the id and the connection revision alone, as JSON; the same again, and the other provider, answer the same", async () => {
    const first = await idOf("analytics");
    expect(Object.keys(first)).toEqual(["id", "connection_revision"]);
    expect(first.connection_revision).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf("search-console")).toEqual(first);
    expect(await idOf("analytics")).toEqual(first);
    expect((await add("analytics")).stderr).toContain("nothing is changed");
    const listed = JSON.parse((await call("credential list --json")).stdout);
    expect(listed).toMatchObject([
      {
        ...first,
        kind: "google-service-account",
        providers: ["analytics", "search-console"],
        readable: true,
        sites: 0,
      },
    ]);
    expect((await call("credential list")).stdout).toContain("analytics, search-console");
  });

  test("--replace begins a new connection of the same credential, and says whose account it is", async () => {
    const first = await idOf("analytics");
    const again = await add(`analytics --replace ${first.id}`, serviceAccountFile({ key: "second" }));
    const second = JSON.parse(again.stdout) as typeof first;
    expect(second.id).toBe(first.id);
    expect(second.connection_revision).not.toBe(first.connection_revision);
    expect(again.stderr).toContain("(the same account)");
    const other = await add(
      `analytics --replace ${first.id}`,
      serviceAccountFile({ email: "b@c.iam.gserviceaccount.com" }),
    );
    expect(other.stderr).toContain("ANOTHER ACCOUNT than before");
    const bing = await idOf("webmaster-tools", WEBMASTER_KEY);
    const key = await add(`webmaster-tools --replace ${bing.id}`, "f".repeat(32));
    expect(key.stderr).toContain("nothing in it tells whether it is of the same user");
  });

  test("what cannot be stored is refused with what to do, and changes nothing", async () => {
    const first = await idOf("analytics");
    const bing = await idOf("webmaster-tools", WEBMASTER_KEY);
    const before = (await call("credential list --json")).stdout;
    for (const [words, file, said] of [
      ["analytics", serviceAccountFile({ key: "second" }), `--replace ${first.id}`],
      [
        `analytics --replace ${bing.id}`,
        serviceAccountFile({ key: "second" }),
        "is a key of webmaster tools",
      ],
      ["analytics --replace nobody", serviceAccountFile(), "there is no credential nobody"],
      [
        "analytics",
        JSON.stringify({ ...serviceAccount(), client_email: "x", token_uri: "y" }),
        "client_email: ",
      ],
      ["analytics", "", "The file is empty."],
      ["webmaster-tools", "two words", "key: This is no key"],
    ] as const) {
      const { exitCode, stdout, stderr } = await add(words, file);
      expect({ words, exitCode, stdout, said: stderr.includes(said) }).toEqual({
        words,
        exitCode: 1,
        stdout: "",
        said: true,
      });
    }
    for (const [words, said] of [
      ["credential add bing --file x", "there is no provider bing: the providers are analytics"],
      ["credential add analytics", "--file is missing"],
      ["credential add analytics --file x --label a@b.example", "--label must hold no e-mail address"],
      [`credential add analytics --file x --label ${"x".repeat(101)}`, "--label must be 1 to 100"],
    ] as const) {
      const { exitCode, stderr } = await call(words, serviceAccountFile());
      expect({ words, exitCode, said: stderr.includes(said) }).toEqual({ words, exitCode: 2, said: true });
    }
    expect((await call("credential list --json")).stdout).toBe(before);
  });

  test("a label is shown, and one account is called by it", async () => {
    const longest = "😀".repeat(100);
    await add(`analytics --label ${longest}`);
    expect((await call("credential list --json")).stdout).toContain(longest);
    await add("analytics --label Agency");
    expect((await call("credential list")).stdout).toContain("Agency");
  });

  test("removing one says which sites lose which property, and leaves an act", async () => {
    const { id } = await idOf("analytics");
    const ask = {
      asset: "harbor",
      provider: "analytics",
      credential: id,
      property: "11",
      replace: false,
    } as const;
    await attachProperty(opened.deps, ask, { actor: "test", now: 1 });
    expect(JSON.parse((await call("credential list --json")).stdout)).toMatchObject([{ sites: 1 }]);
    const removed = await call(`credential remove ${id}`);
    expect(removed.stderr).toContain("harbor has no analytics property any more (it was 11)");
    expect(listAttachments(opened.deps.store.db)).toEqual([]);
    const [act] = listAudit(opened.deps.store.db, { limit: 1 });
    expect([act?.act, act?.actor]).toEqual(["credential.remove", "command-line"]);
    noSecretIn(JSON.stringify(act));
    expect(await call(`credential remove ${id}`)).toMatchObject({ exitCode: 1 });
    expect((await call("credential list")).stderr).toContain("no credential yet");
  });

  test("detaching names what the site has, by provider or by property", async () => {
    const { id } = await idOf("analytics");
    const attach = (property: string) =>
      attachProperty(
        opened.deps,
        { asset: "harbor", provider: "analytics", credential: id, property, replace: true },
        { actor: "test", now: 1 },
      );
    await attach("11");
    expect((await call("property detach harbor --provider search-console")).stderr).toContain(
      "it has 11 (analytics)",
    );
    expect((await call("property detach harbor --property 11")).stderr).toContain("11 is detached");
    expect((await call("property detach harbor --provider analytics")).stderr).toContain("it has none");
    await attach("12");
    expect(await call("property detach harbor --provider analytics")).toMatchObject({ exitCode: 0 });
    expect((await call("property detach habor --provider analytics")).stderr).toContain(
      "did you mean harbor?",
    );
    expect(await call("property detach harbor")).toMatchObject({ exitCode: 2 });
    expect(await call("property detach harbor --provider x --property y")).toMatchObject({ exitCode: 2 });
    expect(await call("property detach harbor --provider analytic")).toMatchObject({ exitCode: 2 });
  });

  test("the key is changed by a command; what was stored is read with it", async () => {
    const { id } = await idOf("analytics");
    const before = opened.deps.keys.id;
    const changed = await call("credentials-key rotate");
    expect(changed).toMatchObject({ exitCode: 0, stdout: "" });
    expect(changed.stderr).toContain("1 credential sealed with it");
    expect(changed.stderr).toContain(`credentials.key.${before}`);
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
    const added = await run(lost, "credential add webmaster-tools --file x", undefined, WEBMASTER_KEY);
    const rotated = await run(lost, "credentials-key rotate");
    const listed = JSON.parse((await run(lost, "credential list --json")).stdout);
    lost.close();
    for (const { exitCode, stderr } of [added, rotated]) {
      expect(exitCode).toBe(1);
      expect(stderr).toContain("The key that credentials are sealed with is lost");
    }
    expect(listed).toMatchObject([{ readable: false }]);
  });

  test("of a setting, the key is changed there", async () => {
    const settings = { CREDENTIALS_KEY: Buffer.alloc(32, 3).toString("base64") };
    const opened = await openFolder(folder.path, settings);
    const rotated = await run(opened, "credentials-key rotate");
    opened.close();
    expect(rotated.stderr).toContain("the one before into CREDENTIALS_KEY_PREVIOUS");
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
