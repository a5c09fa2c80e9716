import { describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { auditAct, listNewest as listAudit } from "../../src/access/audit.ts";
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
import { stepDoors } from "../support/step_doors.ts";

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

/** What becomes of a folder, step by step; keys have the place in which they were met. */
function diary() {
  const met: string[] = [];
  const named = (id: string | undefined) => {
    if (id !== undefined && !met.includes(id)) met.push(id);
    return id === undefined ? "none" : `key ${met.indexOf(id) + 1}`;
  };
  const lines: string[] = [];
  let opened: Opened | undefined;
  return {
    lines,
    get now(): Opened {
      if (opened === undefined) throw new Error("nothing is open");
      return opened;
    },
    note: (what: string) => lines.push(what),
    close: () => {
      opened?.close();
      opened = undefined;
    },
    /** Opens the folder, or looks at it where it is open: its own key, that of the file, how the accounts are, what the log said. */
    async look(what: string, settings: Readonly<Record<string, string>> = {}) {
      const log = captureLog();
      opened ??= await openFolder(folder.path, settings);
      log.end();
      const { deps } = opened;
      const { keys, ...rest } = looked(opened);
      const unwatched = listMonitoringFailures(deps.store.db, { kind: "credentials" }).length;
      const own = `${named(deps.keys.id)}${deps.keys.isStandIn ? ", a stand-in" : ""}`;
      const state = {
        own,
        file: named(readKeyFile(keyFile())?.id),
        rows: keys.map(named),
        ...rest,
        unwatched,
      };
      lines.push(`${what}: ${JSON.stringify(state)}`);
      for (const { level, message, properties } of log.lines)
        if (level !== "info" || "resealed" in properties || message.includes("PREVIOUS"))
          lines.push(
            `  ${level} ${message.replaceAll(folder.path, "/data")} ${properties["resealed"] ?? ""}`,
          );
      return opened;
    },
  };
}

const rotate = (opened: Opened, files: Files = systemFiles) => rotateKey({ ...opened.deps, files }, by);

/** Files of which only the first `steps` calls come to anything: then the process is gone. */
function dyingAfter(steps: number, { deps }: Opened): { readonly files: Files; readonly left: () => number } {
  let left = steps;
  const { files } = stepDoors(deps.writer, () => {
    if (left-- <= 0) throw new Error("killed");
  });
  return { files, left: () => left };
}

describe("a new key (reliability 4.4)", () => {
  test("seals everything anew while the service runs, and goes on over a restart; the audit follows, the key before lies beside", async () => {
    const days = diary();
    const opened = await days.look("begun");
    await fill(opened);
    const first = readFileSync(keyFile(), "utf8");
    const done = await rotate(opened);
    await days.look("rotated");
    expect(done).toMatchObject({ ok: true, resealed: 3, unreadable: [] });
    const kept = `${keyFile()}.${done.ok ? done.before : ""}`;
    expect(done.ok && [done.kept, done.now]).toEqual([kept, opened.deps.keys.id as string]);
    expect([readFileSync(kept, "utf8"), statSync(kept).mode & 0o777]).toEqual([first, 0o600]);
    days.note(
      listAudit(opened.deps.store.db, { limit: 2 })
        .map(({ act }) => act)
        .join(),
    );
    await storedCredential(opened.deps, "analytics", accountSecret("c@harbor.example"));
    days.close();
    const again = await days.look("started again, with one that was stored since");
    expect((await storedCredential(again.deps)).editRevision).toBe(1);
    days.close();
    expect(days.lines).toMatchSnapshot();
  });

  test("cut off at any step, the next start finds whichever key the rows name, and finishes it", async () => {
    let steps = 0;
    for (let whole = false; !whole; steps++) {
      const path = join(folder.path, `cut-${steps}`);
      const opened = await openFolder(path);
      await fill(opened);
      const before = opened.deps.keys.id;
      const { files, left } = dyingAfter(steps, opened);
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
            const no = new StorageUnavailable("the disk says no");
            await writer.write((tx) => {
              job(tx);
              if (!reaches) throw no;
            });
            throw no;
          },
        },
      }) as typeof writer;
      const asked = rotateKey({ ...opened.deps, writer: failing, files: systemFiles }, by);
      await expect(asked).rejects.toThrow("the disk says no");
      expect(looked(opened).open).toEqual([true, true, true]);
      if (!reaches) {
        await writer.write((tx) => auditAct(tx, by, "flag.tune", "f", {}));
        expect(looked(opened).faults).toStrictEqual([]);
      }
      expect(await rotate(opened)).toEqual({ ok: false, why: "changed" });
      opened.close();
      const again = await openFolder(path);
      expect(looked(again)).toEqual({ open: [true, true, true], keys: [again.deps.keys.id], faults: [] });
      again.close();
    }
  });

  test("is made once, however many ask at once: no other would know what the first has sealed", async () => {
    const days = diary();
    const opened = await days.look("begun");
    await fill(opened);
    const [one, other] = await Promise.all([rotate(opened), rotate(opened)]);
    expect([one.ok, other]).toEqual([true, { ok: false, why: "busy" }]);
    days.close();
    await days.look("started again");
    days.close();
    expect(days.lines).toMatchSnapshot();
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

describe("keys from start to start, each recorded", () => {
  const [ONE, TWO] = [{ CREDENTIALS_KEY: textOf(1) }, { CREDENTIALS_KEY: textOf(2) }];
  const BEFORE = { CREDENTIALS_KEY_PREVIOUS: textOf(1) };
  test.each([
    [
      "a setting's key with the one before beside it",
      [ONE, { ...TWO, ...BEFORE }, { ...TWO, ...BEFORE }, TWO],
    ],
    ["a setting's key takes over from the folder's own, without being told of it", [{}, TWO]],
    ["a setting's key that is taken out again, where the one before is given", [ONE, BEFORE]],
  ] as const)("%s", async (_, starts) => {
    const days = diary();
    for (const [place, settings] of starts.entries()) {
      const opened = await days.look(Object.keys(settings).join(" and ") || "the folder's own", settings);
      if (place === 0) await fill(opened);
      days.close();
    }
    expect(days.lines).toMatchSnapshot();
  });

  test("another key opens nothing and breaks nothing: the rows stay, and the right one reads them again", async () => {
    const days = diary();
    const [id = ""] = await fill(await days.look("begun"));
    days.close();
    copyFileSync(keyFile(), `${keyFile()}-kept-apart`);
    writeFileSync(keyFile(), keysOf(9).fileBytes());
    const wrong = await days.look("another key");
    expect(wrong.deps.credentials.open(id)).toEqual({
      ok: false,
      fault: { category: "configuration", code: "credential_unreadable", scope: "credential" },
    });
    expect((await storedCredential(wrong.deps)).id).not.toBe(id);
    await removeAccount(wrong.deps, id, by);
    await days.look("one stored again, the first removed");
    days.close();
    rmSync(keyFile());
    await days.look("one of two keys away: nothing is sealed with what stands in", {
      CREDENTIALS_KEY_PREVIOUS: textOf(9),
    });
    days.close();
    copyFileSync(`${keyFile()}-kept-apart`, keyFile());
    await days.look("the right one", { CREDENTIALS_KEY_PREVIOUS: textOf(9) });
    days.close();
    expect(days.lines).toMatchSnapshot();
  });

  test("none at all: the service is up, nothing can be read or sealed, no key is made, and the right one mends it", async () => {
    const days = diary();
    await fill(await days.look("begun"));
    days.close();
    const bytes = readFileSync(keyFile());
    rmSync(keyFile());
    const lost = await days.look("gone");
    expect(await rotate(lost)).toEqual({ ok: false, why: "lost" });
    const stored = storedCredential(lost.deps, "analytics", accountSecret("c@harbor.example"));
    await expect(stored).rejects.toThrow("lost");
    await days.look("after a rotation and an account were refused");
    days.close();
    writeFileSync(keyFile(), bytes);
    await days.look("back");
    days.close();
    expect(days.lines).toMatchSnapshot();
  });
});
