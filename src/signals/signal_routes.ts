/** The read API of daily figures, of attempts (the run records) and of search result panels. */

import { Elysia } from "elysia";
import { listEndpoint, type ReadDeps } from "../access/access.ts";
import {
  assetId,
  count,
  date,
  instant,
  object,
  orNull,
  ref,
  revision,
  text,
} from "../base/api_description.ts";
import { Semaphore } from "../base/concurrency.ts";
import { Problem } from "../base/problem.ts";
import { anyText, DAYS, instantsOf, ListQuery, ofSite, oneOf, pageAnswer } from "../base/query.ts";
import { dayNumber, dayOfNumber, formatInstant, parseUtcDay } from "../base/time.ts";
import { ACCOUNT_PROVIDERS, PROVIDERS, type Provider, SIGNAL_METRICS } from "../providers/adapter.ts";
import { FAILURE_CATEGORIES } from "../providers/faults.ts";
import { hasAsset } from "../sites/sites.ts";
import { findRun } from "../store/job_runs.ts";
import { type NamedAttempt, namedAttempts } from "./attempt_list.ts";
import { PULL_OUTCOMES } from "./attempts.ts";
import { DEVICES, listRuns, PANEL_OUTCOMES, type PanelRun } from "./panels.ts";
import { type ListedSignal, listSignals, type SignalPlace } from "./signal_list.ts";

const METRICS = [...new Set(Object.values(SIGNAL_METRICS).flat())];

const SIGNAL = object({
  asset: assetId,
  source: { type: "string", enum: PROVIDERS },
  metric: { type: "string", enum: METRICS },
  date: { ...date, description: "A day of the provider's own calendar." },
  time_zone: {
    ...orNull(text),
    description: "The time zone of that calendar; null where the provider does not tell it.",
  },
  value: {
    ...orNull({ type: "number" }),
    description: "Null where there is none: a day that is missing has no 0.",
  },
  state: {
    type: "string",
    enum: ["final", "provisional", "missing", "excluded"],
    description:
      "`provisional` days may still change by themselves; `excluded` ones were distorted by a change of the property's time zone.",
  },
  basis: {
    ...orNull({ type: "string", enum: ["reported", "omitted"] }),
    description:
      "`omitted`: the day is settled and the provider left it out of a whole answer, so that its counts are 0.",
  },
  observed_at: {
    ...orNull(instant),
    description: "When it was told as it stands here; null where nothing was ever told of the day.",
  },
  revision: {
    ...orNull(revision),
    description: "Counts the values that the day had, from 1; that a day settles is no revision.",
  },
  property: { ...text, description: "The provider's own id of the property." },
});

const EXAMPLE = {
  asset: "shop.example",
  source: "analytics",
  metric: "active_users",
  date: "2026-11-17",
  time_zone: "Europe/Paris",
  value: 131,
  state: "final",
  basis: "reported",
  observed_at: "2026-11-19T00:15:02.118Z",
  revision: 3,
  property: "300000001",
};

/** What a list of signals may be narrowed to. */
const FILTERS = {
  asset: ofSite("The site again: with another one the list is empty."),
  provider: oneOf(PROVIDERS, "One provider."),
  metric: oneOf(METRICS, "One figure."),
  revisions: oneOf(["all", "current"], "`all` shows values that others took the place of, too."),
  ...DAYS,
} as const;

export const LIST_SIGNALS = listEndpoint({
  id: "listSignals",
  path: "/api/assets/:asset/signals",
  summary: "List the provider signals of a site",
  description:
    "The daily figures that were pulled for a site, the newest day first. A day inside an answered range of which the provider told nothing is `missing`; days outside are left out.",
  segments: { asset: { schema: assetId, description: "The site." } },
  filters: FILTERS,
  row: SIGNAL,
  example: EXAMPLE,
  refuses: ["not-found"],
});

/** Lists made at once: each reads some megabytes of observations. */
const turns = new Semaphore(2);

/** `GET /api/assets/{asset}/signals`. */
export function signalReads({ db, authorizeRead }: ReadDeps) {
  return new Elysia().get(LIST_SIGNALS.path, ({ request, params: { asset } }) => {
    authorizeRead(request);
    if (!hasAsset(db, asset)) throw new Problem("not-found", "No such site.");
    const query = new ListQuery(request, FILTERS);
    const [from, to] = [query.value("from"), query.value("to")];
    const filter = {
      asset,
      provider: query.value("provider"),
      metric: query.value("metric"),
      from: from === undefined ? undefined : dayNumber(from),
      to: to === undefined ? undefined : dayNumber(to),
      allRevisions: query.value("revisions") === "all",
    };
    const after = placeOf(query.cursor(["string", "string", "string", "number"] as const));
    const isOther = (query.value("asset") ?? asset) !== asset;
    return turns.run(async () => {
      const rows = isOther ? [] : await someOf(listSignals(db, filter, query.limit, after), query.limit + 1);
      return pageAnswer(rows, {
        query,
        toText: (row) => JSON.stringify(answerOf(asset, row)),
        cursorOf: ({ day, source, metric, revision }) => [dayOfNumber(day), source, metric, revision ?? 0],
      });
    });
  });
}

