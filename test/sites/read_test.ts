import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatInstant } from "../../src/base/time.ts";
import {
  ANNOTATION_KINDS,
  type Annotation,
  appendAnnotation,
  listAnnotations,
  listBetween,
  listConsentSteps,
} from "../../src/sites/annotations.ts";
import { Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";
import { fresh } from "../support/fresh.ts";
import { seededIds } from "../support/ids.ts";
import { expectProblem } from "../support/problem.ts";
import { annotation, annotationListener } from "./listener.ts";

interface Answer {
  readonly items: readonly { readonly id: string; readonly ref: string; readonly asset: string }[];
  readonly next: string | null;
}

const listener = fresh(annotationListener);

const list = async (query = ""): Promise<Answer> => (await (await listener.list(query)).json()) as Answer;
const refs = async (query = "") => (await list(query)).items.map(({ ref }) => ref);

async function postAll(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  for (const row of rows) expect((await listener.post(annotation(row))).status).toBe(201);
}

describe("GET /api/annotations (decisions 3, Reading over the API)", () => {
  test("rows come back as they were sent plus receivedAt, newest first by at, not by arrival", async () => {
    await postAll([
      { ref: "second", at: "2026-02-02T00:00:00Z" },
      { ref: "first", at: "2026-02-03T01:00:00+02:00", note: "n" },
      { ref: "third", at: "2026-01-01T00:00:00Z" },
    ]);
    const { items, next } = await list();
    expect(items.map(({ ref }) => ref)).toEqual(["first", "second", "third"]);
    expect(items[0]).toMatchSnapshot();
    expect(next).toBeNull();
  });

  test("within one millisecond the ninth digit decides", async () => {
    await postAll([
      { ref: "later", at: "2026-02-02T00:00:00.000000002Z" },
      { ref: "earlier", at: "2026-02-02T00:00:00.000000001Z" },
    ]);
    expect(await refs()).toEqual(["later", "earlier"]);
    expect(await refs("?asset=harbor")).toEqual(["later", "earlier"]);
  });

  test("filters by kind, ref and inclusive dates of at in UTC", async () => {
    await postAll([
      { ref: "a", kind: "config", at: "2026-02-01T23:59:59.999999999Z" },
      { ref: "b", at: "2026-02-02T01:00:00+02:00" },
      { ref: "c", at: "2026-02-02T00:00:00Z" },
      { ref: "d", at: "2026-02-03T00:00:00Z" },
    ]);
    expect(await refs("?kind=config")).toEqual(["a"]);
    expect(await refs("?ref=c")).toEqual(["c"]);
    expect(await refs("?from=2026-02-02&to=2026-02-02")).toEqual(["c"]);
    expect(await refs("?to=2026-02-01")).toEqual(["a", "b"]);
    expect(await refs("?from=2026-02-03&asset=harbor")).toEqual(["d"]);
  });

  test.each(["asset=-x", "asset="])("?%s, which can be no site's, is refused", async (query) => {
    await expectProblem(await listener.list(`?${query}`), "malformed-query");
  });
});

const START = Date.UTC(2026, 0, 1);
const ASSETS = ["harbor", "orchard", "*", "outside"] as const;

/** Annotations close together in time, so that ties are common. */
const rows = fc.uniqueArray(
  fc.record({
    asset: fc.constantFrom(...ASSETS),
    at: fc
      .integer({ min: 0, max: 12 })
      .map((n) => formatInstant(START + Math.floor(n / 3) * 86_400_000 + (n % 3))),
    kind: fc.constantFrom(...ANNOTATION_KINDS),
    ref: fc.constantFrom("a", "b", "c"),
  }),
  { selector: (row) => JSON.stringify(row), maxLength: 40 },
);

async function filled(values: readonly Annotation[]) {
  const store = testStore();
  const ids = seededIds();
  await new Writer(store).write((tx) => {
    for (const value of values) appendAnnotation(tx, value, { name: "ci", now: START, newId: ids.uuid });
  });
  return store;
}

test("paging visits each row of a filter once, in order, whatever the size of the page", async () => {
  const filters = fc.record(
    {
      asset: fc.constantFrom(...ASSETS, "unknown"),
      kind: fc.constantFrom(...ANNOTATION_KINDS),
      from: fc.integer({ min: 0, max: 4 }).map((day) => START + day * 86_400_000),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(rows, filters, fc.integer({ min: 1, max: 7 }), async (values, filter, size) => {
      const store = await filled(values);
      const seen: { atMs: number; instant: string; id: string; ref: string }[] = [];
      for (let page = 0; page <= values.length; page++) {
        const got = listAnnotations(store.db, filter, size, seen.at(-1));
        seen.push(...got);
        if (got.length < size) break;
      }
      const wanted = values.filter(
        ({ asset, kind, at }) =>
          (filter.asset === undefined || asset === filter.asset || asset === "*") &&
          (filter.kind === undefined || kind === filter.kind) &&
          (filter.from === undefined || Date.parse(at) >= filter.from),
      );
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
      expect(seen).toHaveLength(wanted.length);
      expect(seen.map(({ atMs }) => atMs)).toEqual(seen.map(({ atMs }) => atMs).toSorted((a, b) => b - a));
      store.close();
    }),
    { numRuns: 60 },
  );
});

test("steps of consent mode are a site's own and those of every site, oldest first, from an instant on", async () => {
  const day = (place: number) => START + place * 86_400_000;
  const step = (asset: string, place: number, ref = "consent-mode-v2"): Annotation => {
    return { asset, at: formatInstant(day(place)), kind: "config", ref };
  };
  const store = await filled([
    ...[step("harbor", 0), step("*", 4), step("harbor", 3), step("*", 1)],
    ...[step("orchard", 2), step("harbor", 2, "cookies")],
  ]);
  expect(listConsentSteps(store.db, "harbor", day(1))).toEqual([day(1), day(3), day(4)]);
  store.close();
});

test("marks of a chart, and what is near a flag: a chart gets the site's own and the global ones within its days, the newest first and bounded", async () => {
  const values = [0, 1, 2, 3, 4].map(
    (day): Annotation => ({
      asset: day === 2 ? "*" : day === 3 ? "orchard" : "harbor",
      at: formatInstant(START + day * 86_400_000),
      kind: "deploy",
      ref: `d${day}`,
    }),
  );
  const store = await filled(values);
  const between = (limit: number) =>
    listBetween(store.db, "harbor", START + 86_400_000, START + 4 * 86_400_000, limit).map(({ ref }) => ref);
  expect(between(10)).toEqual(["d2", "d1"]);
  expect(between(1)).toEqual(["d2"]);
  store.close();
});
