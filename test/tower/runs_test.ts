/** The pages of runs: what runs, how runs went, and why something is not asked. */

import { describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { packSettled } from "../../src/signals/attempt_packs.ts";
import type { JobEntry, RunHandle } from "../../src/store/job_runs.ts";
import { fresh } from "../support/fresh.ts";
import { attribute, byId, elements, parsed, rowsOf, tagged, textOf } from "../support/html.ts";
import { attemptOf, recordRun } from "../support/quarters.ts";
import { PROXY, testTower } from "../support/test_tower.ts";

const MINUTE = 60_000;
const service = fresh(() => testTower({ settings: PROXY }));

async function page(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await service.ask(path, { headers });
  expect(response.status).toBe(200);
  return response.text();
}

const post = async (path: string) => {
  const response = await service.ask(path, { form: {} });
  return [response.status, response.headers.get("location")] as const;
};

const acts = () =>
  listAudit(service.deps.store.db, { limit: 9 })
    .filter(({ act }) => act.startsWith("job."))
    .map(({ actor, act, target }) => `${actor} ${act} ${target}`);

/** In the place of the job `sense`: one that goes on until it is let go. */
function lasting() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<RunHandle>();
  const entry: JobEntry = {
    name: "sense",
    at: "*/15 * * * *",
    recorded: true,
    work: async (run) => {
      begun.resolve(run);
      await Promise.race([
        promise,
        new Promise<void>((stopped) => run.signal.addEventListener("abort", () => stopped())),
      ]);
    },
  };
  service.deps.jobs.register([entry]);
  return { end: resolve, begun: begun.promise };
}

const ended = () => service.deps.jobs.stop(5_000);

describe("the page of runs", () => {
  test("tells of each run what it came to, and leads to those of its attempts that failed", async () => {
    const { clock } = service.deps;
    const failed = { outcome: "failed", category: "network" } as const;
    await recordRun(service.deps, [attemptOf(clock.now())]);
    clock.advance(15 * MINUTE);
    const run = await recordRun(service.deps, [
      attemptOf(clock.now(), { outcome: "changed", changed: 1 }),
      attemptOf(clock.now(), failed, { asset: "orchard" }),
    ]);
    const last = textOf(byId(parsed(await page("/integrations/runs")), "job-sense"));
    expect(last).toContain("just nowPartial1 failed1 changed");
    const html = await page("/integrations/runs?job=sense");
    const rows = rowsOf(parsed(html), "Runs, newest first").slice(1);
    expect(rows.map((row) => row.slice(0, 3))).toEqual([
      ["just now", "Partial", "1 failed1 changed"],
      ["15 min ago", "Done", "1 unchanged"],
    ]);
    expect(html).toContain(`/integrations/runs/${run}?outcome=failed#attempts`);
  });

  test("says of a run that asked nobody what is missing, and where it is set up", async () => {
    connect("first");
    attach("harbor");
    await recordRun(service.deps, []);
    const html = await page("/integrations/runs");
    expect(html).toContain("Nothing was due, or all of it is on hold.");
    await recordRun(service.deps, [attemptOf(service.deps.clock.now())]);
    expect(await page("/integrations/runs")).not.toContain("Nothing was due");
  });
});

/** A stored connection, and a property that a site is attached to. */
function connect(revision: string): void {
  service.deps.store.raw.run(
    `INSERT INTO credential (id, kind, providers, label, account, edit_revision, connection_revision, key_id, sealed, added_at, connected_at)
     VALUES (?1, 'google-service-account', '["analytics"]', 'Account ' || ?1, ?1, 1, ?1, 'key', 'sealed', 0, 0)`,
    [revision],
  );
}

function attach(asset: string): void {
  service.deps.store.raw.run(
    "INSERT INTO attachment (asset, provider, credential, property, attached_at) VALUES (?, 'analytics', 'first', '300000001', 0)",
    [asset],
  );
}

describe("“Run now”", () => {
  test("begins a run that goes on by itself, in the name of who asked, and says so", async () => {
    const { end, begun } = lasting();
    expect(await post("/integrations/jobs/sense/runs")).toEqual([303, "/integrations/runs?done=job-begun"]);
    (await begun).progress(312, 2_000, "harbor: analytics");
    const html = await page("/integrations/runs?done=job-begun");
    const jobs = byId(parsed(html), "jobs");
    expect(textOf(jobs)).toContain("started by ada. 312 of 2,000 asked, last harbor: analytics.");
    expect(attribute(jobs, "data-ask")).toBe("/integrations/runs?part=jobs");
    expect(acts()).toEqual(["operator:ada job.run sense"]);
    // What asks for itself gets that part alone.
    const part = await page("/integrations/runs?part=jobs", { "hx-request": "true" });
    expect(part).not.toContain("<html");
    expect(part).toContain("312 of 2,000");
    end();
  });

  test("of a job that runs already is no error: it says so, begins none and notes no act", async () => {
    const { end, begun } = lasting();
    await post("/integrations/jobs/sense/runs");
    await begun;
    expect(await post("/integrations/jobs/sense/runs")).toEqual([303, "/integrations/runs?done=job-busy"]);
    expect(await page("/integrations/runs?done=job-busy")).toContain("This job is running already");
    expect(acts()).toHaveLength(1);
    end();
  });

  test("is there for the jobs whose runs are kept alone", async () => {
    for (const job of ["bodies", "nope"]) {
      expect((await post(`/integrations/jobs/${job}/runs`))[0]).toBe(404);
    }
  });
});

