/**
 * A recorder that really fails, in the database: for each kind of operation what it came to stays, is said once, is said to be
 * unmonitored, and nothing is asked or sent again; the monitoring failure is listed, and is over when the recorder works again.
 */

import { afterEach, describe, expect, test } from "bun:test";
import { makeTokenText } from "../../src/access/tokens.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { MONITORING_UNAVAILABLE, UNRECORDED } from "../../src/health/capability_words.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { listHealthStates } from "../../src/health/state_store.ts";
import { findRun } from "../../src/store/job_runs.ts";
import { run as command } from "../app/run.ts";
import { seededIds } from "../support/ids.ts";
import { type Pulled, pulledTower } from "../support/pulled.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let pulled: Pulled;
afterEach(() => pulled.close());

const raw = () => pulled.tower.deps.store.raw;

/** From now on nothing can be recorded. */
function breakRecorder(): void {
  raw().run(
    "CREATE TRIGGER broken BEFORE INSERT ON health_state BEGIN SELECT RAISE(ABORT, 'the recorder is broken'); END",
  );
}
const mendRecorder = () => raw().run("DROP TRIGGER broken");

const unrecorded = () =>
  listMonitoringFailures(pulled.tower.deps.store.db)
    .filter(({ kind }) => kind === "recorder")
    .map(({ asset, subject }) => `${subject} ${asset || "-"}`)
    .toSorted();
const told = () => listHealthStates(pulled.tower.deps.store.db).length;
const sent = () => pulled.simulators.log.map(({ server, operation }) => `${server} ${operation}`);