/** So many rows, with others at work in between. */
async function someOf(rows: Generator<ListedSignal | undefined>, most: number) {
  const some: ListedSignal[] = [];
  for (const row of rows) {
    if (row === undefined) await Bun.sleep(0);
    else if (some.push(row) === most) break;
  }
  return some;
}

/** Where a list goes on; from its beginning where the cursor is none of ours. */
function placeOf(cursor: readonly [string, string, string, number] | undefined): SignalPlace | undefined {
  if (cursor === undefined) return undefined;
  const [date, source, metric, revision] = cursor;
  const day = parseUtcDay(date);
  if (day === undefined || !PROVIDERS.some((known) => known === source)) return undefined;
  return { day: dayNumber(day), source: source as Provider, metric, revision };
}

function answerOf(asset: string, row: ListedSignal): Readonly<Record<string, unknown>> {
  const { source, metric, day, timeZone, value, state, basis, observedAt, revision, property } = row;
  return {
    asset,
    source,
    metric,
    date: dayOfNumber(day),
    time_zone: timeZone === "" ? null : timeZone,
    value,
    state,
    basis,
    observed_at: observedAt === null ? null : formatInstant(observedAt),
    revision,
    property,
  };
}

// The read API of attempts: the run records.

const RUN_RECORD = object({
  id: { ...count, description: "Later attempts have greater ones." },
  run: { ...text, description: "The run of the job, as `job run` prints it." },
  job: text,
  provider: { type: "string", enum: ACCOUNT_PROVIDERS },
  asset: {
    ...orNull(assetId),
    description: "Null for a question about everything that a connection gives access to.",
  },
  connection_revision: { ...text, description: "Opaque: another one with every new secret of a credential." },
  started_at: instant,
  finished_at: instant,
  outcome: { type: "string", enum: PULL_OUTCOMES },
  category: {
    ...orNull({ type: "string", enum: FAILURE_CATEGORIES }),
    description: "Null where it did not fail.",
  },
  next_retry_at: {
    ...orNull(instant),
    description: "Before this moment it is not asked again; null where nothing holds it.",
  },
  requests: { ...count, description: "Requests sent, those for a token and repeated ones too." },
  changed: { ...count, description: "Values that became other ones: a day's figure counts as one." },
});

const RUN_EXAMPLE = {
  id: 184_201,
  run: "019aa5f2-64c8-7e51-9d3e-0c8b5b7f6a10",
  job: "sense",
  provider: "analytics",
  asset: "shop.example",
  connection_revision: "5b0f2d1c-7b1e-4a83-9c55-d2a4c4f0e6b7",
  started_at: "2026-11-21T02:15:00.118Z",
  finished_at: "2026-11-21T02:15:00.391Z",
  outcome: "changed",
  category: null,
  next_retry_at: null,
  requests: 1,
  changed: 4,
};

export const LIST_RUNS = listEndpoint({
  id: "listRuns",
  path: "/api/runs",
  summary: "List run records",
  description:
    "One row for every attempt to pull something, the newest first, kept for good. A page may hold fewer rows than `limit`, or none, and still have a `next`: looking for few among very many goes only so far in one answer.",
  filters: {
    asset: ofSite("One site."),
    provider: oneOf(ACCOUNT_PROVIDERS, "One provider."),
    job: anyText("One job, such as `sense`."),
    run: anyText("One run of a job."),
    outcome: oneOf(PULL_OUTCOMES, "One outcome."),
    category: oneOf(FAILURE_CATEGORIES, "One category of failure."),
    ...DAYS,
  },
  row: ref("RunRecord"),
  example: RUN_EXAMPLE,
  shapes: { RunRecord: RUN_RECORD },
});

