import { hasAsset, listSites } from "../../assets/mod.ts";
import { disconnect } from "../../connections/mod.ts";
import { forgetDetachment } from "../../credentials/mod.ts";
import { isPaused, listInForce } from "../../health/mod.ts";
import { type PauseBar, type PauseDeps, pauseAsked, resumeAsked } from "../../integrations/mod.ts";
import { readMoment } from "../../lib/moment_text.ts";
import { Problem } from "../../platform/problem.ts";
import { PROVIDERS, type Provider } from "../../provider/contract.ts";
import type { Filled, Refused } from "../component/field.tsx";
import { type Done, withNotice } from "../cookies.ts";
import { typedInto } from "../form.ts";
import { get, mounted, post } from "../kit/route.ts";
import type { Visit } from "../kit/visit.ts";
import { ownPath } from "../own_path.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import { PausePage, pausesAddress } from "./pause_page.tsx";
import { labelOf } from "./paused_words.ts";
import { wayBack } from "./way_back.ts";

const EMPTY_PAUSE = { capability: "", asset: "", until: "" };
type TypedPause = typeof EMPTY_PAUSE;

/** `/integrations/pauses` and `/integrations/disconnection`: what operators do to integrations, and take back. */
export function integrationActs(deps: PageDeps & PauseDeps) {
  return mounted(deps, [
    get(paths.pauses, {}, (visit) =>
      page(deps, visit, { values: typedInto(visit.search, EMPTY_PAUSE), errors: {} }),
    ),
    post(paths.pauses, {}, async (visit) => {
      const { form, by, now } = visit;
      const values = typedInto(form, EMPTY_PAUSE);
      const until = untilOf(values.until, now);
      if (!until.ok) return refused(deps, visit, values, { until: until.words });
      const { capability, asset } = values;
      const result = await pauseAsked(deps, { capability, asset, until: until.at }, by);
      if (!result.ok) return refused(deps, visit, values, barWords(result.why, values));
      return done(form, "paused");
    }),
    post(paths.resumption, {}, async ({ form, by }) => {
      const { capability, asset } = typedInto(form, EMPTY_PAUSE);
      const ended = await resumeAsked(deps, { capability, asset }, by);
      // One integration of one site may be held by a pause of all of the site, or of all sites, too.
      const isHeld =
        capability !== "" && asset !== "" && isPaused(deps.store.db, { capability, asset }, by.now);
      return done(form, isHeld ? "still-paused" : ended ? "resumed" : "not-paused");
    }),
    post(paths.disconnection, {}, async ({ form, by }) => {
      const taken = await disconnect(deps, connectionIn(deps, form), by);
      return done(form, taken === undefined ? "not-connected" : "disconnected");
    }),
    post(paths.forgetting, {}, async ({ form, by }) => {
      const connection = connectionIn(deps, form);
      const forgotten = await forgetDetachment(deps, connection, by);
      if (forgotten === undefined) return done(form, "not-disconnected");
      return done(form, connection.provider === "webmaster-tools" ? "forgotten-listed" : "forgotten");
    }),
  ]);
}

/** Back to the page that the act was done on, which says what came of it. */
function done(form: URLSearchParams, what: Done): Response {
  return seeOther(withNotice(wayBack(form, paths.integrations), what));
}

type PauseVisit = Pick<
  Visit<{ readonly actor: null }, unknown, unknown, URLSearchParams, unknown>,
  "shell" | "page" | "now" | "form" | "search"
>;

function page({ store: { db } }: PauseDeps, visit: PauseVisit, filled: Filled, status = 200): Response {
  const to = visit.form.get("to") ?? visit.search.get("to");
  return visit.page(
    <PausePage
      shell={visit.shell}
      pauses={listInForce(db, visit.now)}
      wanted={pausesAddress.read(visit.search).page}
      sites={listSites(db).flatMap(({ id, lifecycle }) => (lifecycle === "retired" ? [] : [id]))}
      filled={filled}
      back={to === null ? null : ownPath(to)}
    />,
    { status },
  );
}

function refused(deps: PauseDeps, visit: PauseVisit, values: TypedPause, errors: Refused): Response {
  return page(deps, visit, { values, errors }, 422);
}

type Until =
  | { readonly ok: true; readonly at: number | null }
  | { readonly ok: false; readonly words: string };

/** When a pause ends by itself: null where nothing was typed. */
function untilOf(typed: string, now: number): Until {
  if (typed === "") return { ok: true, at: null };
  const at = readMoment(typed);
  if (at === undefined) return { ok: false, words: "Give a day, or a day and a time in UTC." };
  return at > now ? { ok: true, at } : { ok: false, words: "This moment is over. Give one that lies ahead." };
}

/** Why nothing was paused, at the field that says it. */
function barWords(why: PauseBar, { capability, asset }: TypedPause): Refused {
  switch (why) {
    case "nothing":
      return { asset: "Name a site, or choose what is paused on every site." };
    case "no_capability":
      return { capability: "There is no such capability." };
    case "not_pausable":
      return {
        capability: `${labelOf(capability)} cannot be paused by itself: only what Tower asks for by itself can be, or all of a site.`,
      };
    case "no_site":
      return { asset: "There is no site with this identifier." };
    case "retired":
      return { asset: `${asset} is retired: nothing of it is asked.` };
    case "own_site":
      return { asset: `${asset} is Tower's own site: nothing of it can be paused.` };
  }
}

/** The connection that a form names. Throws a `Problem` where it names none. */
function connectionIn(
  { store: { db } }: PauseDeps,
  form: URLSearchParams,
): { readonly asset: string; readonly provider: Provider } {
  const asset = form.get("asset") ?? "";
  const provider = PROVIDERS.find((known) => known === form.get("provider"));
  if (provider === undefined)
    throw new Problem("broken-contract", `provider: must be one of ${PROVIDERS.join(", ")}.`);
  if (!hasAsset(db, asset))
    throw new Problem("broken-contract", "asset: there is no site with this identifier.");
  return { asset, provider };
}
