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
import { brief } from "../support/brief.ts";
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

const acts = () =>
  listAudit(store.db, { limit: 100 })
    .map(({ act, actor }) => `${act} ${actor}`)
    .reverse();
const failures = () => listMonitoringFailures(store.db, { kind: "constants" });

type Step =
  | "start"
  | "look"
  | "an hour later"
  | "lose the file"
  | "open the file"
  | { file: string | Buffer }
  | { save: string };
const file = (text: string | Buffer): Step => ({ file: text });
const save = (text: string): Step => ({ save: text });

const FIFTY = DEFAULT_DOCUMENT.replace("_hours = 26", "_hours = 50");
/** A document as it is recorded: the default one by its name, so that a further threshold changes no story. */
function told(text: string, most: number): string {
  if (text === DEFAULT_DOCUMENT) return "the default document";
  return text === FIFTY ? "the default document with 50 hours" : brief(text, most);
}

/** What happens to the file, the service and the page; what stands after each step is recorded. */
const STORIES: Readonly<Record<string, readonly Step[]>> = {
  "the first start writes the default document for its user alone and records it": ["start"],
  "a document that is there before takes effect under the author file": [file(HOURS(30)), "start"],
  "a restart with an unchanged file records nothing": ["start", "an hour later", "start"],
  "an edit takes effect once, however often the file is looked at": [
    "start",
    file(HOURS(30)),
    "look",
    "look",
  ],
  "an invalid edit never takes effect, and is told by its line until it is mended (decisions 6)": [
    ...[file(HOURS(30)), "start", "an hour later", file(HOURS(0)), "look", "look"],
    ...["an hour later", file(HOURS('"x"')), "look", "start", file(HOURS(31)), "look"],
  ] as Step[],
  "mending a mistake by taking it back records no version": [
    ...["start", file(HOURS(0)), "look", file(DEFAULT_DOCUMENT), "look"],
  ] as Step[],
  "mended while Tower was down it is no failure any more": [
    ...["start", file(HOURS(0)), "look", file(DEFAULT_DOCUMENT), "start"],
  ] as Step[],
  "a start with an invalid file uses the last good version": [
    file(HOURS(30)),
    "start",
    file(HOURS(0)),
    "start",
  ],
  "a first start with an invalid file uses the defaults and leaves the file alone": [file(HOURS(0)), "start"],
  "a lost file is written back at start": [file(HOURS(30)), "start", "lose the file", "start"],
  "lost while running it is a problem until it is back": [
    ...["start", "lose the file", "look", file(DEFAULT_DOCUMENT), "look"],
  ] as Step[],
  "bytes that are no UTF-8 are refused at their line": [
    ...["start", file(Buffer.from([0x23, 0x0a, 0x23, 0x0a, 0x23, 0xff, 0x0a])), "look"],
  ] as Step[],
  "a file beyond the size limit is refused": ["start", file("#".repeat(2_000_000)), "look"],
  "a mistake with a very long name is told in bounded words": [
    "start",
    file(`${"k".repeat(200_000)} = 1\n`),
    "look",
  ],
  "a save takes effect at once, for its user alone": ["start", "open the file", save(HOURS(50)), "look"],
  "a save of what already stands records nothing": ["start", save(DEFAULT_DOCUMENT)],
  "a form's CRLF does not change every line of the file": [
    ...["start", save(FIFTY.replaceAll("\n", "\r\n"))],
  ] as Step[],
  "nor does a form's LF those of a file with CRLF": [
    ...[file(FIFTY.replaceAll("\n", "\r\n")), "start", save(HOURS(30)), "look"],
  ] as Step[],
  "a save of what stands mends a file with a mistake, and records no version": [
    ...["start", file("= 1"), "look", save(DEFAULT_DOCUMENT), "look"],
  ] as Step[],
  "comments alone that were saved in the Tower are meant; an empty text is not": [
    ...[file(HOURS(30)), "start", save("\n"), save("# all defaults\n"), "look", "start"],
  ] as Step[],
  ...Object.fromEntries(
    ["", " \n\t\n", "\uFEFF", DEFAULT_DOCUMENT.slice(0, 200)].map((text) => [
      `a file of ${JSON.stringify(text.slice(0, 9))} alone never takes effect`,
      [file(HOURS(30)), "start", file(text), "look", "start"] as Step[],
    ]),
  ),
};

test.each(Object.entries(STORIES))("%s; recorded", async (_, steps) => {
  const began = now;
  let keeper: ConstantsStore | undefined;
  const seen: string[] = [];
  for (const step of steps) {
    let answer: unknown;
    if (step === "an hour later") now += 3_600_000;
    else if (step === "lose the file") rmSync(path);
    else if (step === "open the file") chmodSync(path, 0o644);
    else if (step === "start") keeper = await start();
    else if (step === "look") answer = await keeper?.refresh();
    else if ("file" in step) {
      writeFileSync(path, step.file);
      chmodSync(path, 0o644);
    } else
      answer = await keeper
        ?.save(step.save, { author: "ada" }, keeper.document().digest)
        .then(({ ok }) => ok);
    if (keeper === undefined || (typeof step === "object" && "file" in step)) continue;
    const { version, author, tookEffectAt, constants } = keeper.current();
    const state = {
      answer,
      silent: constants.freshness.silent_hours,
      shown: told(keeper.document().text, 40),
      version: `${version} ${author} after ${(tookEffectAt - began) / 1_000} s`,
      problem: keeper.problem && { ...keeper.problem, since: keeper.problem.since - began },
      failures: failures().map(({ since, reason }) => `${(since - began) / 1_000} s: ${reason}`),
    };
    seen.push(`${typeof step === "string" ? step : "save"}: ${brief(JSON.stringify(state), 700)}`);
  }
  const left = told(readFileSync(path).toString(), 90);
  const files = readdirSync(folder).map(
    (name) => `${name} ${(statSync(join(folder, name)).mode & 0o777).toString(8)}`,
  );
  expect({ seen, left, files, authors: authors(), acts: acts() }).toMatchSnapshot();
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

test("a first start that cannot write the file is none, and leaves no temporary file behind", async () => {
  const files = { ...systemFiles, rename: () => Promise.reject(new Error("EIO")) };
  await expect(start(files)).rejects.toThrow("the constants document could not be written");
  expect(readdirSync(folder)).toStrictEqual([]);
});

test("a file that cannot be read is a problem, without a word of where it lies", async () => {
  const blind = await start({ ...systemFiles, read: () => Promise.reject(new Error("EIO /secret/path")) });
  expect(blind.problem?.reason).toBe("unreadable");
  expect(JSON.stringify(blind.problem)).not.toContain("secret");
  expect(silent(blind)).toBe(26);
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

test("a mistake that cannot be written down is tried again", async () => {
  let full = false;
  const keeper = await start(systemFiles, {
    write: (job) => (full ? Promise.reject(new StorageUnavailable("disk full")) : writer.write(job)),
  });
  full = true;
  writeFileSync(path, HOURS(0));
  await keeper.refresh();
  expect(keeper.problem?.reason).toBe("invalid");
  expect(failures()).toStrictEqual([]);
  full = false;
  await keeper.refresh();
  expect(failures()).toMatchObject([{ subject: "constants.toml" }]);
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