/** `GET /api/runs`: one row an attempt, newest first. */
export function runReads({ db, authorizeRead }: ReadDeps) {
  return new Elysia().get(LIST_RUNS.path, async ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, LIST_RUNS.filters);
    const [before] = query.cursor(["number"] as const) ?? [];
    const { limit } = query;
    const { run, ...narrowed } = query.values();
    const wanted = {
      ...narrowed,
      // No run has the row 0.
      run: run === undefined ? undefined : (findRun(db, run)?.id ?? 0),
      ...instantsOf(query),
    };
    const { rows: attempts, next } = await namedAttempts(db, wanted, { limit: limit + 1, before });
    return pageAnswer(attempts, {
      query,
      toText: (attempt) => JSON.stringify(recordOf(attempt)),
      cursorOf: ({ id }) => [id],
      goesOn: next === undefined || attempts.length > limit ? undefined : [next],
    });
  });
}

function recordOf(attempt: NamedAttempt) {
  const { target } = attempt;
  return {
    id: attempt.id,
    run: attempt.run,
    job: attempt.job,
    provider: target?.provider ?? null,
    asset: target === undefined || target.asset === "" ? null : target.asset,
    connection_revision: target?.connectionRevision ?? null,
    started_at: formatInstant(attempt.startedAt),
    finished_at: formatInstant(attempt.startedAt + attempt.tookMs),
    outcome: attempt.outcome,
    category: attempt.category,
    next_retry_at: attempt.nextRetryAt === null ? null : formatInstant(attempt.nextRetryAt),
    requests: attempt.requests,
    changed: attempt.changed,
  };
}

// The read API of search result panels.

const RUN = object({
  id: count,
  panel: { ...text, description: "Its id, as `panel list` prints it." },
  keyword: text,
  location: { ...count, description: "The provider's code of the place." },
  language: text,
  device: { type: "string", enum: DEVICES },
  depth: { ...count, description: "How many results are looked through." },
  run_at: instant,
  outcome: { type: "string", enum: PANEL_OUTCOMES },
  position: { ...orNull(count), description: "The rank among organic results; null unless found." },
  rank_absolute: { ...orNull(count), description: "The rank among all that the page shows." },
  url: orNull(text),
  cost: {
    ...orNull({ type: "number", minimum: 0 }),
    description: "The provider's own decimal; null where it is not known, and the price counts as spent.",
  },
  currency: { type: "string", enum: ["USD"] },
  task: { ...orNull(text), description: "The provider's id of the question." },
});

const EXAMPLE_PANEL = { keyword: "red shoes", location: 2840, language: "en", device: "desktop", depth: 20 };
const EXAMPLE_FOUND = { outcome: "found", position: 4, rank_absolute: 7, url: "https://shop.example/red" };
const PANEL_EXAMPLE = {
  ...{ id: 412, panel: "019aa5f2-64c8-4e51-9d3e-0c8b5b7f6a10", ...EXAMPLE_PANEL },
  ...{ run_at: "2026-11-21T02:25:00.118Z", ...EXAMPLE_FOUND },
  ...{ cost: 0.0035, currency: "USD", task: "11210225-1535-0139-0000-5f4b5c1e8a07" },
};

export const LIST_PANEL_RUNS = listEndpoint({
  id: "listPanelRuns",
  path: "/api/assets/:asset/panels",
  summary: "List the results of a site's search result panels",
  description:
    "One row for each run of each panel, the newest first: points in time in one place, language and device.",
  segments: { asset: { schema: assetId, description: "The site." } },
  filters: { panel: anyText("One panel."), outcome: oneOf(PANEL_OUTCOMES, "One outcome."), ...DAYS },
  row: RUN,
  example: PANEL_EXAMPLE,
  refuses: ["not-found"],
});

/** `GET /api/assets/{asset}/panels`. */
export function panelReads({ db, authorizeRead }: ReadDeps) {
  return new Elysia().get(LIST_PANEL_RUNS.path, ({ request, params: { asset } }) => {
    authorizeRead(request);
    if (!hasAsset(db, asset)) throw new Problem("not-found", "No such site.");
    const query = new ListQuery(request, LIST_PANEL_RUNS.filters);
    const [before] = query.cursor(["number"] as const) ?? [];
    const wanted = { ...query.values(), ...instantsOf(query) };
    return pageAnswer(listRuns(db, { asset, before, ...wanted }, query.limit + 1), {
      query,
      toText: (run) => JSON.stringify(panelRunOf(run)),
      cursorOf: ({ run }) => [run.id],
    });
  });
}

function panelRunOf({ run, panel, result }: PanelRun) {
  const { keyword, location, language, device, depth } = panel;
  const { outcome = "failed", position = null, rank_absolute = null, url = null } = result ?? {};
  const cost = typeof result?.cost === "string" ? Number(result.cost) : null;
  return {
    ...{ id: run.id, panel: run.panel, keyword, location, language, device, depth },
    ...{ run_at: formatInstant(run.asked_at), outcome, position, rank_absolute, url },
    ...{ cost, currency: "USD", task: result?.task ?? null },
  };
}
