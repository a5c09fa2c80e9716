/** What the ingest refuses of a known sender leaves a trace; what comes without a known token leaves none. */

import { describe, expect, test } from "bun:test";
import { flushUses } from "../../src/access/tokens.ts";
import { PROBLEMS, type ProblemCode } from "../../src/base/problem.ts";
import { ingestScope } from "../../src/health/health.ts";
import {
  answerWords,
  flushRefusals,
  listRefused,
  listStreaks,
  refusalCategory,
} from "../../src/health/refusals.ts";
import { findEvidence, listHealthEvents } from "../../src/health/state_store.ts";
import { issueSiteToken, loadTokenBook, revokeSiteToken } from "../../src/sites/site_tokens.ts";
import { ORCHARD_TOKEN } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { OPERATOR_TOKEN, testIngest } from "../support/ingest.ts";
import { capturingLog } from "../support/log.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { recordEach } from "../support/mixtures.ts";

const BY = { actor: "test", now: 0 };
const ingest = fresh(testIngest);

const refused = async (asset = "harbor") => {
  await flushRefusals(ingest.writer, ingest.refusals, "default", capturingLog().log);
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
  expect(await refused("harbor")).toStrictEqual([]);
});

test("a report that could not be stored is one, and is told when the disk takes writes again", async () => {
  ingest.store.raw.run("PRAGMA query_only = ON");
  expect((await ingest.post(good)).status).toBe(503);
  ingest.store.raw.run("PRAGMA query_only = OFF");
  expect(await refused()).toEqual(["503 storage-unavailable 1"]);
  expect(listStreaks(ingest.store.db)).toHaveLength(1);
  expect((await ingest.post(good)).status).toBe(201);
  await refused();
  expect(listStreaks(ingest.store.db)).toStrictEqual([]);
});

describe("what health is told of refused reports", () => {
  const told = () =>
    findEvidence(ingest.store.db, ingestScope("default", "harbor", "codebase"))?.latest.category;
  const events = () =>
    listHealthEvents(ingest.store.db, { limit: 99, isShown: () => true })
      .map(({ scope, change, category }) => `${scope.capability} ${scope.asset} ${change} ${category}`)
      .reverse();
  const broken = { ...good, measures: { code_lines: -1 } };

  test("is one first failure, a change of category, and the good report that ends it", async () => {
    for (const sent of [broken, "{", broken]) {
      await ingest.post(sent);
      ingest.clock.advance(1_000);
      await refused();
    }
    await ingest.post("{}", { "content-type": "text/plain" });
    ingest.clock.advance(1_000);
    await refused();
    expect(told()).toBe("configuration");
    expect((await ingest.post(good)).status).toBe(201);
    ingest.clock.advance(1_000);
    await refused();
    expect(told()).toBeNull();
    expect(events()).toMatchSnapshot();
    // Those that ended nothing cost nothing.
    const before = ingest.store.raw.query("SELECT * FROM health_state").all();
    ingest.clock.advance(1_000);
    expect((await ingest.post(good)).status).toBe(201);
    await refused();
    expect(ingest.store.raw.query("SELECT * FROM health_state").all()).toEqual(before);
  });

  test("is one outcome however many there were between two times that they are written down", async () => {
    for (let sent = 0; sent < 50; sent++) {
      ingest.clock.advance(1_000);
      await ingest.post(sent % 2 === 0 ? broken : "{");
    }
    expect(told()).toBeUndefined();
    const last = ingest.clock.now();
    await refused();
    expect(
      findEvidence(ingest.store.db, ingestScope("default", "harbor", "codebase"))?.latest.startedAt,
    ).toBe(last);
    expect(events()).toEqual(["ingest.codebase harbor first_failure invalid_report"]);
  });

  test("is both where a good report stands between them, in the order in which they were sent", async () => {
    await ingest.post(broken);
    await refused();
    ingest.clock.advance(1_000);
    await ingest.post(good);
    ingest.clock.advance(1_000);
    await ingest.post(broken);
    await refused();
    expect(told()).toBe("invalid_report");
    expect(events()).toMatchSnapshot();
  });
});

test("an unknown token, none, and an operator's are no site's: counted, logged once a minute, and nothing of them is stored", async () => {
  const { log, lines } = capturingLog();
  const send = async (authorization: string) => {
    expect([401, 403]).toContain((await ingest.post("{", { authorization })).status);
    await flushRefusals(ingest.writer, ingest.refusals, "default", log);
    ingest.clock.advance(20_000);
  };
  for (const authorization of ["Bearer nobody", "", `Bearer ${OPERATOR_TOKEN}`, "Bearer a", "Bearer b"]) {
    await send(authorization);
  }
  expect(ingest.refusals.counts).toEqual(
    new Map([
      ["unauthenticated", 4],
      ["insufficient-scope", 1],
    ]),
  );
  expect(lines.map(({ properties }) => properties)).toEqual([
    { count: 1, code: "unauthenticated" },
    { count: 3, code: "unauthenticated" },
  ]);
  expect(ingest.store.raw.query("SELECT count(*) AS n FROM refused_report").all()).toEqual([{ n: 0 }]);
});

test.each(["a revoked token", "a token that is no longer named"])(
  "%s is a refusal of its site",
  async (kind) => {
    let token = "former-token-0123456789";
    if (kind === "a revoked token") {
      const issued = await issueSiteToken(ingest, "orchard", BY);
      token = issued.token;
      await revokeSiteToken(ingest, issued.id, BY);
    } else {
      ingest.siteTokens.setNamed([{ asset: "orchard", token }]);
      expect((await ingest.post("{", { authorization: `Bearer ${token}` })).status).toBe(400);
      await flushUses(ingest.writer, ingest.siteTokens);
      ingest.siteTokens.setNamed([]);
    }
    const sent = async () => (await ingest.post("{", { authorization: `Bearer ${token}` })).status;
    expect(await sent()).toBe(401);
    expect(await refused("orchard")).toContain("401 unauthenticated 1");
    expect(JSON.stringify(listRefused(ingest.store.db, "orchard"))).not.toContain(token);
    expect(refusalCategory("unauthenticated")).toBe("access");
    const restarted = loadTokenBook(ingest.store.db, []);
    expect([restarted.find(token), restarted.formerOwner(token)]).toEqual([undefined, "orchard"]);
    // The site is gone: there is nobody of whom it could be noted.
    ingest.siteTokens.forgetSite("orchard");
    expect(await sent()).toBe(401);
    expect(await refused("orchard")).toContain("401 unauthenticated 1");
  },
);

test("each refusal has a category of health, recorded", () =>
  recordEach(Object.keys(PROBLEMS) as ProblemCode[], refusalCategory));

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
