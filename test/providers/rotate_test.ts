import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import type { Opened } from "../../src/app/boot.ts";
import { type Files, systemFiles } from "../../src/base/files.ts";
import { readKeyFile } from "../../src/base/keys.ts";
import { StorageUnavailable } from "../../src/base/storage_fault.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { checkEverything } from "../../src/keep/keep.ts";
import { rotateKey } from "../../src/providers/sealing.ts";
import { removeAccount } from "../../src/signals/credential_changes.ts";
import { accountSecret, storedCredential } from "../support/credentials.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";
import { keysOf } from "../support/keys.ts";
import { captureLog } from "../support/log.ts";

const folder = fresh(temporaryFolder);

const by = { actor: "command-line", now: 9_000 };
const keyFile = () => join(folder.path, "credentials.key");
const textOf = (byte: number) => new TextDecoder().decode(keysOf(byte).fileBytes()).trim();

/** Two accounts and a key of webmaster tools. */
async function fill({ deps }: Opened): Promise<string[]> {
  return [
    (await storedCredential(deps)).id,
    (await storedCredential(deps, "search-console", accountSecret("b@harbor.example"))).id,
    (await storedCredential(deps, "webmaster-tools")).id,
  ];
}

/** Whether each can be read, with which keys they are sealed, and what a check finds wrong. */
function looked({ deps }: Opened) {
  const rows = deps.store.raw
    .query<{ id: string; key_id: string }, []>("SELECT id, key_id FROM credential ORDER BY added_at, id")
    .all();
  return {
    open: rows.map(({ id }) => deps.credentials.open(id).ok),
    keys: [...new Set(rows.map(({ key_id }) => key_id))],
    faults: checkEverything(deps.store, deps.keys.forPurpose("audit")).flatMap(({ faults }) => faults),
  };
}

/** Credentials that count as monitoring failures. */
const unwatched = ({ deps }: Opened) => listMonitoringFailures(deps.store.db, { kind: "credentials" }).length;

const rotate = (opened: Opened, files: Files = systemFiles) => rotateKey({ ...opened.deps, files }, by);

/** Files of which only the first `steps` calls that change something happen: then the process is gone. */
function dyingAfter(steps: number): { readonly files: Files; readonly left: () => number } {
  let left = steps;
  const dying =
    <A extends readonly unknown[], R>(step: (...given: A) => Promise<R>) =>
    (...given: A) =>
      left-- > 0 ? step(...given) : Promise.reject(new Error("killed"));
  const { writeNew, rename, syncFolder, remove } = systemFiles;
  const files = {
    ...systemFiles,
    writeNew: dying(writeNew),
    rename: dying(rename),
    syncFolder: dying(syncFolder),
    remove: dying(remove),
  };
  return { files, left: () => left };
}

