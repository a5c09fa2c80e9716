/** `/integrations/pauses` and disconnecting: what operators do to integrations, and take back. */

import { Problem } from "../../base/problem.ts";
import { readMoment } from "../../base/time.ts";
import { CAPABILITIES } from "../../health/catalogue.ts";
import { isPaused, listInForce, type Pause } from "../../health/pauses.ts";
import { type PauseBar, type PauseDeps, pauseAsked, resumeAsked } from "../../integrations/site_acts.ts";
import { PROVIDERS } from "../../providers/adapter.ts";
import { forgetDetachment } from "../../providers/properties.ts";
import { disconnect } from "../../signals/credential_changes.ts";
import { hasAsset, listSites } from "../../sites/sites.ts";
import type { PageGround } from "../ground.ts";
import { type Done, withNotice } from "../keyboard.tsx";
import { address, PAGE } from "../kit/address.tsx";
import { type Filled, Form, type Refused, RefusedNote, SelectField, TextField } from "../kit/field.tsx";
import { Go, Told } from "../kit/links.tsx";
import { Block, List, Pager, pageOf } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { get, mounted, post, type SignedInActor, typedInto, type Visit } from "../kit/route.ts";
import { actorWords } from "../kit/words.tsx";
import { Page } from "../layout.tsx";
import { ownPath, paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { labelOf, ResumeForm } from "./acts.tsx";

/** Pauses on one page. */
const PAGE_SIZE = 100;

/** Which of them are shown. */
const pausesAddress = address({ page: PAGE });

interface PausePageProps {
  /** Those in force, by site. */
  readonly pauses: readonly Pause[];
  /** The page of them. */
  readonly wanted: number;
  /** Ids of sites, for the field to offer. */
  readonly sites: readonly string[];
  /** What was typed and refused, or what a link fills in. */
  readonly filled: Filled;
  /** The page that the form was sent from. */
  readonly back: string | null;
}

/** Everything that is paused, and a form to pause more. */
function PausePage({ pauses, wanted, sites, filled, back }: PausePageProps) {
  const { items, paging } = pageOf(pauses, wanted, PAGE_SIZE);
  return (
    <Page title="Paused" current="integrations" still>
      <div class="head">
        <div>
          <h1>Paused</h1>
          <p>Paused sources are not pulled, and never shown as working.</p>
        </div>
        <div class="row">
          <Go to={paths.integrations} words="Integrations" />
        </div>
      </div>
      <RefusedNote errors={filled.errors} words="Nothing was paused. Check the highlighted field." />
      <Block heading="Paused now">
        <List
          of="Paused now"
          items={items}
          empty={<p>Nothing is paused.</p>}
          columns={[
            ["What", ({ capability }) => (capability === "" ? "All of the site" : labelOf(capability))],
            [
              "Site",
              ({ asset }) =>
                asset === "" ? (
                  "Every site"
                ) : (
                  <a class="wrap" href={paths.site(asset)}>
                    {asset}
                  </a>
                ),
              { label: false },
            ],
            ["Since", ({ pausedAt }) => <Moment at={pausedAt} />],
            ["By", ({ pausedBy }) => <Told class="wrap">{actorWords(pausedBy)}</Told>],
            ["Until", ({ until }) => (until === null ? "it is resumed" : <Moment at={until} />)],
            [
              "Action",
              (pause) => <ResumeForm {...pause} back={paths.pauses} />,
              { class: "act", unseen: true },
            ],
          ]}
        />
        <Pager
          paging={paging}
          what="pauses"
          href={(page) => `${paths.pauses}${pausesAddress.search({ page })}`}
        />
      </Block>
      <Block heading="Pause more">
        <Form action={paths.pauses} hidden={back === null ? {} : { to: back }} send="Pause">
          <SelectField
            name="capability"
            label="What"
            filled={filled}
            choices={[
              ["", "All of one site"],
              ...CAPABILITIES.filter(({ pausable }) => pausable).map(({ id, label }) => [id, label] as const),
            ]}
          />
          <TextField
            name="asset"
            label="Site"
            help="Its identifier. Empty: every site"
            filled={filled}
            list="sites"
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
          />
          <datalist id="sites">
            {sites.map((site) => (
              <option value={site} />
            ))}
          </datalist>
          <TextField
            name="until"
            label="Until (optional)"
            help="The day on which it ends by itself, at 00:00 UTC. Empty: until it is resumed"
            type="date"
            filled={filled}
            autocomplete="off"
          />
        </Form>
      </Block>
    </Page>
  );
}

function wayBack(form: URLSearchParams, otherwise: string): string {
  const to = form.get("to");
  if (to === null || to === "") return otherwise;
  const url = new URL(ownPath(to), "http://tower.invalid");
  url.searchParams.delete("done");
  return `${url.pathname}${url.search}`;
}

const EMPTY_PAUSE = { capability: "", asset: "", until: "" };
type TypedPause = typeof EMPTY_PAUSE;

/** `/integrations/pauses` and `/integrations/disconnection`: what operators do to integrations, and take back. */
export function integrationActs(deps: PageGround) {
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

type PauseVisit = Visit<SignedInActor, unknown, unknown, URLSearchParams, unknown>;

function page({ store: { db } }: PauseDeps, visit: PauseVisit, filled: Filled, status = 200): Response {
  const to = visit.form.get("to") ?? visit.search.get("to");
  return visit.page(
    <PausePage
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
function connectionIn({ store: { db } }: PauseDeps, form: URLSearchParams) {
  const asset = form.get("asset") ?? "";
  const provider = PROVIDERS.find((known) => known === form.get("provider"));
  if (provider === undefined)
    throw new Problem("broken-contract", `provider: must be one of ${PROVIDERS.join(", ")}.`);
  if (!hasAsset(db, asset))
    throw new Problem("broken-contract", "asset: there is no site with this identifier.");
  return { asset, provider };
}
