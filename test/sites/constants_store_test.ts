import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { type Files, systemFiles } from "../../src/base/files.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { StorageUnavailable } from "../../src/base/storage_fault.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { appendVersion, findVersion, listVersions } from "../../src/sites/constants_document.ts";
import { DEFAULT_DOCUMENT } from "../../src/sites/constants_schema.ts";
import { ConstantsStore } from "../../src/sites/constants_store.ts";
import type { Store } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";

let folder: string;
let path: string;
let store: Store;
let writer: Writer;
let now: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tower-constants-"));
  path = join(folder, "constants.toml");
  store = testStore();
  writer = new Writer(store);
  now = Date.UTC(2026, 2, 1, 2, 30);
});

afterEach(() => {
  writer.close();
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(files: Files = systemFiles, through: Pick<Writer, "write"> = writer): Promise<ConstantsStore> {
  return ConstantsStore.start({ path, files, clock: { now: () => now }, db: store.db, writer: through });
}

const HOURS = (hours: number | string) => `[freshness]\nsilent_hours = ${hours}\n`;
const silent = (keeper: ConstantsStore) => keeper.current().constants.freshness.silent_hours;
const authors = () =>
  listVersions(store.db, 100)
    .map((version) => version.author)
    .reverse();

test("the first start writes the default document with mode 0600 and records it", async () => {
  const keeper = await start();
  expect(readFileSync(path, "utf8")).toBe(DEFAULT_DOCUMENT);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["constants.toml"]);
  expect(keeper.current()).toMatchObject({
    digest: sha256Hex(DEFAULT_DOCUMENT),
    version: 1,
    tookEffectAt: now,
    author: "tower",
  });
  expect(keeper.problem).toBeUndefined();
  expect(findVersion(store.db, 1)?.document).toBe(DEFAULT_DOCUMENT);
});

test("a document that is there before the first start takes effect under the author file", async () => {
  writeFileSync(path, HOURS(30));
  const keeper = await start();
  expect(silent(keeper)).toBe(30);
  expect(authors()).toEqual(["file"]);
});

test("a restart with an unchanged file records nothing and keeps the version's time and author", async () => {
  await start();
  now += 86_400_000;
  const keeper = await start();
  expect(authors()).toEqual(["tower"]);
  expect(keeper.current()).toMatchObject({ version: 1, tookEffectAt: now - 86_400_000 });
});

test("an edit in a text editor takes effect once, however often the file is looked at", async () => {
  const keeper = await start();
  writeFileSync(path, HOURS(30));
  now += 60_000;
  expect(await keeper.refresh(now)).toBe(true);
  expect(await keeper.refresh()).toBe(false);
  await Promise.all([keeper.refresh(), keeper.refresh(), keeper.refresh()]);
  expect(silent(keeper)).toBe(30);
  expect(keeper.current()).toMatchObject({ version: 2, author: "file", tookEffectAt: now });
  expect(authors()).toEqual(["tower", "file"]);
});

test("an edit that keeps size and modification time is seen by its change time", async () => {
  writeFileSync(path, HOURS(30));
  utimesSync(path, 1_000, 1_000);
  now = Math.ceil(statSync(path).ctimeMs) + 10_000;
  const keeper = await start();
  await keeper.refresh();
  writeFileSync(path, HOURS(31));
  utimesSync(path, 1_000, 1_000);
  expect(await keeper.refresh()).toBe(true);
  expect(silent(keeper)).toBe(31);
});

test("an invalid edit never takes effect: the last good one stays and the problem names its line (decisions 6)", async () => {
  writeFileSync(path, HOURS(30));
  const keeper = await start();
  now += 1_000;
  writeFileSync(path, HOURS(0));
  expect(await keeper.refresh()).toBe(false);
  expect(silent(keeper)).toBe(30);
  expect(keeper.problem).toMatchObject({
    reason: "invalid",
    since: now,
    problems: [{ line: 2, key: "freshness.silent_hours", rule: "range" }],
  });
  expect(keeper.document().text).toBe(HOURS(0));
  expect(authors()).toEqual(["file"]);

  const since = now;
  now += 1_000;
  writeFileSync(path, HOURS('"x"'));
  await keeper.refresh();
  expect(keeper.problem).toMatchObject({ since, problems: [{ rule: "type" }] });

  writeFileSync(path, HOURS(31));
  expect(await keeper.refresh()).toBe(true);
  expect(keeper.problem).toBeUndefined();
  expect(silent(keeper)).toBe(31);
});

test("mending a mistake by taking it back records no version", async () => {
  const keeper = await start();
  writeFileSync(path, HOURS(0));
  await keeper.refresh();
  writeFileSync(path, DEFAULT_DOCUMENT);
  expect(await keeper.refresh()).toBe(false);
  expect(keeper.problem).toBeUndefined();
  expect(authors()).toEqual(["tower"]);
});

test("a start with an invalid file uses the last good version, without recording it again", async () => {
  writeFileSync(path, HOURS(30));
  await start();
  writeFileSync(path, HOURS(0));
  const keeper = await start();
  expect(silent(keeper)).toBe(30);
  expect(keeper.problem?.reason).toBe("invalid");
  expect(keeper.document().text).toBe(HOURS(0));
  expect(authors()).toEqual(["file"]);
});

test("a first start with an invalid file uses the defaults and leaves the file alone", async () => {
  writeFileSync(path, HOURS(0));
  const keeper = await start();
  expect(silent(keeper)).toBe(26);
  expect(keeper.problem?.reason).toBe("invalid");
  expect(readFileSync(path, "utf8")).toBe(HOURS(0));
  expect(authors()).toEqual(["tower"]);
});

test("a recorded version that is good no more is passed over for an earlier good one", async () => {
  writeFileSync(path, HOURS(30));
  await start();
  const document = HOURS(0);
  await writer.write((tx) => {
    appendVersion(tx, { took_effect_at: now, author: "ada", digest: sha256Hex(document), document });
  });
  writeFileSync(path, document);
  const keeper = await start();
  expect(silent(keeper)).toBe(30);
  expect(authors()).toEqual(["file", "ada", "tower"]);
});

test("a lost file is written back from the last version at start, so that thresholds never reset in silence", async () => {
  writeFileSync(path, HOURS(30));
  await start();
  rmSync(path);
  const keeper = await start();
  expect(silent(keeper)).toBe(30);
  expect(readFileSync(path, "utf8")).toBe(HOURS(30));
  expect(authors()).toEqual(["file"]);
});

test("a file that is lost or unreadable while running is a problem, and is over when the file is back", async () => {
  const keeper = await start();
  rmSync(path);
  await keeper.refresh();
  expect(keeper.problem?.reason).toBe("missing");
  writeFileSync(path, DEFAULT_DOCUMENT);
  await keeper.refresh();
  expect(keeper.problem).toBeUndefined();
  const failing: Files = { ...systemFiles, read: () => Promise.reject(new Error("EIO /secret/path")) };
  const blind = await start(failing);
  expect(blind.problem?.reason).toBe("unreadable");
  expect(JSON.stringify(blind.problem)).not.toContain("secret");
  expect(silent(blind)).toBe(26);
});

test("bytes that are no UTF-8 are refused at their line", async () => {
  const keeper = await start();
  writeFileSync(path, Buffer.from([0x23, 0x0a, 0x23, 0x0a, 0x23, 0xff, 0x0a]));
  await keeper.refresh();
  expect(keeper.problem?.problems).toEqual([
    { line: 3, key: "", rule: "utf-8", message: "must be UTF-8 text" },
  ]);
});

test("a file beyond the size limit is read only as far as the limit and refused", async () => {
  const keeper = await start();
  writeFileSync(path, "#".repeat(2_000_000));
  await keeper.refresh();
  expect(keeper.problem?.problems[0]?.rule).toBe("too-large");
});

test("a save takes effect at once, under the operator's name, with mode 0600", async () => {
  const keeper = await start();
  chmodSync(path, 0o644);
  now += 1_000;
  const result = await keeper.save(HOURS(50), { author: "ada" }, keeper.document().digest);
  expect(result).toMatchObject({ ok: true, current: { version: 2, author: "ada", tookEffectAt: now } });
  expect(readFileSync(path, "utf8")).toBe(HOURS(50));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await keeper.refresh()).toBe(false);
  expect(authors()).toEqual(["tower", "ada"]);
});

