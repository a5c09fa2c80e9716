/** What the ingest refuses of a known sender leaves a trace; what comes without a known token leaves none. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { ingestHealth } from "../../src/freshness/mod.ts";
import { answerWords, flushRefusals, listRefused, listStreaks } from "../../src/refusals/mod.ts";
import { ORCHARD_TOKEN } from "../support/deps.ts";
import { OPERATOR_TOKEN, type TestIngest, testIngest } from "../support/ingest.ts";
import { capturingLog } from "../support/log.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";

let ingest: TestIngest;
beforeEach(async () => {
  ingest = await testIngest();
});
afterEach(() => ingest.stop());

const refused = async (asset = "harbor") => {
  await flushRefusals(ingest.writer, ingest.refusals, ingestHealth("default"), capturingLog().log);
  return listRefused(ingest.store.db, asset).map((kind) => `${answerWords(kind)} ${kind.count}`);
};
const good = codebaseReport();

test.each([
  ["another content type", "{}", { "content-type": "text/plain" }, "415 unsupported-media-type 1"],
  ["a body that is too large", "x".repeat(300 * 1024), {}, "413 body-too-large 1"],
  ["text that is no JSON", "{", {}, "400 malformed-json 1"],
  ["a broken rule", { ...good, measures: { code_lines: -1 } }, {}, "422 /measures/code_lines 1"],
] as const)("%s", async (_, body, headers, trace) => {
  const answer = await ingest.post(body, headers);
  expect(answer.status).toBe(Number(trace.slice(0, 3)));
  expect(await refused()).toEqual([trace]);
  expect(listRefused(ingest.store.db, "harbor")[0]).toMatchObject({
    route: "/api/codebase-report",
    firstAt: ingest.clock.now(),
    faults: [expect.objectContaining({ message: expect.any(String) })],
  });
});

test("a report of another site is a refusal of the token's own site", async () => {
  const answer = await ingest.post(good, { authorization: `Bearer ${ORCHARD_TOKEN}` });
  expect(answer.status).toBe(403);
  expect(await refused("orchard")).toEqual(["403 asset-mismatch 1"]);
  expect(await refused("harbor")).toEqual([]);
});

test("a report that could not be stored is one, and is told when the disk takes writes again", async () => {
  ingest.store.raw.run("PRAGMA query_only = ON");
  expect((await ingest.post(good)).status).toBe(503);
  ingest.store.raw.run("PRAGMA query_only = OFF");
  expect(await refused()).toEqual(["503 storage-unavailable 1"]);
  expect(listStreaks(ingest.store.db)).toHaveLength(1);
  expect((await ingest.post(good)).status).toBe(201);
  await refused();
  expect(listStreaks(ingest.store.db)).toEqual([]);
});

test("an unknown token, none, and an operator's are no site's", async () => {
  for (const authorization of ["Bearer nobody", "", `Bearer ${OPERATOR_TOKEN}`]) {
    expect([401, 403]).toContain((await ingest.post("{", { authorization })).status);
  }
  await flushRefusals(ingest.writer, ingest.refusals, ingestHealth("default"), capturingLog().log);
  expect(ingest.store.raw.query("SELECT count(*) AS n FROM refused_report").all()).toEqual([{ n: 0 }]);
});

test("only the first broken rules are kept, shortened", async () => {
  const measures = Object.fromEntries(
    ["code_lines", "files", "functions", "languages"].map((key) => [key, -1]),
  );
  await ingest.post({ ...good, measures, ["__proto__".padEnd(5_000, "x")]: 1 });
  await refused();
  const [kind] = listRefused(ingest.store.db, "harbor");
  expect(kind?.faults).toHaveLength(3);
  expect(kind?.more).toBeGreaterThan(0);
  expect(JSON.stringify(kind?.faults).length).toBeLessThan(2_000);
});
