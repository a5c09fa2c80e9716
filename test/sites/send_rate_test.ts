import { afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openData } from "../../src/app/boot.ts";
import { readConfig } from "../../src/base/config.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { SendRates } from "../../src/sites/report_sender.ts";
import type { KnownToken } from "../../src/sites/site_tokens.ts";
import { HARBOR_TOKEN, ORCHARD_TOKEN } from "../support/deps.ts";
import { temporaryFolder } from "../support/folder.ts";
import { OPERATOR_TOKEN, type TestIngest, testIngest } from "../support/ingest.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { expectProblem } from "../support/problem.ts";
import { testTower } from "../support/test_tower.ts";

const token = (digest: string): KnownToken => ({ asset: "harbor", digest, issued: true });
const HARBOR = token("a");

describe("a site token's bucket (decisions 3, check 3a)", () => {
  test("gives so many at once, then so many a second, and says how long to wait", () => {
    const rates = new SendRates({ burst: 3, perSecond: 10 });
    const at = (now: number) => rates.take(HARBOR, now);
    expect([at(0), at(0), at(0), at(0)]).toEqual([0, 0, 0, 1]);
    expect([at(99), at(100), at(100), at(200)]).toEqual([1, 0, 1, 0]);
    // Nothing is saved up beyond the burst.
    expect([at(60_000), at(60_000), at(60_000), at(60_000)]).toEqual([0, 0, 0, 1]);
  });

  test("a refused request costs nothing: whoever waits as told is let in (property)", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 200 }),
        (burst, perSecond, pauses) => {
          const rates = new SendRates({ burst, perSecond });
          let now = 0;
          let passed = 0;
          for (const pause of pauses) {
            now += pause;
            const seconds = rates.take(HARBOR, now);
            if (seconds === 0) passed++;
            else {
              now += seconds * 1_000;
              expect(rates.take(HARBOR, now)).toBe(0);
              passed++;
            }
          }
          expect(passed).toBeLessThanOrEqual(burst + (now / 1_000) * perSecond + 1e-6);
        },
      ),
    );
  });

  test("a clock that jumps back gives nothing and takes nothing, and one that jumps ahead gives one burst (property)", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e12, max: 1e12 }), { maxLength: 50 }), (moments) => {
        const rates = new SendRates({ burst: 5, perSecond: 1 });
        let earlier = 0;
        let most = 5;
        let passed = 0;
        for (const now of [0, ...moments]) {
          most += Math.min(5, Math.max(0, now - earlier) / 1_000);
          earlier = now;
          const seconds = rates.take(HARBOR, now);
          expect(seconds).toBeLessThanOrEqual(1);
          if (seconds === 0) passed++;
        }
        expect(passed).toBeLessThanOrEqual(most);
        expect(rates.take(HARBOR, earlier + 1_000)).toBe(0);
      }),
    );
  });
});

test("the settings INGEST_BURST and INGEST_PER_SECOND are what the service goes by", async () => {
  using folder = temporaryFolder();
  const mask = process.umask();
  const settings = { DATA_DIR: folder.path, INGEST_BURST: "2", INGEST_PER_SECOND: "4" };
  const opened = await openData(readConfig(settings));
  process.umask(mask);
  const taken = [0, 0, 0, 250].map((now) => opened.deps.sendRates.take(HARBOR, now));
  opened.close();
  expect(taken).toEqual([0, 0, 1, 0]);
});

test("a report notes the use of its token, taken or refused, and a stranger's notes none", async () => {
  const ingest = await testIngest();
  const uses = () => ingest.siteTokens.takeUses().map(({ token: { asset }, at }) => [asset, at]);
  const { clock } = ingest;
  expect((await ingest.post(codebaseReport())).status).toBe(201);
  expect(uses()).toEqual([["harbor", clock.now()]]);
  clock.advance(5_000);
  await expectProblem(await ingest.post("{"), "malformed-json");
  expect(uses()).toEqual([["harbor", clock.now()]]);
  await expectProblem(await ingest.post("{}", { authorization: "Bearer nobody" }), "unauthenticated");
  expect(uses()).toStrictEqual([]);
  await ingest.stop();
});

/** A body without a length. */
function chunksOf(text: string): ReadableStream {
  const halves = [text.slice(0, 20), text.slice(20)];
  return new ReadableStream({
    pull(into) {
      const half = halves.shift();
      if (half === undefined) into.close();
      else into.enqueue(new TextEncoder().encode(half));
    },
  });
}

const PLENTY = { burst: 1_000, perSecond: 1_000 };