test("a save of what already stands records nothing", async () => {
  const keeper = await start();
  const result = await keeper.save(DEFAULT_DOCUMENT, { author: "ada" }, keeper.document().digest);
  expect(result.ok).toBe(true);
  expect(authors()).toEqual(["tower"]);
});

test("a form's CRLF does not change every line of the file", async () => {
  const keeper = await start();
  const changed = DEFAULT_DOCUMENT.replace("silent_hours = 26", "silent_hours = 50");
  await keeper.save(changed.replaceAll("\n", "\r\n"), { author: "ada" }, keeper.document().digest);
  expect(readFileSync(path, "utf8")).toBe(changed);
});

test("a save is refused when the file changed meanwhile, and the loser sees what it holds", async () => {
  const keeper = await start();
  const edited = keeper.document().digest;
  writeFileSync(path, HOURS(30));
  const result = await keeper.save(HOURS(50), { author: "ada" }, edited);
  expect(result).toMatchObject({ ok: false, reason: "conflict", document: { text: HOURS(30) } });
  expect(readFileSync(path, "utf8")).toBe(HOURS(30));
  expect(silent(keeper)).toBe(30);
});

test("a file of a text editor whose version could not be recorded takes effect later", async () => {
  let full = false;
  const failing: Pick<Writer, "write"> = {
    write: (job) => (full ? Promise.reject(new StorageUnavailable("disk full")) : writer.write(job)),
  };
  const keeper = await start(systemFiles, failing);
  full = true;
  writeFileSync(path, HOURS(50));
  await expect(keeper.refresh()).rejects.toBeInstanceOf(StorageUnavailable);
  expect(silent(keeper)).toBe(26);
  expect(silent(await start(systemFiles, failing))).toBe(26);
  full = false;
  expect(await keeper.refresh()).toBe(true);
  expect(silent(keeper)).toBe(50);
  expect(authors()).toEqual(["tower", "file"]);
});

