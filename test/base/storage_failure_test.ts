import { describe, expect, test } from "bun:test";
import { testGround } from "../support/deps.ts";
import { testIngest } from "../support/ingest.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { expectProblem } from "../support/problem.ts";

const VALID = JSON.stringify(codebaseReport());

/** A valid report of exactly so many bytes: white space is part of the body. */
const sized = (bytes: number) => VALID.padEnd(bytes, " ");

describe("what breaks inside", () => {
  test("10: a full database answers 503 with Retry-After, stores nothing, and takes reports again when there is room", async () => {
    const ground = await testGround();
    const full = await testIngest({ ground });
    const pages =
      ground.store.raw.query<{ page_count: number }, []>("PRAGMA page_count").get()?.page_count ?? 0;
    ground.store.raw.run(`PRAGMA max_page_count = ${pages}`);
    const big = codebaseReport({ unmeasured: { files: "x".repeat(2_000) } });
    let refused = await full.post(big);
    for (let i = 0; i < 50 && refused.status === 201; i++) refused = await full.post(big);
    const stored = full.stored();
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    await expectProblem(refused, "storage-unavailable");
    await expectProblem(await full.post(sized(100_000)), "storage-unavailable");
    expect(full.stored()).toBe(stored);
    const told = full.lines.map(
      ({ level, message, properties }) => `${level} ${message} ${properties["reason"]}`,
    );
    expect(told.filter((line) => line.startsWith("error storage refused a write"))).toEqual([
      "error storage refused a write SQLITE_FULL",
      "error storage refused a write SQLITE_FULL",
    ]);
    ground.store.raw.run("PRAGMA max_page_count = 1000000");
    expect((await full.post(sized(100_000))).status).toBe(201);
    await full.stop();
  });

  test("a fault answers one neutral 500, and only the log says what it was", async () => {
    const ground = await testGround();
    const broken = await testIngest({
      ground: {
        ...ground,
        siteTokens: Object.assign(Object.create(ground.siteTokens) as typeof ground.siteTokens, {
          find: () => {
            throw new Error("secret detail");
          },
        }),
      },
    });
    const response = await broken.post(VALID);
    const problem = await expectProblem(response, "internal-error");
    expect(JSON.stringify(problem)).not.toContain("secret");
    expect(broken.lines).toMatchObject([
      { level: "error", message: "a request failed", properties: { request: problem.instance } },
    ]);
    await broken.stop();
  });

  test("a stopped writer is storage unavailable", async () => {
    const ground = await testGround();
    const stopping = await testIngest({ ground });
    ground.writer.close();
    await expectProblem(await stopping.post(VALID), "storage-unavailable");
    await stopping.stop();
  });
});
