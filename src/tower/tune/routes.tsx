import { Elysia } from "elysia";
import { findAsset } from "../../assets/mod.ts";
import { type ConstantsKeeper, lineDifference, parseConstants } from "../../constants/mod.ts";
import type { Db, Tx } from "../../db/mod.ts";
import { findFlag, recordTune } from "../../flags/mod.ts";
import type { Actor } from "../../platform/access.ts";
import { Problem } from "../../platform/problem.ts";
import { findFirstDay } from "../../pulse/mod.ts";
import { type ConfirmDeps, confirmedForm } from "../confirm/confirmed_form.tsx";
import { lookAtFile } from "../constants/look.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { htmlPage, seeOther } from "../respond.ts";
import { siteCodebaseThresholds } from "./codebase_thresholds.ts";
import { hasNoTable, metricThresholds } from "./metric_thresholds.ts";
import { TunePage, type TunePageProps } from "./page.tsx";
import { codebaseSubject, metricSubject, subjectOfFlag, type TuneSubject } from "./subject.ts";
import { changeRecord, type Proposal, propose, type Threshold, typedValues } from "./threshold.ts";
import { type Sides, tryCodebase, tryMetric } from "./trial.ts";

/** What tuning needs. */
export interface TuneDeps extends PageDeps, ConfirmDeps {
  readonly db: Db;
  readonly constants: ConstantsKeeper;
}

/** `/flags/{id}/tune`, `/sites/{asset}/metrics/{metric}/tune` and `/sites/{asset}/codebase/tune`. */
export function tuneRoutes(deps: TuneDeps) {
  return new Elysia({ name: "tune" })
    .get("/flags/:id/tune", ({ request, params: { id } }) => show(request, deps, (db) => ofFlag(db, id)))
    .post("/flags/:id/tune", ({ request, params: { id } }) => save(request, deps, (db) => ofFlag(db, id)), {
      parse: "none",
    })
    .get("/sites/:asset/metrics/:metric/tune", ({ request, params: { asset, metric } }) =>
      show(request, deps, (db) => ofMetric(db, asset, metric)),
    )
    .post(
      "/sites/:asset/metrics/:metric/tune",
      ({ request, params: { asset, metric } }) => save(request, deps, (db) => ofMetric(db, asset, metric)),
      { parse: "none" },
    )
    .get("/sites/:asset/codebase/tune", ({ request, params: { asset } }) =>
      show(request, deps, (db) => ofCodebase(db, asset)),
    )
    .post(
      "/sites/:asset/codebase/tune",
      ({ request, params: { asset } }) => save(request, deps, (db) => ofCodebase(db, asset)),
      { parse: "none" },
    );
}

function ofFlag(db: Db, id: string): TuneSubject {
  const flag = findFlag(db, id);
  if (flag === undefined) throw new Problem("not-found", "No such flag.");
  const subject = subjectOfFlag(flag);
  if (subject === undefined)
    throw new Problem("not-found", "The rule of this flag has no thresholds to tune.");
  return subject;
}

function ofMetric(db: Db, asset: string, metric: string): TuneSubject {
  if (findFirstDay(db, asset, metric) === undefined) {
    throw new Problem("not-found", "This site never reported such a metric.");
  }
  return metricSubject(asset, metric);
}

function ofCodebase(db: Db, asset: string): TuneSubject {
  if (findAsset(db, asset) === undefined) throw new Problem("not-found", "No such site.");
  return codebaseSubject(asset);
}

type SubjectOf = (db: Db) => TuneSubject;

async function show(request: Request, deps: TuneDeps, subjectOf: SubjectOf): Promise<Response> {
  const actor = deps.access.page(request);
  const subject = subjectOf(deps.db);
  await lookAtFile(deps.constants);
  const tuning = tuningOf(deps, subject, new URL(request.url).searchParams);
  return page(request, deps, actor, tuning, tuning.proposal.ok ? 200 : 422);
}