test.each([
  ["empty", ""],
  ["white space alone", " \n\t\n"],
  ["a byte-order mark alone", "\uFEFF"],
  ["comments alone, as a file that was cut short", DEFAULT_DOCUMENT.slice(0, 200)],
])("a file that is %s never takes effect: the last good one stays", async (_, text) => {
  writeFileSync(path, HOURS(30));
  const keeper = await start();
  writeFileSync(path, text);
  expect(await keeper.refresh()).toBe(false);
  expect(silent(keeper)).toBe(30);
  const message = expect.stringContaining("keep one table, such as [freshness]");
  expect(keeper.problem?.problems).toEqual([{ line: 1, key: "", rule: "empty", message }]);
  expect(silent(await start())).toBe(30);
  expect(authors()).toEqual(["file"]);
});

test("comments alone that were saved in the Tower are meant, and stay in effect over a restart; an empty text is not", async () => {
  writeFileSync(path, HOURS(30));
  const keeper = await start();
  const empty = await keeper.save("\n", { author: "ada" }, keeper.document().digest);
  expect(empty).toMatchObject({ ok: false, reason: "invalid", problems: [{ rule: "empty" }] });
  expect((await keeper.save("# all defaults\n", { author: "ada" }, keeper.document().digest)).ok).toBe(true);
  await keeper.refresh();
  const next = await start();
  expect([silent(keeper), silent(next)]).toEqual([26, 26]);
  expect(next.problem).toBeUndefined();
});

const acts = () =>
  listAudit(store.db, { limit: 100 })
    .map(({ act, actor }) => `${act} ${actor}`)
    .reverse();
const failures = () => listMonitoringFailures(store.db, { kind: "constants" });

test("a broken document is a monitoring failure and audited, once, kept over a restart, and over when it is good again", async () => {
  writeFileSync(path, HOURS(30));
  const keeper = await start();
  const since = now;
  writeFileSync(path, HOURS(0));
  await keeper.refresh();
  await keeper.refresh();
  now += 3_600_000;
  const next = await start();
  expect(next.problem?.since).toBe(since);
  expect(failures()).toMatchObject([
    {
      subject: "constants.toml",
      since,
      reason:
        "The rules run with the last good constants, version 1. constants.toml is not in effect: line 2, freshness.silent_hours: must be a number above 0 and at most 8760.",
    },
  ]);
  expect(acts()).toEqual(["constants.change file", "constants.refuse service"]);
  writeFileSync(path, HOURS(31));
  await next.refresh();
  expect(failures()).toEqual([]);
  expect(acts().slice(2)).toEqual(["constants.change file", "constants.recover service"]);
});

test("a document that was mended while Tower was down is no failure any more", async () => {
  const keeper = await start();
  writeFileSync(path, HOURS(0));
  await keeper.refresh();
  writeFileSync(path, DEFAULT_DOCUMENT);
  await start();
  expect(failures()).toEqual([]);
});

test("a mistake that cannot be written down is tried again", async () => {
  let full = false;
  const keeper = await start(systemFiles, {
    write: (job) => (full ? Promise.reject(new StorageUnavailable("disk full")) : writer.write(job)),
  });
  full = true;
  writeFileSync(path, HOURS(0));
  await keeper.refresh();
  expect(keeper.problem?.reason).toBe("invalid");
  expect(failures()).toEqual([]);
  full = false;
  await keeper.refresh();
  expect(failures()).toHaveLength(1);
});

test("a mistake with a very long name is told in bounded words", async () => {
  const keeper = await start();
  writeFileSync(path, `${"k".repeat(200_000)} = 1\n`);
  await keeper.refresh();
  await keeper.refresh();
  expect(failures()[0]?.reason.length).toBeLessThan(1_000);
  expect(acts()).toEqual(["constants.change service", "constants.refuse service"]);
});

test("versions are listed newest first, in pages, without their text", async () => {
  for (let i = 1; i <= 5; i++) {
    await writer.write((tx) => {
      appendVersion(tx, { took_effect_at: i, author: "ada", digest: String(i), document: "x" });
    });
  }
  const page = listVersions(store.db, 2);
  expect(page.map((version) => version.id)).toEqual([5, 4]);
  expect(Object.keys(page[0] ?? {})).not.toContain("document");
  expect(listVersions(store.db, 2, 4).map((version) => version.id)).toEqual([3, 2]);
  expect(findVersion(store.db, 99)).toBeUndefined();
});