const words = async (path: string) =>
  (await (await pulled.tower.ask(path)).text()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

describe("where the recorder fails", () => {
  test.each(["sense", "webmaster-tools"] as const)(
    "what %s pulled stays as it is without that",
    async (job) => {
      const cameTo = async (isBroken: boolean) => {
        pulled = await pulledTower();
        if (isBroken) breakRecorder();
        const { run, ...report } = await pulled.run(job);
        // Two providers are asked side by side.
        const attempts = pulled.attempts().toSorted((a, b) => a.provider.localeCompare(b.provider));
        const stored = (["analytics", "search-console", "webmaster-tools"] as const).map((of) =>
          pulled.stored(of),
        );
        return { run, report, left: [stored, pulled.observations(), attempts, sent().toSorted()] };
      };
      const whole = await cameTo(false);
      await pulled.close();
      const broken = await cameTo(true);
      expect(broken.left).toEqual(whole.left);
      expect(broken.report).toEqual({ ...whole.report, monitoring: "unavailable" });
      expect(told()).toBe(0);
      const of = job === "sense" ? ["analytics.daily", "search-console.daily"] : ["webmaster-tools.daily"];
      const list = job === "sense" ? [] : ["webmaster-tools.daily -"];
      expect(unrecorded()).toEqual([...list, ...of.map((capability) => `${capability} harbor.example`)]);
      expect(findRun(pulled.tower.deps.store.db, broken.run)?.end?.monitoring).toBe("unavailable");
      expect(await words(`/integrations/runs/${broken.run}`)).toContain(
        `Monitoring Unavailable. ${UNRECORDED}`,
      );

      mendRecorder();
      pulled.clock.advance(DAY);
      const after = await pulled.run(job);
      expect([after.outcome, after.monitoring, unrecorded()]).toEqual(["done", undefined, []]);
      expect(await words(`/integrations/runs/${after.run}`)).not.toContain(UNRECORDED);
      expect(told()).toBe(2);
    },
  );

  test("what holds a question back holds it: nothing is asked again for the sake of the record", async () => {
    pulled = await pulledTower();
    breakRecorder();
    pulled.simulators.script(
      { kind: "error", error: "service-disabled" },
      { server: "analyticsData", times: 9 },
    );
    await pulled.run("sense");
    pulled.simulators.forget();
    pulled.clock.advance(15 * MINUTE);
    await pulled.run("sense");
    expect(sent().filter((one) => one.startsWith("analyticsData"))).toStrictEqual([]);
    expect(unrecorded()).toContain("analytics.daily -");
    // Of an account only failures are told, and the answer that ends them: also where the failure itself could not be.
    mendRecorder();
    pulled.simulators.calm();
    pulled.clock.advance(2 * DAY);
    await pulled.run("sense");
    expect(unrecorded()).toStrictEqual([]);
  });

  test("job run says so in its line, and whoever reads only its exit code is told that the run is done", async () => {
    pulled = await pulledTower();
    const { deps } = pulled.tower;
    expect(JSON.parse((await command({ deps }, "job run sense")).stdout)).not.toHaveProperty("monitoring");
    breakRecorder();
    pulled.clock.advance(15 * MINUTE);
    const ran = await command({ deps }, "job run sense");
    expect(ran).toMatchObject({ exitCode: 0, stderr: `sense ran\n${MONITORING_UNAVAILABLE}` });
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: "done", monitoring: "unavailable" });
  });

  test("a test of a connection and a list of its properties say so, by command and on its page", async () => {
    pulled = await pulledTower();
    const { deps } = pulled.tower;
    const { google } = pulled.credentials;
    const whole = await command({ deps }, `credential test ${google}`);
    const listed = await command({ deps }, `property list ${google}`);
    const before = sent();
    pulled.simulators.forget();
    breakRecorder();
    pulled.clock.advance(MINUTE);
    const tested = await command({ deps }, `credential test ${google}`);
    expect(JSON.parse(tested.stdout)).toEqual({ ...JSON.parse(whole.stdout), monitoring: "unavailable" });
    expect(tested.exitCode).toBe(0);
    expect(tested.stderr).toContain(MONITORING_UNAVAILABLE);
    const list = await command({ deps }, `property list ${google}`);
    expect([list.exitCode, list.stdout]).toEqual([0, listed.stdout]);
    expect(list.stderr).toContain(MONITORING_UNAVAILABLE);
    const ends = raw()
      .query<{ monitoring: string | null }, []>("SELECT monitoring FROM job_end ORDER BY rowid")
      .all();
    expect(ends.map(({ monitoring }) => monitoring)).toEqual([null, null, "unavailable", "unavailable"]);
    expect(listed.stderr).not.toContain(MONITORING_UNAVAILABLE);
    // But for the token, which is kept.
    const questions = (all: readonly string[]) => all.filter((one) => !one.startsWith("token"));
    expect(questions(sent())).toEqual(questions(before));
    const { headers } = await pulled.tower.ask(`/settings/credentials/${google}/test`, { form: {} });
    expect(headers.get("location")).toBe(`/settings/credentials/${google}?done=test-unrecorded`);
    expect(await words(headers.get("location") ?? "")).toContain(MONITORING_UNAVAILABLE);
    expect(unrecorded()).toMatchSnapshot();
    mendRecorder();
    pulled.clock.advance(MINUTE);
    for (const words of ["credential test", "property list"]) await command({ deps }, `${words} ${google}`);
    expect(unrecorded()).toStrictEqual([]);
  });

  test("the panel shows the traffic of now, says so, and asks no sooner for that", async () => {
    pulled = await pulledTower();
    breakRecorder();
    const look = async () => {
      await pulled.tower.ask("/sites/harbor.example");
      await pulled.tower.deps.writer.settled();
      return words("/sites/harbor.example");
    };
    const panel = await look();
    expect(panel).toMatch(/\d+ active in the last 30 minutes/);
    expect(panel).toContain(MONITORING_UNAVAILABLE);
    const asked = sent().length;
    await look();
    expect(sent()).toHaveLength(asked);
    expect(unrecorded()).toEqual(["analytics.hourly harbor.example", "analytics.realtime harbor.example"]);
    mendRecorder();
    pulled.clock.advance(15 * MINUTE);
    expect(await look()).not.toContain("Monitoring is unavailable");
    expect(unrecorded()).toStrictEqual([]);
  });

  test("an annotation is stored once and answered as stored, with a word that health was not told", async () => {
    pulled = await pulledTower();
    const { deps, report } = pulled.tower;
    const { text: token } = makeTokenText("smc", seededIds(11).bytes);
    const ci = { id: "ci", operator: "ci", scopes: ["annotations"] } as const;
    deps.apiTokens.add({ ...ci, digest: sha256Hex(token) });
    const annotation = { asset: "harbor.example", at: "2026-11-20T10:00:00Z", kind: "deploy", ref: "v1" };
    const post = async (body: unknown) => {
      pulled.clock.advance(1_000);
      const answer = await report("/api/annotations", body, token);
      await deps.writer.settled();
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    breakRecorder();
    const stored = await post(annotation);
    expect(stored).toMatchObject({ status: 201, body: { ref: "v1", monitoring: "unavailable" } });
    expect(await post(annotation)).toMatchObject({
      status: 200,
      body: { id: stored.body["id"], monitoring: "unavailable" },
    });
    expect((await post({})).status).toBe(422);
    expect(raw().query("SELECT count(*) AS n FROM annotation").all()).toEqual([{ n: 1 }]);
    expect(unrecorded()).toEqual(["annotations.post -"]);
    mendRecorder();
    const again = await post(annotation);
    expect(again.status).toBe(200);
    expect(again.body).not.toHaveProperty("monitoring");
    expect(unrecorded()).toStrictEqual([]);
  });
});
