import { describe, expect, spyOn, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { bodyFaults, listSentReports, PACKABLE_CODEBASE_REPORTS } from "../../src/reports/codebase.ts";
import { packBodies } from "../../src/reports/packing.ts";
import { listPulses, PACKABLE_PULSES, pulseBodyFaults } from "../../src/reports/pulse.ts";
import { FULL } from "../../src/reports/reports.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { findPulse } from "../support/make/pulse.ts";
import { accept, acceptCodebase, placeAll } from "../support/nightly.ts";
import { differing } from "../support/read_models.ts";

const ground = fresh(testGround);

const FIRST = "2026-01-01" as UtcDay;
const ALL = { allRevisions: true } as const;

/** Nights of two sites in turn, judged; every third day is sent twice. */
async function nights(from: number, to: number): Promise<void> {
  for (let at = from; at < to; at++) {
    for (const asset of ["harbor", "orchard"]) {
      for (let revision = 0; revision < (at % 3 === 0 ? 2 : 1); revision++) {
        await accept(ground, {
          asset,
          generatedAt: `${addDays(FIRST, at)}T03:0${revision}:00Z`,
          metrics: { "sign-ups 🎈": { last24h: at, total: at * 7 } },
        });
      }
    }
  }
  await placeAll(ground);
}

const pack = () => packBodies(ground, [PACKABLE_PULSES, PACKABLE_CODEBASE_REPORTS]);
const count = (table: string) =>
  ground.store.raw.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).all()[0]?.n;
const sent = () => ["harbor", "orchard"].map((asset) => listPulses(ground.store.db, { asset, ...ALL }, 999));
const faults = () => [...pulseBodyFaults(ground.store.db), ...bodyFaults(ground.store.db)];

