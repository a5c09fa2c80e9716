/**
 * A run that is killed before any of its requests or writes: the next start goes on, with nothing twice and nothing left out, and health
 * is told of just what is stored.
 */

import { expect, test } from "bun:test";
import type { HttpClient } from "../../src/base/http_client.ts";
import { GoogleTokens } from "../../src/providers/google.ts";
import { attemptsOfRun } from "../../src/signals/attempts.ts";
import { Pulls } from "../../src/signals/signals.ts";
import { dyingAt, writerOf } from "../support/dying.ts";
import { jobsOf } from "../support/jobs.ts";
import { type Pulled, pulledTower, pulledWorld } from "../support/pulled.ts";
import { PROMPT_PACES } from "../support/test_tower.ts";

type Job = "sense" | "webmaster-tools";

/** Everything that is stored of figures, but for who told it. */
function contents({ tower, stored, world }: Pulled): unknown {
  const observed = tower.deps.store.raw
    .query<{ asset: string; provider: string; days: Uint8Array }, []>(
      "SELECT t.asset, t.provider, hex(o.days) AS days FROM observation o JOIN pull_target t ON t.id = o.target ORDER BY 1, 2, o.id",
    )
    .all();
  const figures = world.sites.map(({ name }) =>
    (["analytics", "search-console", "webmaster-tools"] as const).map((provider) => stored(provider, name)),
  );
  return { observed, figures };
}

/** Attempts at a site's figures that health was not told of, or that it was told of and that are not there. */
function untold({ tower }: Pulled): number {
  return (
    tower.deps.store.raw
      .query<{ n: number }, []>(
        `WITH attempt AS (SELECT t.asset, t.provider || '.daily' AS capability, max(a.id) AS id FROM pull_attempt a
           JOIN pull_target t ON t.id = a.target WHERE t.asset <> '' GROUP BY 1, 2),
         told AS (SELECT h.asset, h.capability, s.latest_attempt FROM health_state s JOIN health_target h ON h.id = s.target
           WHERE h.asset <> '')
         SELECT count(*) AS n FROM attempt FULL JOIN told USING (asset, capability)
         WHERE latest_attempt IS NOT 'pull:' || id`,
      )
      .all()[0]?.n ?? 0
  );
}

/** A run whose process dies before its step of that number, counted from 0; says how many steps it took where it lives. */
async function runUntil({ tower }: Pulled, job: Job, dies: number): Promise<number> {
  const { deps } = tower;
  const dying = dyingAt(dies);
  const writer = writerOf(dying, deps.writer);
  const http: HttpClient = { request: dying.door((request) => deps.http.request(request)) };
  // What a process keeps in memory dies with it.
  const googleTokens = new GoogleTokens();
  const pulls = new Pulls({
    ...deps,
    paces: PROMPT_PACES,
    writer,
    http,
    googleTokens,
    onChanged: () => undefined,
  });
  const jobs = jobsOf({ ...deps, writer }, attemptsOfRun);
  const work = job === "sense" ? pulls.sense.bind(pulls) : pulls.webmasterTools.bind(pulls);
  const entry = { name: job, at: "0 0 * * *", recorded: true, work } as const;
  await Promise.race([jobs.runEntry(entry, "schedule"), dying.death]);
  return dying.steps;
}

const names = ["harbor.example", "orchard.example"];

async function steps(job: Job): Promise<readonly [number, unknown]> {
  const whole = await pulledTower({ world: pulledWorld(names) });
  const counted = await runUntil(whole, job, Number.POSITIVE_INFINITY);
  const stored = contents(whole);
  await whole.close();
  return [counted, stored];
}

test.each<Job>(["sense", "webmaster-tools"])("%s", async (job) => {
  const [counted, stored] = await steps(job);
  // The run's row and its end, a request and a write for each question, and those for tokens or for the list of sites.
  expect(counted).toBeGreaterThanOrEqual(8);
  for (let dies = 0; dies < counted; dies++) {
    const pulled = await pulledTower({ world: pulledWorld(names) });
    await runUntil(pulled, job, dies);
    expect([dies, untold(pulled)]).toEqual([dies, 0]);
    const { jobs } = pulled.tower.deps;
    await jobs.recover();
    const report = await pulled.run(job);
    expect([dies, report.outcome]).toEqual([dies, "done"]);
    expect(contents(pulled)).toEqual(stored);
    expect([untold(pulled), pulled.events()]).toEqual([0, []]);
    await pulled.close();
  }
});