describe("a new key (reliability 4.4)", () => {
  test("seals everything anew while the service runs, and goes on over a restart; the audit and its check follow", async () => {
    const opened = await openFolder(folder.path);
    await fill(opened);
    const before = opened.deps.keys.id;
    const done = await rotate(opened);
    expect(done).toMatchObject({ ok: true, before, resealed: 3, unreadable: [] });
    const now = readKeyFile(keyFile())?.id;
    expect([opened.deps.keys.id, now]).toEqual([now as never, done.ok ? done.now : ""]);
    expect(looked(opened)).toEqual({ open: [true, true, true], keys: [now as never], faults: [] });
    expect(listAudit(opened.deps.store.db, { limit: 2 }).map(({ act }) => act)).toEqual([
      "credentials-key.rotate",
      "audit.key",
    ]);
    await storedCredential(opened.deps, "analytics", accountSecret("c@harbor.example"));
    opened.close();
    const again = await openFolder(folder.path);
    expect(looked(again)).toEqual({ open: [true, true, true, true], keys: [now as never], faults: [] });
    expect((await storedCredential(again.deps)).editRevision).toBe(1);
    again.close();
  });

  test("leaves the key before beside, for backups, with mode 0600", async () => {
    const opened = await openFolder(folder.path);
    await fill(opened);
    const first = readFileSync(keyFile(), "utf8");
    const done = await rotate(opened);
    const kept = done.ok ? done.kept : "";
    expect(kept).toBe(`${keyFile()}.${done.ok ? done.before : ""}`);
    expect(readFileSync(kept, "utf8")).toBe(first);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    opened.close();
    const again = await openFolder(folder.path);
    expect(looked(again)).toMatchObject({ open: [true, true, true], faults: [] });
    again.close();
  });

  test("cut off at any step, the next start finds whichever key the rows name, and finishes it", async () => {
    let steps = 0;
    for (let whole = false; !whole; steps++) {
      const path = join(folder.path, `cut-${steps}`);
      const opened = await openFolder(path);
      await fill(opened);
      const before = opened.deps.keys.id;
      const { files, left } = dyingAfter(steps);
      const ended = await rotate(opened, files).then(
        () => "done",
        (error: Error) => error.message,
      );
      whole = left() >= 0;
      expect(ended).toBe(whole ? "done" : "killed");
      expect(looked(opened).open).toEqual([true, true, true]);
      opened.close();
      const again = await openFolder(path);
      const { id } = again.deps.keys;
      expect({ steps, ...looked(again) }).toEqual({
        steps,
        open: [true, true, true],
        keys: [id],
        faults: [],
      });
      if (whole) expect(id).not.toBe(before);
      again.close();
    }
    expect(steps).toBeGreaterThan(6);
  });

  test("whose transaction is told as failed leaves both keys, whether or not it reached the disk", async () => {
    for (const reaches of [false, true]) {
      const path = join(folder.path, `told-${reaches}`);
      const opened = await openFolder(path);
      await fill(opened);
      const { writer } = opened.deps;
      const failing = Object.create(writer, {
        write: {
          value: async (job: Parameters<typeof writer.write>[0]) => {
            if (reaches) await writer.write(job);
            throw new StorageUnavailable("the disk says no");
          },
        },
      }) as typeof writer;
      const asked = rotateKey({ ...opened.deps, writer: failing, files: systemFiles }, by);
      await expect(asked).rejects.toThrow("the disk says no");
      expect(looked(opened).open).toEqual([true, true, true]);
      expect(await rotate(opened)).toEqual({ ok: false, why: "changed" });
      opened.close();
      const again = await openFolder(path);
      expect(looked(again)).toEqual({ open: [true, true, true], keys: [again.deps.keys.id], faults: [] });
      again.close();
    }
  });

  test("is made once, however many ask at once: no other would know what the first has sealed", async () => {
    const opened = await openFolder(folder.path);
    await fill(opened);
    const [one, other] = await Promise.all([rotate(opened), rotate(opened)]);
    expect([one.ok, other]).toEqual([true, { ok: false, why: "busy" }]);
    opened.close();
    const again = await openFolder(folder.path);
    expect(looked(again)).toMatchObject({ open: [true, true, true], faults: [] });
    again.close();
  });

  test("is not made where a setting holds the key, nor for a file that holds another by now", async () => {
    const opened = await openFolder(folder.path, { CREDENTIALS_KEY: textOf(5) });
    expect(await rotate(opened)).toEqual({ ok: false, why: "setting" });
    opened.close();
    const plain = await openFolder(join(folder.path, "plain"));
    writeFileSync(join(folder.path, "plain", "credentials.key"), keysOf(3).fileBytes());
    expect(await rotate(plain)).toEqual({ ok: false, why: "changed" });
    plain.close();
  });
});

