/** Runs of each job on the page of all jobs. */

import { Problem } from "../../base/problem.ts";
import type { NamedStretch } from "../../signals/attempt_list.ts";
import { listRuns } from "../../store/job_runs.ts";
import type { Safe } from "../jsx/safe.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { instantsOf } from "../kit/address.tsx";
import { get, mounted, post, unwatched } from "../kit/route.ts";
import { ownPath, paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { runAddress } from "./attempts_table.tsx";
import { AttemptsPage, attemptsAddress, RunFacts, RunPage } from "./run_page.tsx";
import { JobRunsPage, RunningJobs, RunsPage, runsAddress } from "./runs_page.tsx";
import { attemptsView, findJob, findRunView, heldView, jobViews, type RunsDeps } from "./runs_view.ts";

const LAST_RUNS = 8;
const PAGE_SIZE = 50;
const MOST_HELD = 50;

/** `/integrations/runs`, one run below it, and `/integrations/attempts`. */
export function runRoutes(deps: PageDeps & RunsDeps) {
  const { db, jobs } = deps;
  return mounted(deps, [
    get(paths.runs, { query: runsAddress }, ({ request, query, now, wants, part }) => {
      if (wants("jobs")) return part(<RunningJobs jobs={jobViews(deps, now, LAST_RUNS)} />);
      const { job, before } = query;
      if (job === null) {
        return (
          <RunsPage
            jobs={jobViews(deps, now, LAST_RUNS)}
            {...heldView(db, now, MOST_HELD)}
            unwatched={unwatched(request, db, now).filter(({ kind }) => kind === "job")}
          />
        );
      }
      const found = listRuns(db, job, PAGE_SIZE + 1, before ?? undefined);
      return (
        <JobRunsPage
          job={job}
          before={before}
          runs={found.slice(0, PAGE_SIZE)}
          hasMore={found.length > PAGE_SIZE}
        />
      );
    }),
    get(
      paths.run,
      { query: runAddress, find: ({ run }) => findRunView(deps, run) ?? noRun() },
      ({ found, query, wants, part }) => {
        if (wants("run")) return part(<RunFacts {...found} />);
        return shown(attemptsView(db, query, { run: found.run.id }, PAGE_SIZE), (listed) => (
          <RunPage {...found} query={query} {...listed} />
        ));
      },
    ),
    post(paths.stopRun, { find: ({ run }) => findRunView(deps, run) ?? noRun() }, async ({ found, by }) => {
      const isStopped = await jobs.cancel(found.run.run, by);
      return seeOther(withNotice(paths.run(found.run.run), isStopped ? "run-stopping" : "run-over"));
    }),
    post(
      paths.runJob,
      { find: ({ job }) => findJob(jobs, job) ?? noJob() },
      async ({ found, actor, form }) => {
        const { isNew } = await jobs.start(found.name, `operator:${actor.name}`);
        const to = form.has("to") ? ownPath(form.get("to")) : paths.runs;
        return seeOther(withNotice(to, isNew ? "job-begun" : "job-busy"));
      },
    ),
    get(paths.attempts, { query: attemptsAddress }, ({ query }) => {
      const { from, until } = instantsOf(query);
      const of = { job: query.job ?? undefined, from: from ?? undefined, to: until ?? undefined };
      return shown(attemptsView(db, query, of, PAGE_SIZE), (listed) => (
        <AttemptsPage query={query} {...listed} />
      ));
    }),
  ]);
}

/** A page of attempts: at one moment where they are found at once, which they are unless few are looked for among very many. */
function shown(
  found: NamedStretch | Promise<NamedStretch>,
  page: (listed: NamedStretch) => Safe,
): Safe | Promise<Safe> {
  return found instanceof Promise ? found.then(page) : page(found);
}

function noRun(): never {
  throw new Problem("not-found", "No such run.");
}

function noJob(): never {
  throw new Problem("not-found", "No such job.");
}
