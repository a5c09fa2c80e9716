import { Elysia } from "elysia";
import { addAsset, findAsset, issueSiteToken, NewAssetSchema, type SiteTokenBook } from "../../assets/mod.ts";
import { findLatest } from "../../codebase/mod.ts";
import { readContract } from "../../lib/contract.ts";
import { Problem } from "../../platform/problem.ts";
import { findLatestPulse } from "../../pulse/mod.ts";
import { listRefused, type RefusedReports } from "../../refusals/mod.ts";
import { type ConfirmDeps, confirmedForm } from "../confirm/confirmed_form.tsx";
import { refusedFields, typedInto } from "../form.ts";
import type { PageDeps } from "../page_deps.ts";
import { htmlFragment, htmlPage } from "../respond.ts";
import type { Destination } from "../sending/commands.ts";
import { FirstReport, type FirstReportState } from "./first_report.tsx";
import { AddSitePage, EMPTY_SITE, SiteAddedPage } from "./page.tsx";

/** What adding a site needs. */
export interface AddSiteDeps extends PageDeps, ConfirmDeps {
  readonly siteTokens: SiteTokenBook;
  readonly refusals: RefusedReports;
  readonly destinationOf: (asset: string) => Destination;
}

/** `/sites/new`, the form's target, and the fragment that waits for the first report. */
export function addSiteRoutes(deps: AddSiteDeps) {
  return new Elysia({ name: "add-site" })
    .get("/sites/new", ({ request }) => {
      const actor = deps.access.page(request);
      return htmlPage(
        request,
        <AddSitePage shell={deps.shellFor(request, actor)} filled={{ values: EMPTY_SITE, errors: {} }} />,
      );
    })
    .post("/sites", ({ request }) => add(request, deps), { parse: "none" })
    .get("/sites/:asset/first-report", ({ request, params: { asset } }) => {
      deps.access.page(request);
      if (findAsset(deps.store.db, asset) === undefined) throw new Problem("not-found", "No such site.");
      const now = deps.clock.now();
      return htmlFragment(request, <FirstReport asset={asset} heard={heardOf(deps, asset, now)} now={now} />);
    });
}

async function add(request: Request, deps: AddSiteDeps): Promise<Response> {
  const { actor, form } = await confirmedForm(request, deps);
  const values = typedInto(form, EMPTY_SITE);
  const shell = deps.shellFor(request, actor);
  const judged = readContract(NewAssetSchema, {
    id: values.id,
    url: values.url === "" ? null : values.url,
    lifecycle: values.lifecycle,
    families: familiesOf(values.families),
  });
  const errors = judged.ok ? {} : refusedFields(judged.errors, { families: "Each line" });
  if (judged.ok && findAsset(deps.store.db, values.id) !== undefined) {
    errors["id"] = "A site with this identifier is in the portfolio.";
  }
  if (!judged.ok || errors["id"] !== undefined) {
    return htmlPage(request, <AddSitePage shell={shell} filled={{ values, errors }} />, { status: 422 });
  }
  const by = { actor: actor.id, now: deps.clock.now() };
  // The site is new: nothing is held about it that retiring could end.
  await addAsset(deps.writer, judged.value, { ...by, onRetired: () => {} });
  const { token } = await issueSiteToken(deps, values.id, by);
  return htmlPage(
    request,
    <SiteAddedPage
      shell={shell}
      url={judged.value.url}
      lifecycle={judged.value.lifecycle}
      destination={{ ...deps.destinationOf(values.id), token }}
      heard={{ state: "waiting", rejected: null }}
    />,
    { noStore: true },
  );
}

function familiesOf(text: string): { family: string; storage: string }[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const cut = line.lastIndexOf("=");
      return {
        family: cut < 0 ? line : line.slice(0, cut).trim(),
        storage: cut < 0 ? "" : line.slice(cut + 1).trim(),
      };
    });
}

function heardOf(deps: AddSiteDeps, asset: string, now: number): FirstReportState {
  const codebase = findLatest(deps.store.db, asset, now);
  if (codebase !== undefined) {
    const { receivedAt, date, revision, measures } = codebase;
    return {
      state: "received",
      report: "codebase",
      receivedAt,
      date,
      revision,
      values: Object.keys(measures).length,
    };
  }
  const nightly = findLatestPulse(deps.store.db, asset, now);
  if (nightly !== undefined) {
    const { receivedAt, date, revision, metrics } = nightly;
    return { state: "received", report: "nightly", receivedAt, date, revision, values: metrics };
  }
  const rejected = deps.refusals.findLatest(asset) ?? listRefused(deps.store.db, asset)[0];
  return { state: "waiting", rejected: rejected ?? null };
}
