import { expect, test } from "bun:test";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { flushRefusals } from "../../src/health/refusals.ts";
import { healthFaults, listHealthStates } from "../../src/health/state_store.ts";
import { barWords, removeSite } from "../../src/integrations/site_acts.ts";
import { issueSiteToken } from "../../src/sites/site_tokens.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { pulse } from "../support/make/pulse.ts";
import { expectProblem } from "../support/problem.ts";
import { testTower } from "../support/test_tower.ts";

const BY = { actor: "command-line", now: 0 };

const service = fresh(async () => testTower({ ground: await testGround() }));

/** Sends a report whose body goes on only when it is told to. */
function begin(path: string, body: unknown, token: string) {
  const text = JSON.stringify(body);
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      controller.enqueue(Buffer.from(text.slice(0, 20)));
      await promise;
      controller.enqueue(Buffer.from(text.slice(20)));
      controller.close();
    },
  });
  const request = new Request(`http://localhost:4610${path}`, {
    method: "POST",
    headers: {
      host: "localhost:4610",
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
    body: stream,
  });
  return { answer: service.ingest(request), goOn };
}

test.each([
  ["/api/pulse", pulse],
  ["/api/codebase-report", codebaseReport],
] as const)(
  "%s: a report whose site is taken out while it is on its way is of nobody known, and nothing of it is stored",
  async (path, make) => {
    const { deps } = service;
    const { token } = await issueSiteToken(deps, "typo", BY);
    const sent = begin(path, { ...make(), asset: "typo" }, token);
    expect(await removeSite(deps, "typo", BY)).toMatchObject({ ok: true });
    sent.goOn();
    await expectProblem(await sent.answer, "unauthenticated");
    const counted = deps.store.raw.query<{ n: number }, []>(
      "SELECT (SELECT count(*) FROM pulse) + (SELECT count(*) FROM codebase_report) AS n",
    );
    expect(counted.get()).toEqual({ n: 0 });
    expect(deps.refusals.findLatest("typo")).toBeUndefined();
    expect(deps.refusals.unknownSenders()).toMatchObject({ code: "unauthenticated" });
  },
);

test("a report that was whole before keeps its site", async () => {
  const { deps } = service;
  const { token } = await issueSiteToken(deps, "typo", BY);
  const sent = begin("/api/pulse", { ...pulse(), asset: "typo" }, token);
  sent.goOn();
  expect((await sent.answer).status).toBe(201);
  expect(await removeSite(deps, "typo", BY)).toEqual({ ok: false, bar: "stored" });
  expect(barWords("stored", "typo")).toContain("has reported");
});

test("what was asked and refused of a site stays a record of no site, and is watched no more", async () => {
  const { deps } = service;
  const { store, writer } = deps;
  const { token } = await issueSiteToken(deps, "typo", BY);
  const sent = begin("/api/pulse", { asset: "typo" }, token);
  sent.goOn();
  expect((await sent.answer).status).toBe(422);
  const flush = () => flushRefusals(writer, deps.refusals, deps.config.workspace);
  store.raw.run(
    "CREATE TRIGGER broken BEFORE INSERT ON health_state BEGIN SELECT RAISE(ABORT, 'broken'); END",
  );
  await flush();
  store.raw.run("DROP TRIGGER broken");
  expect(listMonitoringFailures(store.db)).toMatchObject([{ kind: "recorder", asset: "typo" }]);
  const again = begin("/api/codebase-report", { asset: "typo" }, token);
  again.goOn();
  expect((await again.answer).status).toBe(422);
  await flush();
  expect(await removeSite(deps, "typo", BY)).toMatchObject({ ok: true });
  expect(listMonitoringFailures(store.db)).toStrictEqual([]);
  expect(listHealthStates(store.db, { asset: "typo" })).toHaveLength(1);
  expect([...healthFaults(store.db)]).toStrictEqual([]);
  expect(JSON.stringify(deps.health.read(deps.clock.now()))).not.toContain("typo");
});