describe("the page of a run", () => {
  test("under way: how far it is, and a way to stop it", async () => {
    const { begun } = lasting();
    await post("/integrations/jobs/sense/runs");
    const { id } = await begun;
    const [running] = service.deps.jobs.running();
    expect(running?.id).toBe(id);
    const path = `/integrations/runs/${running?.run}`;
    const html = await page(path);
    expect(attribute(byId(parsed(html), "run"), "data-ask")).toBe(`${path}?part=run`);
    expect(html).toContain("No attempt yet");
    expect(await post(`${path}/stop`)).toEqual([303, `${path}?done=run-stopping`]);
    await ended();
    const after = await page(path);
    expect(textOf(byId(parsed(after), "run"))).toContain("It was stopped. Results until then are kept.");
    expect(attribute(byId(parsed(after), "run"), "data-ask")).toBeUndefined();
    expect(await post(`${path}/stop`)).toEqual([303, `${path}?done=run-over`]);
    expect(acts()).toEqual(["operator:ada job.stop sense", "operator:ada job.run sense"]);
  });

  test("over: its attempts, narrowed by site, provider, outcome and category, page by page, also once they are packed", async () => {
    const { clock } = service.deps;
    const limited = {
      outcome: "failed",
      category: "rate_limit",
      nextRetryAt: clock.now() + 5 * MINUTE,
    } as const;
    const run = await recordRun(
      service.deps,
      Array.from({ length: 60 }, (_, at) =>
        attemptOf(clock.now() + at, at % 20 === 0 ? limited : {}, {
          asset: `site-${at}`,
          provider: at % 2 === 0 ? "analytics" : "search-console",
        }),
      ),
    );
    const rows = async (query: string) =>
      rowsOf(parsed(await page(`/integrations/runs/${run}${query}`)), "Attempts, newest first").slice(1);
    const check = async () => {
      expect(await rows("")).toHaveLength(50);
      const html = await page(`/integrations/runs/${run}`);
      const earlier = elements(parsed(html)).find((node) => attribute(node, "rel") === "next");
      const href = attribute(earlier as never, "href") ?? "";
      expect(rowsOf(parsed(await page(href)), "Attempts, newest first").slice(1)).toHaveLength(10);
      expect((await rows("?outcome=failed")).map((row) => row[0])).toEqual(["site-40", "site-20", "site-0"]);
      expect((await rows("?category=rate_limit"))[0]?.join(" ")).toContain(
        "Rate limit, not again before 1 Mar 12:05",
      );
      expect(await rows("?provider=search-console")).toHaveLength(30);
      expect((await rows("?asset=site-7")).map((row) => row[1])).toEqual(["Search console"]);
      expect(await page(`/integrations/runs/${run}?asset=nobody`)).toContain("No attempt fits");
    };
    await check();
    await recordRun(service.deps, [
      attemptOf(clock.now() + 100, {}, { asset: "site-7", provider: "search-console" }),
    ]);
    const before = await page(`/integrations/attempts?asset=site-7`);
    clock.advance(2 * 86_400_000);
    await packSettled(service.deps, 16);
    clock.advance(-2 * 86_400_000);
    await check();
    expect(
      rowsOf(parsed(await page("/integrations/attempts?asset=site-7")), "Attempts, newest first"),
    ).toEqual(rowsOf(parsed(before), "Attempts, newest first"));
  });
});

test("all runs of a job come page by page; a name that nothing ran by is not repeated", async () => {
  const { clock } = service.deps;
  for (let tick = 0; tick < 60; tick++) {
    await recordRun(service.deps, []);
    clock.advance(15 * MINUTE);
  }
  const html = await page("/integrations/runs?job=sense");
  expect(rowsOf(parsed(html), "Runs, newest first").slice(1)).toHaveLength(50);
  const next = tagged(parsed(html), "a").find((link) => attribute(link, "rel") === "next");
  const earlier = await page(attribute(next as never, "href") ?? "");
  expect(rowsOf(parsed(earlier), "Runs, newest first").slice(1)).toHaveLength(10);
  const unknown = await page("/integrations/runs?job=%3Cb%3Ehello");
  expect(unknown).toContain("No run yet");
  expect(textOf(byId(parsed(unknown), "main"))).not.toContain("hello");
});
