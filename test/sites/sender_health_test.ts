/** What health is told of annotations that are posted with a token: one target a token, and nothing of whoever is not known. */

import { describe, expect, test } from "bun:test";
import { Problem } from "../../src/base/problem.ts";
import { senderScope } from "../../src/health/health.ts";
import { findEvidence, listHealthEvents, listHealthStates } from "../../src/health/state_store.ts";
import { SenderHealth } from "../../src/sites/api.ts";
import { HARBOR_TOKEN, writerWith } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { annotation, annotationListener, READER_TOKEN } from "./listener.ts";

const listener = fresh(annotationListener);

const of = (token: string) => findEvidence(listener.store.db, senderScope("default", token));

/** Posts a second later than the one before, and waits for what no answer waited for. */
async function post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  listener.clock.advance(1_000);
  const { status } = await listener.post(body, headers);
  await listener.writer.settled();
  return status;
}

describe("the health of a sender of annotations", () => {
  test("works with one that is stored, and with one that was there before", async () => {
    expect(await post(annotation())).toBe(201);
    expect(of("ci")).toMatchObject({
      latest: { category: null, startedAt: listener.clock.now() },
      success: { coveredDate: null },
    });
    expect(await post(annotation())).toBe(200);
    expect(of("ci")?.success?.startedAt).toBe(listener.clock.now());
  });

  test.each([
    ["a broken rule", annotation({ kind: "nothing" }), {}, "invalid_report"],
    ["a moment that has yet to come", annotation({ at: "2027-01-01T00:00:00Z" }), {}, "invalid_report"],
    ["text that is no JSON", "{", {}, "invalid_report"],
    ["too large a body", "x".repeat(20_000), {}, "invalid_report"],
    ["another content type", annotation(), { "content-type": "text/plain" }, "configuration"],
  ] as const)("fails with %s, until one is taken", async (_, body, headers, category) => {
    expect(await post(body, headers)).toBeGreaterThanOrEqual(400);
    expect(of("ci")).toMatchObject({ latest: { category, code: null }, success: undefined });
    expect(await post(annotation())).toBe(201);
    expect(of("ci")?.latest.category).toBeNull();
    const events = listHealthEvents(listener.store.db, { limit: 9, isShown: () => true });
    expect(events.map(({ change }) => change)).toEqual(["recovery", "first_failure"]);
    listener.clock.advance(1);
    await post(body, headers);
    expect(of("ci")?.latest.category).toBe(category);
  });

  test("is nobody's where the token is unknown, a site's, or does not cover the route", async () => {
    for (const token of ["nobody", HARBOR_TOKEN, READER_TOKEN]) {
      await post("{", { authorization: `Bearer ${token}` });
    }
    expect(listHealthStates(listener.store.db)).toStrictEqual([]);
  });

  test("is not that of a person at a page, who sees the answer", async () => {
    const health = new SenderHealth(listener);
    expect(health.begun({ id: "operator:ada" })).toBeUndefined();
    const known = health.begun({ id: "token:ci" });
    if (known === undefined) throw new Error("a post with a token is nobody's");
    listener.clock.advance(5_000);
    health.refused(known, new Problem("unsupported-media-type", "No JSON."));
    await listener.writer.settled();
    // Attempts are ordered by when they began.
    expect(of("ci")?.latest).toMatchObject({ category: "configuration", startedAt: known.startedAt });
  });

  test("is one write for a flood of refused ones, and tells the latest of each sender", async () => {
    const { writer, clock } = listener;
    let writes = 0;
    const counting = {
      write: ((...given: Parameters<typeof writer.write>) => {
        writes++;
        return writer.write(...given);
      }) as typeof writer.write,
      background: writer.background.bind(writer),
    };
    const health = new SenderHealth({ ...listener, writer: writerWith(writer, counting) });
    for (let sent = 0; sent < 100; sent++) {
      clock.advance(1);
      for (const id of ["token:ci", "token:other"]) {
        const post = health.begun({ id });
        if (post !== undefined) health.refused(post, new Problem("malformed-json", "no JSON"));
      }
    }
    await writer.settled();
    expect(writes).toBe(1);
    expect([of("ci"), of("other")].map((known) => known?.latest.startedAt)).toEqual([
      clock.now(),
      clock.now(),
    ]);
  });
});