async function save(request: Request, deps: TuneDeps, subjectOf: SubjectOf): Promise<Response> {
  deps.access.page(request);
  const subject = subjectOf(deps.db);
  // One metric is tuned without it; a site's codebase rules are more of the constants document than that.
  const { actor, form } = await confirmedForm(request, deps, { isAct: () => subject.kind === "codebase" });
  await lookAtFile(deps.constants);
  const tuning = tuningOf(deps, subject, form);
  const { proposal, document } = tuning;
  if (!proposal.ok) return page(request, deps, actor, tuning, 422);
  if (form.get("digest") !== document.digest) return page(request, deps, actor, tuning, 409);
  if (tuning.obstacle !== null || proposal.text === document.text) {
    return page(request, deps, actor, tuning, tuning.obstacle === null ? 200 : 409);
  }
  const changes = changeRecord(proposal.changes);
  const { asset, flag } = subject;
  const result = await deps.constants.save(
    proposal.text,
    {
      author: actor.id,
      detail: { asset, ...(subject.kind === "metric" ? { metric: subject.metric } : {}), changes },
      also: (tx, version) => {
        if (flag !== undefined)
          markTuned(tx, deps, actor, flag.id, `${changes}; constants version ${version}`);
      },
    },
    document.digest,
  );
  if (!result.ok) return page(request, deps, actor, tuningOf(deps, subject, form), 409);
  const back = flag === undefined ? subject.action : `${paths.flags}/${encodeURIComponent(flag.id)}`;
  return seeOther(`${back}?done=tuned`);
}

function markTuned(tx: Tx, deps: TuneDeps, actor: Actor, id: string, text: string): void {
  recordTune(tx, { id, by: actor, now: deps.clock.now(), text });
}

interface Tuning {
  readonly subject: TuneSubject;
  readonly document: { readonly text: string; readonly digest: string };
  readonly thresholds: readonly Threshold[];
  readonly typed: Readonly<Record<string, string>>;
  readonly proposal: Proposal;
  readonly obstacle: TunePageProps["obstacle"];
}

/** What was typed, against the document as it is on disk. */
function tuningOf({ constants }: TuneDeps, subject: TuneSubject, form: URLSearchParams): Tuning {
  const document = constants.document();
  const inEffect = constants.current().constants;
  const thresholds =
    subject.kind === "metric"
      ? metricThresholds(inEffect, subject.asset, subject.metric)
      : siteCodebaseThresholds(inEffect, subject.asset, subject.rules);
  const typed = typedValues(thresholds, form);
  const common = { subject, document, thresholds, typed };
  const obstacle = obstacleOf(constants, subject);
  if (obstacle !== null)
    return { ...common, obstacle, proposal: { ok: true, text: document.text, changes: [] } };
  return { ...common, obstacle, proposal: propose(document.text, thresholds, typed) };
}

function obstacleOf(constants: ConstantsKeeper, subject: TuneSubject): Tuning["obstacle"] {
  if (subject.kind === "metric" && hasNoTable(subject.metric)) return "no-table";
  return constants.problem === undefined ? null : "broken-document";
}

function page(
  request: Request,
  deps: TuneDeps,
  actor: Actor,
  { subject, document, thresholds, typed, proposal, obstacle }: Tuning,
  status: number,
): Response {
  const trial = tried(deps, subject, sidesOf(deps.constants, proposal));
  const isPending = proposal.ok && proposal.text !== document.text;
  const { flag } = subject;
  return htmlPage(
    request,
    <TunePage
      shell={deps.shellFor(request, actor)}
      asset={subject.asset}
      metric={subject.kind === "metric" ? subject.metric : null}
      flag={flag === undefined ? undefined : { id: flag.id, message: flag.message }}
      action={subject.action}
      thresholds={thresholds}
      filled={{ values: typed, errors: proposal.ok ? {} : proposal.errors }}
      sentences={trial.sentences}
      history={trial.history}
      change={
        isPending ? { hunks: lineDifference(document.text, proposal.text), digest: document.digest } : null
      }
      obstacle={obstacle}
      hasConflict={status === 409 && obstacle === null}
    />,
    { status, noStore: request.method === "POST" },
  );
}

function sidesOf(constants: ConstantsKeeper, proposal: Proposal): Sides {
  const inEffect = constants.current().constants;
  if (!proposal.ok || proposal.changes.length === 0) return { inEffect, proposed: undefined };
  const parsed = parseConstants(proposal.text);
  if (!parsed.ok) return { inEffect, proposed: undefined };
  return { inEffect, proposed: { constants: parsed.constants, changes: proposal.changes } };
}

function tried(deps: TuneDeps, subject: TuneSubject, sides: Sides) {
  const now = deps.clock.now();
  return subject.kind === "metric"
    ? tryMetric(deps.db, subject, sides, now)
    : tryCodebase(deps.db, subject, sides, now);
}