describe("packing the bodies of reports", () => {
  test("changes nothing that is read: single reports, lists, readings; and check finds nothing", async () => {
    await nights(0, 70);
    const before = sent();
    await pack();
    expect(count("pulse_body")).toBe(0);
    expect(count("pulse_pack")).toBe(4);
    expect(sent()).toEqual(before);
    expect(findPulse(ground.store.db, "orchard", addDays(FIRST, 3), 2)?.body).toContain("03:01:00Z");
    expect(differing(ground.store.db, "readings")).toStrictEqual([]);
    expect(faults()).toStrictEqual([]);
  });

  test("reads every report that is loose once, however many there are", async () => {
    const asked: number[] = [];
    const all = (after: number, most: number) => {
      asked.push(after);
      const ids = Array.from({ length: Math.min(most, 40_000 - after) }, (_, at) => after + 1 + at);
      return ids.map((id) => ({ id, asset: "harbor", bytes: 1, received_at: 0 }));
    };
    const store = { ...PACKABLE_PULSES.store, looseAfter: () => ({ all }) as never };
    await packBodies(ground, [{ ...PACKABLE_PULSES, store, upTo: () => 0 }]);
    const [, step = 0] = asked;
    expect(asked).toEqual(asked.map((_, at) => at * step));
    expect(asked.at(-1)).toBeGreaterThan(40_000 - step);
  });

  test("goes on with the last pack of a site until that is full, and leaves full ones alone", async () => {
    const ids = () =>
      ground.store.raw
        .query<{ id: number }, []>("SELECT id FROM pulse_pack")
        .all()
        .map(({ id }) => id);
    await nights(0, 6);
    await pack();
    const first = ids();
    await nights(6, 7);
    await pack();
    expect([first.length, ids().length]).toEqual([2, 2]);
    expect(ids()).not.toContain(first[0] ?? 0);
    await nights(7, 60);
    await pack();
    const full = ground.store.raw
      .query<{ id: number }, [number]>("SELECT id FROM pulse_pack WHERE bodies = ?")
      .all(FULL.bodies)
      .map(({ id }) => id);
    await nights(60, 63);
    await pack();
    expect(full).toHaveLength(2);
    expect(ids()).toContain(full[0] ?? 0);
    expect(faults()).toStrictEqual([]);
  });

  test("a pack that does not hold what went in is not kept", async () => {
    await nights(0, 2);
    const other = Buffer.from(Bun.zstdCompressSync("[[1],[2]]\n{}"));
    const compress = spyOn(Bun, "zstdCompress").mockResolvedValue(other);
    await pack();
    compress.mockRestore();
    expect([count("pulse_body"), count("pulse_pack")]).toEqual([6, 0]);
    expect(faults()).toStrictEqual([]);
  });

  test("a report that waits to be judged stays loose, and what comes after it, too", async () => {
    await nights(0, 2);
    await accept(ground, { asset: "harbor", generatedAt: `${addDays(FIRST, 2)}T03:00:00Z`, metrics: {} });
    await pack();
    expect(count("pulse_body")).toBe(1);
    expect(faults()).toStrictEqual([]);
  });

  test("a report of the last five minutes stays loose, unless its time has not come at all", async () => {
    await nights(0, 2);
    const night = Date.parse(`${addDays(FIRST, 1)}T03:00:04Z`);
    for (const [now, left] of [
      [night + 299_999, 2],
      [night - 1, 0],
    ] as const) {
      await packBodies({ ...ground, clock: { now: () => now } }, [PACKABLE_PULSES]);
      expect(count("pulse_body")).toBe(left);
    }
  });

  test("a report of exactly five minutes ago is packed", async () => {
    await nights(0, 1);
    const now = Date.parse(`${FIRST}T03:01:04Z`) + 300_000;
    await packBodies({ ...ground, clock: { now: () => now } }, [PACKABLE_PULSES]);
    expect(count("pulse_body")).toBe(0);
  });

  test("codebase reports are packed by bytes, and come out as they were sent", async () => {
    const path = (at: number) => `src/${"long_name/".repeat(40)}${at}.ts`;
    for (let at = 0; at < 12; at++) {
      const unused = Array.from({ length: 50 }, (_, file) => ({ kind: "file", path: path(file * at) }));
      const largestFiles = Array.from({ length: 10 }, (_, file) => ({ path: path(file), code_lines: at }));
      const report = codebaseReport({
        asset: "harbor",
        generatedAt: `${addDays(FIRST, at)}T03:00:00Z`,
        paths: Array.from({ length: 100 }, (_, file) => path(file + at)),
        findings: { unused, largestFiles },
      });
      await acceptCodebase(ground, report, Date.parse(report.generatedAt));
    }
    const list = () => listSentReports(ground.store.db, { asset: "harbor", ...ALL }, 99);
    const before = list();
    await pack();
    expect(count("codebase_body")).toBe(0);
    expect(count("codebase_pack")).toBeGreaterThan(1);
    expect(list()).toEqual(before);
    expect(faults()).toStrictEqual([]);
  });

  test("two at once of which one sees fewer leave none behind that no later one could pack", async () => {
    await nights(0, 100);
    // By this clock the report of night 40 is fresh, so that nothing from it on is packed.
    const early = { now: () => Date.parse(`${addDays(FIRST, 40)}T03:05:00Z`) };
    await Promise.all([packBodies({ ...ground, clock: early }, [PACKABLE_PULSES]), pack()]);
    await pack();
    expect(count("pulse_body")).toBe(0);
    expect(faults()).toStrictEqual([]);
  });

  test("of a pack that is not as it was written nothing is read, whatever can still be unpacked of it", async () => {
    await nights(0, 10);
    await pack();
    const [{ id, data } = { id: 0, data: new Uint8Array() }] = ground.store.raw
      .query<{ id: number; data: Uint8Array }, []>("SELECT id, data FROM pulse_pack WHERE asset = 'harbor'")
      .all();
    const other = Bun.zstdCompressSync(
      Buffer.from(Buffer.from(Bun.zstdDecompressSync(data)).toString().replace("T03", "T04")),
    );
    ground.store.raw.run("DROP TRIGGER pulse_pack_stays");
    ground.store.raw.query("UPDATE pulse_pack SET data = ? WHERE id = ?").run(other, id);
    expect(() => findPulse(ground.store.db, "harbor", FIRST, 1)).toThrow(
      `pulse_pack, row ${id}: it is not as it was written`,
    );
    expect(findPulse(ground.store.db, "orchard", FIRST, 1)?.body).toContain("T03:00:00Z");
  });

  test("the database itself lets a body go only into a pack, and a pack only into one that holds it", async () => {
    await nights(0, 4);
    const refuses = (sql: string, said: string) => expect(() => ground.store.raw.run(sql)).toThrow(said);
    refuses("DELETE FROM pulse_body WHERE id = 1", "pulse_body goes only into a pack");
    refuses("UPDATE pulse_body SET body = '{}'", "pulse_body is append-only");
    refuses("REPLACE INTO pulse_body VALUES (1, 'harbor', '{}')", "pulse_body goes only into a pack");
    await pack();
    refuses("DELETE FROM pulse_pack", "pulse_pack goes only into one that holds it");
    refuses("UPDATE pulse_pack SET last = last + 1", "pulse_pack is append-only");
  });
});