describe("a key of a setting", () => {
  const start = (settings: Readonly<Record<string, string>>) => openFolder(folder.path, settings);

  test("with the one before beside it seals everything anew at start, counted, and says when nothing is left", async () => {
    const first = await start({ CREDENTIALS_KEY: textOf(1) });
    await fill(first);
    first.close();
    for (const resealed of [3, 0]) {
      const log = captureLog();
      const next = await start({ CREDENTIALS_KEY: textOf(2), CREDENTIALS_KEY_PREVIOUS: textOf(1) });
      expect(looked(next)).toEqual({ open: [true, true, true], keys: [keysOf(2).id], faults: [] });
      const said = log.lines.map(({ message, properties }) => ({ message, ...properties }));
      log.end();
      expect(said).toContainEqual(
        expect.objectContaining({
          message: expect.stringContaining("CREDENTIALS_KEY_PREVIOUS is needed no more"),
        }),
      );
      const counted = said.filter((line) => "resealed" in line);
      expect(counted.map((line) => line["resealed"])).toEqual(resealed === 0 ? [] : [3]);
      next.close();
    }
    const last = await start({ CREDENTIALS_KEY: textOf(2) });
    expect(looked(last).open).toEqual([true, true, true]);
    last.close();
  });

  test("takes over from the data folder's own key without being told of it", async () => {
    const first = await start({});
    await fill(first);
    first.close();
    const next = await start({ CREDENTIALS_KEY: textOf(2) });
    expect(looked(next)).toEqual({ open: [true, true, true], keys: [keysOf(2).id], faults: [] });
    next.close();
  });

  test("taken out again, a key of the folder's own is made when the one before is given", async () => {
    const first = await start({ CREDENTIALS_KEY: textOf(1) });
    await fill(first);
    first.close();
    const next = await start({ CREDENTIALS_KEY_PREVIOUS: textOf(1) });
    const { id } = next.deps.keys;
    expect([id, looked(next)]).toEqual([
      readKeyFile(keyFile())?.id as never,
      { open: [true, true, true], keys: [id], faults: [] },
    ]);
    next.close();
  });
});

describe("a key that is missing or wrong while credentials are stored", () => {
  test("another one opens nothing and breaks nothing: the rows stay, and the right one reads them again", async () => {
    const first = await openFolder(folder.path);
    const [id = ""] = await fill(first);
    first.close();
    copyFileSync(keyFile(), `${keyFile()}-kept-apart`);
    writeFileSync(keyFile(), keysOf(9).fileBytes());
    const log = captureLog();
    const wrong = await openFolder(folder.path);
    expect(log.lines.some(({ message }) => message.includes("3 stored credentials cannot be read"))).toBe(
      true,
    );
    log.end();
    expect(wrong.deps.credentials.open(id)).toEqual({
      ok: false,
      fault: { category: "configuration", code: "credential_unreadable", scope: "credential" },
    });
    expect(unwatched(wrong)).toBe(3);
    const again = await storedCredential(wrong.deps);
    expect(again.id).not.toBe(id);
    await removeAccount(wrong.deps, id, by);
    expect(unwatched(wrong)).toBe(2);
    wrong.close();
    // While one of two keys is away, nothing is sealed with what stands in for it.
    rmSync(keyFile());
    const half = await openFolder(folder.path, { CREDENTIALS_KEY_PREVIOUS: textOf(9) });
    expect([half.deps.keys.isStandIn, half.deps.credentials.open(again.id).ok]).toEqual([true, true]);
    half.close();
    copyFileSync(`${keyFile()}-kept-apart`, keyFile());
    // The account that was stored again meanwhile is sealed with the other key.
    const right = await openFolder(folder.path, { CREDENTIALS_KEY_PREVIOUS: textOf(9) });
    expect(looked(right)).toMatchObject({ open: [true, true, true], faults: [] });
    expect(unwatched(right)).toBe(0);
    right.close();
  });

  test("none at all: the service is up, nothing can be read or sealed, no key is made, and the right one mends it", async () => {
    const first = await openFolder(folder.path);
    const [id = ""] = await fill(first);
    const own = first.deps.keys.id;
    first.close();
    const bytes = readFileSync(keyFile());
    rmSync(keyFile());
    const log = captureLog();
    const lost = await openFolder(folder.path);
    expect(log.lines.some(({ message }) => message.includes("credentials.key is gone"))).toBe(true);
    log.end();
    expect([lost.deps.keys.isStandIn, unwatched(lost)]).toEqual([true, 3]);
    expect(looked(lost)).toMatchObject({ open: [false, false, false], keys: [own], faults: [] });
    expect(await rotate(lost)).toEqual({ ok: false, why: "lost" });
    await expect(storedCredential(lost.deps, "analytics", accountSecret("c@harbor.example"))).rejects.toThrow(
      "lost",
    );
    expect(existsSync(keyFile())).toBe(false);
    lost.close();
    writeFileSync(keyFile(), bytes);
    const mended = await openFolder(folder.path);
    expect(looked(mended)).toEqual({ open: [true, true, true], keys: [own], faults: [] });
    expect([mended.deps.credentials.open(id).ok, unwatched(mended)]).toEqual([true, 0]);
    mended.close();
  });
});