describe("a site that sends too much", () => {
  let ingest: TestIngest;
  afterEach(() => ingest.stop());
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

  test("is told 429 and when to come again, before anything of the body, and nothing is stored", async () => {
    ingest = await testIngest({ rate: { burst: 2, perSecond: 1 } });
    expect((await ingest.post(codebaseReport())).status).toBe(201);
    // A refused report counts, too.
    await expectProblem(await ingest.post("{"), "malformed-json");
    const wrong = { "content-type": "text/plain", "content-encoding": "gzip" };
    const refused = await ingest.post("x".repeat(300_000), wrong);
    expect(refused.headers.get("retry-after")).toBe("1");
    await expectProblem(refused, "too-many-requests");
    expect(ingest.stored()).toBe(1);
    ingest.clock.advance(1_000);
    expect((await ingest.post(codebaseReport())).status).toBe(201);
  });

  test("holds up no other site, and unknown tokens and those without the scope are told so, however many", async () => {
    ingest = await testIngest({ rate: { burst: 1, perSecond: 1 } });
    expect((await ingest.post(codebaseReport())).status).toBe(201);
    await expectProblem(await ingest.post(codebaseReport()), "too-many-requests");
    const own = codebaseReport({ asset: "orchard" });
    expect((await ingest.post(own, bearer(ORCHARD_TOKEN))).status).toBe(201);
    for (let i = 0; i < 3; i++) {
      await expectProblem(await ingest.post("{}", bearer(`${HARBOR_TOKEN}x`)), "unauthenticated");
      await expectProblem(await ingest.post("{}", bearer(OPERATOR_TOKEN)), "insufficient-scope");
    }
  });

  test("may send so many bytes of bodies a UTC day, with a length or without, and its operator is warned first", async () => {
    const body = JSON.stringify(codebaseReport());
    const sent = (count: number) => body.length * count;
    ingest = await testIngest({
      rate: { ...PLENTY, bytesPerDay: 256 * 1024 + sent(9) },
    });
    const chunked = () =>
      fetch(ingest.url, {
        method: "POST",
        headers: {
          ...bearer(HARBOR_TOKEN),
          "content-type": "application/json",
        },
        body: chunksOf(body),
      });
    // What is not read costs nothing, and neither does what storage did not take.
    await expectProblem(await ingest.post("x".repeat(300_000)), "body-too-large");
    await expectProblem(await ingest.post(body, { "content-type": "text/plain" }), "unsupported-media-type");
    for (let i = 0; i < 9; i++) expect((await chunked()).status).toBe(201);
    const blank = " ".repeat(256 * 1024 - sent(1));
    await expectProblem(await ingest.post(blank), "malformed-json");
    const warned = ingest.lines.filter(({ message }) => message.includes("80 %"));
    expect(warned.map(({ properties }) => properties["asset"])).toEqual(["harbor"]);
    // A body without a length may come to the most there is.
    await expectProblem(await chunked(), "too-many-requests");
    expect((await ingest.post(body)).status).toBe(201);
    const refused = await ingest.post(body, { "content-type": "text/plain" });
    const midnight = Math.ceil((86_400_000 - (ingest.clock.now() % 86_400_000)) / 1_000);
    expect(refused.headers.get("retry-after")).toBe(String(midnight));
    await expectProblem(refused, "too-many-requests");
    expect((await ingest.post(codebaseReport({ asset: "orchard" }), bearer(ORCHARD_TOKEN))).status).toBe(201);
    ingest.clock.advance(midnight * 1_000);
    expect((await chunked()).status).toBe(201);
  });
});

describe("an operator's token that posts too many annotations", () => {
  test.each(["ingest", "tower"] as const)(
    "is told 429 and when to come again, on the %s",
    async (listener) => {
      const service = await testTower({
        settings: { INGEST_BURST: "2", INGEST_PER_SECOND: "1" },
      });
      service.deps.apiTokens.add({
        id: "ci",
        digest: sha256Hex(OPERATOR_TOKEN),
        operator: "ci",
        scopes: ["annotations"],
      });
      const { url } = service.listen(listener);
      const post = () =>
        fetch(`${url}/api/annotations`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${OPERATOR_TOKEN}`,
            "content-type": "application/json",
          },
          body: "{",
        });
      for (let i = 0; i < 2; i++) await expectProblem(await post(), "malformed-json");
      const refused = await post();
      expect(refused.headers.get("retry-after")).toBe("1");
      await expectProblem(refused, "too-many-requests");
      service.deps.clock.advance(1_000);
      await expectProblem(await post(), "malformed-json");
      await service.close();
    },
  );
});
