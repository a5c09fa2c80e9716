/** A backup holds stored accounts sealed: with its key they are read again, and without it nobody's are. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { restore } from "../../src/app/backups.ts";
import { readConfig } from "../../src/base/config.ts";
import { systemFiles } from "../../src/base/files.ts";
import { backUp } from "../../src/keep/backup.ts";
import { checkEverything } from "../../src/keep/keep.ts";
import { rotateKey } from "../../src/providers/sealing.ts";
import { replaceCredential } from "../../src/signals/credential_changes.ts";
import { accountSecret, storedCredential } from "../support/credentials.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { captureLog } from "../support/log.ts";

const folder = temporaryFolder();
const data = join(folder.path, "data");
const file = join(folder.path, "one.backup");
const by = { actor: "test", now: 7 };
let id: string;
let keptKey: string;

beforeAll(async () => {
  const opened = await openFolder(data);
  ({ id } = await storedCredential(opened.deps));
  await backUp(opened.deps, { source: opened.deps.store.path, target: file, archive: opened.deps.config });
  const rotated = await rotateKey({ ...opened.deps, files: systemFiles }, by);
  keptKey = rotated.ok ? rotated.kept : "";
  opened.close();
});
afterAll(() => folder[Symbol.dispose]());

let count = 0;
async function restored(args: readonly string[]) {
  const into = join(folder.path, `restored-${++count}`);
  return { into, ...(await restore.run(readConfig({ DATA_DIR: into }), { args: [file, ...args] })) };
}

describe("a backup with stored accounts (reliability 4.4)", () => {
  test("restored with the key that was kept beside when another was made, reads them", async () => {
    const done = await restored(["--key-file", keptKey]);
    expect([done.exitCode, done.stderr]).toEqual([0, ""]);
    const opened = await openFolder(done.into);
    expect(opened.deps.credentials.open(id).ok).toBe(true);
    opened.close();
  });

  test("with the key of now alone it is refused, and names the one that it wants", async () => {
    const other = await restored(["--key-file", join(data, "credentials.key")]);
    expect(other.exitCode).toBe(1);
    expect(other.stderr).toContain(keptKey.split(".").at(-1) as string);
  });

  test("without a proven origin their secrets are taken out; each is put in again by a replacement", async () => {
    const done = await restored(["--unverified-origin"]);
    expect(done.exitCode).toBe(0);
    const log = captureLog();
    const opened = await openFolder(done.into);
    log.end();
    // No key brings them back: the start does not ask for one.
    const [told] = log.lines.filter(
      ({ level, message }) => level === "error" && message.includes("credential"),
    );
    expect(told?.message).toContain(
      "lost the secret when a backup of unproven origin was restored: put each file in again",
    );
    const sealed = opened.deps.store.raw.query("SELECT sealed, key_id FROM credential").all();
    expect(sealed).toEqual([{ sealed: "", key_id: "" }]);
    expect([opened.deps.keys.isStandIn, opened.deps.credentials.open(id)]).toMatchObject([
      false,
      { ok: false, fault: { code: "credential_unreadable" } },
    ]);
    const asked = { provider: "analytics", secret: accountSecret(), label: undefined } as const;
    expect(await replaceCredential(opened.deps, id, asked, by)).toMatchObject({ ok: true });
    expect(opened.deps.credentials.open(id).ok).toBe(true);
    const audit = opened.deps.keys.forPurpose("audit");
    expect(checkEverything(opened.deps.store, audit).flatMap(({ faults }) => faults)).toStrictEqual([]);
    opened.close();
  });
});
