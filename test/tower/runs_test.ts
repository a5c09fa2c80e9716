/**
 * The pages of runs, recorded: how runs went, what runs, what is stopped, and the attempts of a run. After a change that is meant,
 * `bun test test/tower/runs_test.ts --update-snapshots` writes it anew; the difference is to be read like code.
 */

import { beforeEach, expect, test } from "bun:test";
import { packSettled } from "../../src/signals/attempt_packs.ts";
import type { JobEntry, RunHandle } from "../../src/store/job_runs.ts";
import { type Acts, actsAt } from "../support/acts.ts";
import { fresh } from "../support/fresh.ts";
import { attribute, elements, parsed, rowsOf } from "../support/html.ts";
import { attemptOf, recordRun } from "../support/quarters.ts";
import { PROXY, testTower } from "../support/test_tower.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const LIST = "/integrations/runs";
const service = fresh(() => testTower({ settings: PROXY }));
let acts: Acts;
beforeEach(() => {
  acts = actsAt(service);
});

/** In the place of the job `sense`: one that goes on until it is stopped, and a while longer. */
function lasting() {
  const begun = Promise.withResolvers<RunHandle>();
  const letGo = Promise.withResolvers<void>();
  const work: JobEntry["work"] = async (run) => {
    begun.resolve(run);
    await letGo.promise;
  };
  service.deps.jobs.register([{ name: "sense", at: "*/15 * * * *", recorded: true, work }]);
  return { end: letGo.resolve, begun: begun.promise };
}

test("how runs went, of one that asked nobody too, page by page", async () => {
  const { clock, store } = service.deps;
  const failed = { outcome: "failed", category: "network" } as const;
  await recordRun(service.deps, [attemptOf(clock.now())]);
  clock.advance(15 * MINUTE);
  const changed = attemptOf(clock.now(), { outcome: "changed", changed: 1 });
  await recordRun(service.deps, [changed, attemptOf(clock.now(), failed, { asset: "orchard" })]);
  await acts.watch(LIST, `${LIST}?job=sense`);
  store.raw.run(
    `INSERT INTO credential (id, kind, providers, label, account, edit_revision, connection_revision, key_id, sealed, added_at, connected_at)
     VALUES ('first', 'google-service-account', '["analytics"]', 'Account', 'first', 1, 'first', 'key', 'sealed', 0, 0)`,
  );
  store.raw.run(
    "INSERT INTO attachment (asset, provider, credential, property, attached_at) VALUES ('harbor', 'analytics', 'first', '300000001', 0)",
  );
  for (let tick = 0; tick < 58; tick++) {
    await recordRun(service.deps, []);
    clock.advance(15 * MINUTE);
  }
  await acts.watch(LIST);
  await acts.look(await acts.found(`${LIST}?job=sense`, /rel="next" href="([^"#]*)/), `${LIST}?job=sense`);
  await acts.look(`${LIST}?job=%3Cb%3Ehello`);
  expect(acts.recorded()).toMatchSnapshot();
});

test("a run that is begun by hand, goes on by itself, is begun no second time, and is stopped", async () => {
  const { end, begun } = lasting();
  const start = () => acts.send(LIST, "/integrations/jobs/sense/runs", {});
  await start();
  (await begun).progress(312, 2_000, "harbor: analytics");
  await start();
  await acts.watch(LIST);
  const headers = { "hx-request": "true" };
  // What asks for itself gets that part alone.
  expect(await (await service.ask(`${LIST}?part=jobs`, { headers })).text()).not.toContain("<html");
  for (const job of ["bodies", "nope"]) await acts.send(LIST, `/integrations/jobs/${job}/runs`, {});
  const path = `${LIST}/${service.deps.jobs.running()[0]?.run}`;
  await acts.watch(path);
  await acts.send(path, `${path}/stop`, {});
  await acts.watch(path);
  end();
  await service.deps.jobs.stop(5_000);
  await acts.watch(path);
  await acts.send(path, `${path}/stop`, {});
  acts.audit();
  expect(acts.recorded()).toMatchSnapshot();
});

test("the attempts of a run, narrowed and page by page, are the same once they are packed", async () => {
  const { clock } = service.deps;
  const limited = {
    outcome: "failed",
    category: "rate_limit",
    nextRetryAt: clock.now() + 5 * MINUTE,
  } as const;
  const attempts = Array.from({ length: 60 }, (_, at) =>
    attemptOf(clock.now() + at, at % 20 === 0 ? limited : {}, {
      asset: `site-${at}`,
      provider: at % 2 === 0 ? "analytics" : "search-console",
    }),
  );
  const run = await recordRun(service.deps, attempts);
  const later = { asset: "site-7", provider: "search-console" } as const;
  await recordRun(service.deps, [attemptOf(clock.now() + 100, {}, later)]);
  const at = `${LIST}/${run}`;
  const rows = async (path: string) =>
    rowsOf(parsed(await (await service.ask(path)).text()), "Attempts, newest first");
  const all = async () => {
    const page = parsed(await (await service.ask(at)).text());
    const earlier = elements(page).find((node) => attribute(node, "rel") === "next");
    const queries = ["?outcome=failed", "?category=rate_limit", "?provider=search-console", "?asset=site-7"];
    const paths = [at, attribute(earlier as never, "href") ?? "", ...queries.map((query) => at + query)];
    return Promise.all([...paths, "/integrations/attempts?asset=site-7"].map(rows));
  };
  const before = await all();
  expect(before.map(({ length }) => length - 1)).toEqual([50, 10, 3, 3, 30, 1, 2]);
  expect(before).toMatchSnapshot();
  clock.advance(2 * DAY);
  await packSettled(service.deps, 16);
  clock.advance(-2 * DAY);
  expect(await all()).toEqual(before);
  expect(await (await service.ask(`${at}?asset=nobody`)).text()).toContain("No attempt fits");
});
