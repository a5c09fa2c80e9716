import type { ConstantsStore } from "../../constants/mod.ts";
import type { Db } from "../../db/mod.ts";
import { performAct } from "../../flags/mod.ts";
import { isProvider } from "../../provider/contract.ts";
import { assertConfirmed, type ConfirmDeps } from "../confirm/confirmed_form.tsx";
import { lookAtFile } from "../constants/look.ts";
import { withNotice } from "../cookies.ts";
import { flagHref, madeOf, type Outcome, outcomeText } from "../flags/mod.ts";
import { own } from "../kit/gates.ts";
import { mounted } from "../kit/route.ts";
import type { Visit } from "../kit/visit.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import type { SignedIn } from "../session.ts";
import { TunePage } from "./page.tsx";
import { changeRecord } from "./proposal.ts";
import { codebaseOfSite, metricOfSite, signalOfSite, subjectOfFlag, type TuneSubject } from "./subject.ts";
import { tryOn } from "./trial.ts";
import { tuningOf } from "./tuning.ts";

/** What tuning needs. */
export interface TuneDeps extends PageDeps, ConfirmDeps {
  readonly db: Db;
  readonly constants: ConstantsStore;
}

type TuneVisit = Pick<
  Visit<SignedIn, unknown, unknown, URLSearchParams, TuneSubject>,
  "request" | "who" | "search" | "form" | "found" | "actor" | "shell" | "now" | "page"
>;

/** `/flags/{id}/tune`, `/sites/{asset}/metrics/{metric}/tune`, `…/signals/{source}/{metric}/tune` and `…/codebase/tune`. */
export function tuneRoutes(deps: TuneDeps) {
  const { db } = deps;
  const ofFlag = { find: ({ id }: { readonly id: string }) => subjectOfFlag(db, id) };
  const ofMetric = {
    find: ({ asset, metric }: { readonly asset: string; readonly metric: string }) =>
      metricOfSite(db, asset, metric),
  };
  const ofSignal = {
    find: (of: { readonly asset: string; readonly source: string; readonly metric: string }) =>
      signalOfSite(db, of.asset, of.source, of.metric),
  };
  const ofCodebase = { find: ({ asset }: { readonly asset: string }) => codebaseOfSite(db, asset) };
  const show = (visit: TuneVisit) => showTuning(deps, visit);
  const save = (visit: TuneVisit) => saveTuning(deps, visit);
  return mounted(deps, [
    own.get(paths.tuneFlag, ofFlag, show),
    own.post(paths.tuneFlag, ofFlag, save),
    own.get(paths.tuneMetric, ofMetric, show),
    own.post(paths.tuneMetric, ofMetric, save),
    own.get(paths.tuneSignal, ofSignal, show),
    own.post(paths.tuneSignal, ofSignal, save),
    own.get(paths.tuneCodebase, ofCodebase, show),
    own.post(paths.tuneCodebase, ofCodebase, save),
  ]);
}

async function showTuning(deps: TuneDeps, visit: TuneVisit) {
  await lookAtFile(deps.constants);
  return page(deps, visit, visit.search);
}

async function saveTuning(deps: TuneDeps, visit: TuneVisit) {
  const { constants } = deps;
  const { form, found: subject, actor } = visit;
  // One metric is tuned without the password; a site's codebase rules are more of the constants document than that.
  if (subject.metric === null) await assertConfirmed(visit.request, deps, visit.who, form);
  await lookAtFile(constants);
  const { isRefused, change, changes: changed, digest, obstacle } = tuningOf(constants, subject, form);
  if (isRefused) return page(deps, visit, form);
  if (form.get("digest") !== digest || obstacle !== null) return page(deps, visit, form, 409);
  if (change === null) return page(deps, visit, form);
  const { asset, source, metric, flag } = subject;
  const changes = changeRecord(changed);
  let outcome: Outcome | undefined;
  const result = await constants.save(
    change.text,
    {
      author: actor.id,
      detail: { asset, ...(isProvider(source) && { source }), ...(metric !== null && { metric }), changes },
      also: (tx, version) => {
        if (flag === undefined) return;
        const text = `${changes}; constants version ${version}`;
        const tuned = performAct(tx, "tune", { id: flag.id, by: actor, now: visit.now, text });
        outcome = madeOf("tune", [tuned], visit.now);
      },
    },
    digest,
  );
  if (!result.ok) return page(deps, visit, form, 409);
  if (flag === undefined || outcome === undefined) return seeOther(withNotice(subject.action, "tuned"));
  return seeOther(flagHref(flag.id, {}, { told: outcomeText(outcome) }));
}

function page({ db, constants }: TuneDeps, visit: TuneVisit, sent: URLSearchParams, status?: number) {
  const tuning = tuningOf(constants, visit.found, sent);
  const trial = tryOn(db, tuning, visit.now);
  const hasConflict = status === 409 && tuning.obstacle === null;
  return visit.page(
    <TunePage shell={visit.shell} tuning={tuning} trial={trial} hasConflict={hasConflict} />,
    { status: status ?? (tuning.isRefused ? 422 : 200) },
  );
}
