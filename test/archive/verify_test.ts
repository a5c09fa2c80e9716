/** What is wrong with the archive is found and named: by the command, by check, and by the scrub in its turn. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Opened } from "../../src/app/boot.ts";
import { scrub } from "../../src/archive/scrub.ts";
import {
  faultLines,
  hourOf,
  isDamaged,
  isNothing,
  listDamage,
  noteDamage,
  noteWhole,
} from "../../src/archive/verify_events.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { pathOfObject } from "../../src/store/objects.ts";
import { findServiceState, putServiceState } from "../../src/store/store.ts";
import { run } from "../app/run.ts";
import { archiveObject, nameObject } from "../support/archive.ts";
import { FakeClock } from "../support/clock.ts";
import { openFolder } from "../support/data_folder.ts";
import { testGround } from "../support/deps.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type MadeObject, objectHolding, spooled } from "../support/objects.ts";
import { BUCKET, type S3Server, startS3 } from "../support/s3_server.ts";

const HOUR = 3_600_000;
const ALL = Array.from({ length: 12 }, (_, number) => objectHolding(`{"report":${number}}\n`.repeat(30)));
const [FIRST, SECOND, THIRD] = ALL as [MadeObject, MadeObject, MadeObject];

let folder: ReturnType<typeof temporaryFolder>;
let opened: Opened;

test("faults that are not named are counted", () => {
  const reports = [{ asset: "site.example", provider: "serp", family: "top", date: "2026-11-13" }];
  const wrong = [{ object: "ab", fault: "missing", reports, more_reports: true }] as const;
  const found = { wrong, damaged: 2, wrong_manifest_files: [], unnamed_rows: [7] };
  expect(faultLines(found as unknown as Parameters<typeof faultLines>[0])).toEqual([
    "object ab is missing: site.example serp top 2026-11-13 and others",
    "and 1 more object like these",
    "row 7 of the manifest names an object that has no row",
  ]);
});

describe.each(["a directory", "a bucket"] as const)("an archive in %s", (kind) => {
  let server: S3Server | undefined;
  beforeEach(async () => {
    folder = temporaryFolder();
    server = kind === "a bucket" ? await startS3(join(folder.path, "s3")) : undefined;
    opened = await openFolder(join(folder.path, "data"), server?.environment);
    for (const [number, object] of ALL.entries()) {
      await archiveObject(opened.deps, folder.path, object, {
        date: 20_770 + number,
        asset: `site-${number}.example`,
      });
    }
  });
  afterEach(async () => {
    opened.close();
    await server?.close();
    folder[Symbol.dispose]();
  });

  const fileOf = ({ sha256 }: MadeObject) =>
    server?.fileOf(`raw/${pathOfObject(sha256)}`) ??
    join(folder.path, "data", "raw-signals", pathOfObject(sha256));
  const writeOver = (object: MadeObject, bytes: Uint8Array) => {
    chmodSync(fileOf(object), 0o600);
    writeFileSync(fileOf(object), bytes);
  };
  const db = () => opened.deps.store.db;
  const failures = () => listMonitoringFailures(db(), { kind: "archive" }).map(({ reason }) => reason);

  test("verify reads every object, and says so", async () => {
    expect(await run(opened, "archive verify")).toMatchObject({ exitCode: 0, stderr: "" });
    const { stdout } = await run(opened, "archive verify --json");
    expect(JSON.parse(stdout)).toEqual({
      objects: 12,
      stored_bytes: ALL.reduce((sum, { storedBytes }) => sum + storedBytes, 0),
      damaged: 0,
      wrong: [],
      wrong_manifest_files: [],
      unnamed_rows: [],
      orphans: 0,
      half_written: [],
    });
    expect((await run(opened, "check")).stdout).toContain("ok      objects of the archive in ");
    const stopped = [undefined, undefined, undefined, AbortSignal.abort()] as const;
    expect(await run(opened, "archive verify", ...stopped)).toMatchObject({ exitCode: 1, stdout: "" });
  });

  test("verify names what is wrong by object, site, family and date; it lasts until it is whole", async () => {
    const kept = readFileSync(fileOf(SECOND));
    const bit = Buffer.from(FIRST.gzip);
    bit[9] = 7;
    writeOver(FIRST, bit);
    rmSync(fileOf(SECOND));
    writeOver(THIRD, THIRD.gzip.subarray(0, 9));
    await nameObject(opened.deps, THIRD, { date: 20_800, asset: "other.example" });

    const { exitCode, stdout } = await run(opened, "archive verify");
    expect(exitCode).toBe(1);
    expect(stdout.split("\n").sort()).toEqual(
      [
        `        12 objects read, ${ALL.reduce((sum, { storedBytes }) => sum + storedBytes, 0)} bytes`,
        `FAULT   object ${FIRST.sha256} was changed around what it holds: site-0.example search-console page 2026-11-13`,
        `FAULT   object ${SECOND.sha256} is missing: site-1.example search-console page 2026-11-14`,
        `FAULT   object ${THIRD.sha256} is not as long as it was stored: other.example search-console page 2026-12-13, site-2.example search-console page 2026-11-15`,
      ].sort(),
    );
    expect(
      listDamage(db())
        .map(({ sha256, fault }) => `${sha256} ${fault}`)
        .sort(),
    ).toEqual([`${FIRST.sha256} stored_digest`, `${SECOND.sha256} missing`, `${THIRD.sha256} length`].sort());
    expect(failures()).toEqual(["3 objects of the archive are damaged or missing."]);
    const checked = await run(opened, "check");
    expect(checked.exitCode).toBe(1);
    for (const { sha256 } of [FIRST, SECOND, THIRD]) expect(checked.stdout).toContain(`object ${sha256} `);
    expect(JSON.parse((await run(opened, "archive verify --json")).stdout)).toMatchObject({ damaged: 3 });

    // One comes back from a backup, one is stored anew, one is looked at again by the scrub of the hour.
    mkdirSync(dirname(fileOf(SECOND)), { recursive: true });
    writeFileSync(fileOf(SECOND), kept);
    for (const object of [FIRST, THIRD]) {
      await opened.deps.objects.put(object, spooled(folder.path, object), { anew: true });
    }
    await opened.deps.writer.write((tx) => noteWhole(tx, FIRST.sha256, 5));
    expect(failures()).toEqual(["2 objects of the archive are damaged or missing."]);
    await scrub(opened.deps, () => undefined);
    expect(listDamage(db())).toStrictEqual([]);
    expect(failures()).toStrictEqual([]);
    expect((await run(opened, "archive verify")).exitCode).toBe(0);
  });

  // A bucket does not say whether it cannot give one object, or any.
  if (kind === "a directory") {
    test("an object that is there and does not read is damage of that one: all others are read", async () => {
      // As of a file on a bad sector of a disk, the system says so when it is read.
      const place = fileOf(FIRST);
      rmSync(place);
      mkdirSync(place);
      rmSync(fileOf(SECOND));
      const { exitCode, stdout } = await run(opened, "archive verify");
      expect(exitCode).toBe(1);
      expect(stdout).toContain("12 objects read");
      expect(stdout).toContain(`object ${SECOND.sha256} is missing`);
      expect(isDamaged(db(), FIRST.sha256)).toBe(true);
      let ran = 0;
      await scrub(opened.deps, () => void ran++);
      expect(ran).toBe(1);
      rmSync(place, { recursive: true });
      await opened.deps.objects.put(FIRST, spooled(folder.path, FIRST));
      await scrub(opened.deps, () => undefined);
      expect(isDamaged(db(), FIRST.sha256)).toBe(false);
    });
  }

  test("check holds what pages count against the manifest", async () => {
    expect((await run(opened, "check")).exitCode).toBe(0);
    await opened.deps.writer.write((tx) => void tx.run("UPDATE archive_tally SET sites = sites + 1"));
    const { exitCode, stdout } = await run(opened, "check");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("FAULT   counts of archived reports, against their dates");
  });

  test("what no row names, and what was half-written, are notes", async () => {
    const orphan = objectHolding("nobody names it");
    await opened.deps.objects.put(orphan, spooled(folder.path, orphan));
    if (server === undefined) writeFileSync(join(dirname(fileOf(FIRST)), ".tmp-half"), "half");
    const { exitCode, stdout } = await run(opened, "archive verify");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("note    1 object that no row of the manifest names");
    expect(stdout.includes("note    half-written, and read by nobody: objects/")).toBe(server === undefined);
  });

  test("a store that is away fails verify and check as itself, and damages nothing", async () => {
    const raw = join(folder.path, "data", "raw-signals");
    if (server === undefined) renameSync(raw, `${raw}-away`);
    else await server.close();
    server = undefined;
    const { exitCode, stderr } = await run(opened, "archive verify");
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("the archive at ") });
    expect((await run(opened, "check")).stdout).toContain("broke off: the archive at ");
    expect(listDamage(db())).toStrictEqual([]);
    for (const [object, at] of [
      [FIRST, 7],
      [SECOND, 9],
    ] as const)
      await opened.deps.writer.write((tx) => noteDamage(tx, object.sha256, "digest", at));
    await expect(scrub(opened.deps, () => undefined)).rejects.toThrow("the archive at ");
    expect(listDamage(db())).toMatchObject([{ seen_at: 9 }, { fault: "digest", seen_at: 7 }]);
  });

  test("a scrub that is told to stop reads no further, and its hour stays due", async () => {
    let ran = 0;
    await scrub(opened.deps, () => void ran++, AbortSignal.abort());
    expect([ran, findServiceState(db(), "archive.scrubbed_to")]).toEqual([0, undefined]);
  });

  test("the scrub finds each damage within a week, in the hour of its row", async () => {
    const clock = new FakeClock("2026-11-22T10:30:00Z");
    const hour = hourOf(clock.now());
    // It has one of the first rows, which are read in the first hour of a week.
    const turn = Math.ceil(hour / 168) * 168;
    rmSync(fileOf(FIRST));
    // All but the last hour before its turn counts as read.
    await opened.deps.writer.write((tx) => putServiceState(tx, "archive.scrubbed_to", String(turn - 2), 0));
    clock.at(new Date((turn - 1) * HOUR + 1).toISOString());
    await scrub({ ...opened.deps, clock }, () => undefined);
    expect(isDamaged(db(), FIRST.sha256)).toBe(false);
    clock.advance(HOUR);
    await scrub({ ...opened.deps, clock }, () => undefined);
    expect(listDamage(db())).toMatchObject([{ sha256: FIRST.sha256, fault: "missing" }]);
    expect(failures()).toEqual(["One object of the archive is damaged or missing."]);
  });
});

test("an installation that archives nothing makes nothing, asks nothing, and its scrub comes off", async () => {
  using place = temporaryFolder();
  const bare = await openFolder(join(place.path, "data"), {
    RAW_SIGNALS: `s3://${BUCKET}/raw`,
    S3_ENDPOINT: "http://127.0.0.1:9",
    S3_ACCESS_KEY_ID: "tower",
    S3_SECRET_ACCESS_KEY: "not-a-real-secret",
  });
  let ran = 0;
  await scrub(bare.deps, () => void ran++);
  expect(ran).toBe(1);
  bare.close();
  const local = await openFolder(join(place.path, "local"));
  await scrub(local.deps, () => void ran++);
  expect((await run(local, "archive verify")).exitCode).toBe(0);
  expect((await run(local, "check")).exitCode).toBe(0);
  expect(ran).toBe(2);
  await local.deps.writer.write((tx) => noteDamage(tx, FIRST.sha256, "missing", 1));
  expect(() => readFileSync(join(place.path, "local", "raw-signals"))).toThrow("ENOENT");
  local.close();
});

test("damage that is seen again keeps the moment at which it was found", async () => {
  const { store, writer } = await testGround();
  for (const [fault, now] of [
    ["missing", 5],
    ["digest", 9],
  ] as const)
    await writer.write((tx) => noteDamage(tx, FIRST.sha256, fault, now));
  expect(listDamage(store.db)).toEqual([{ sha256: FIRST.sha256, fault: "digest", found_at: 5, seen_at: 9 }]);
});

test("a look has nothing to note only where it found no damage, nothing mended and no copy that differs", () => {
  const lost = { sha256: FIRST.sha256, fault: "missing" } as const;
  const found = [[], [lost]].flatMap((damaged) =>
    [[], [SECOND.sha256]].flatMap((whole) => [[], [1]].map((copies) => ({ damaged, whole, copies }))),
  );
  expect(found.filter(isNothing)).toEqual([{ damaged: [], whole: [], copies: [] }]);
});
