/** `/sites/new`, and the page of a site's first report. */

import { inTurn } from "../../base/concurrency.ts";
import { isAssetId, readContract } from "../../base/contract.ts";
import { orNotFound } from "../../base/problem.ts";
import { countWords as countOf } from "../../base/text.ts";
import type { UtcDay } from "../../base/time.ts";
import { listRefused, type RefusedReport } from "../../health/refusals.ts";
import { findLatest } from "../../reports/codebase.ts";
import { findLatestPulse } from "../../reports/pulse.ts";
import { addAsset } from "../../sites/site_changes.ts";
import { issueSiteToken } from "../../sites/site_tokens.ts";
import { findAsset, type LIFECYCLES, listGroups, listSites, NewAssetSchema } from "../../sites/sites.ts";
import type { FreshToken, TokenHolder } from "../fresh_tokens.ts";
import type { PageGround } from "../ground.ts";
import { confirmed } from "../kit/confirmed_form.tsx";
import { Act, type Filled, Form, type Refused, RefusedNote, ShownOnce, TextField } from "../kit/field.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { HelpLink, Told } from "../kit/links.tsx";
import { Clock, Day } from "../kit/proof.tsx";
import { get, mounted, own, refusedFields, typedInto, type Visit } from "../kit/route.ts";
import { LIFECYCLE_WORDS } from "../kit/site_state.tsx";
import { Callout } from "../kit/words.tsx";
import { Live, Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { siteTokenRows } from "../settings/token_list.tsx";
import { whyWords } from "../site/latest_nightly.tsx";
import { AddressField, GroupField, LifecycleField, webAddress } from "../site/settings_routes.tsx";
import { CodebaseWays, type Destination, EveryNight, IngestNote, TryNightly } from "../site/ways.tsx";

/** The validation of a new site's form. Pure. */

export const EMPTY_SITE = { id: "", url: "", group: "", lifecycle: "live" };
type TypedSite = typeof EMPTY_SITE;

/** Fields of the form that keep their space as it was sent. */
const AS_SENT = ["lifecycle"] as const;

/** Validates a form; `known` are the identifiers of the portfolio. */
export function judgeSite(typed: TypedSite, known: readonly string[]) {
  const judged = readContract(NewAssetSchema, {
    id: typed.id,
    url: typed.url === "" ? null : webAddress(typed.url),
    group: typed.group === "" ? null : typed.group,
    lifecycle: typed.lifecycle,
    families: [],
  });
  const refused: Refused = judged.ok ? {} : refusedFields(judged.errors);
  const errors: Refused = {
    id: wrongIdentifier(typed.id, known),
    url: refused["url"],
    group: refused["group"],
    lifecycle: refused["lifecycle"],
  };
  if (judged.ok && Object.values(errors).every((error) => error === undefined)) return judged;
  return { ok: false, errors } as const;
}

function wrongIdentifier(id: string, known: readonly string[]): string | undefined {
  if (id === "") return "Give an identifier, for example shop.example.";
  if (known.includes(id)) return "This site exists already.";
  const like = known.find((other) => other.toLowerCase() === id.toLowerCase());
  if (like !== undefined) return `${like} exists already. Use a name that differs in more than capitals.`;
  if (id.includes("/")) return "Leave out https:// and slashes, for example shop.example.";
  if (id.length > 128) return "Use at most 128 characters.";
  if (id === "new") return "Not new: /sites/new is this page. Use for example new.example.";
  if (isAssetId(id)) return undefined;
  if (/\s/.test(id)) return "No spaces. Use letters, digits, dots, underscores or hyphens.";
  return "Start with a letter or digit. Use letters, digits, dots, underscores or hyphens.";
}

/** The form, empty or with its refused values. Families are declared in the site's settings. */
function AddSitePage({ filled, groups }: { readonly filled: Filled; readonly groups: readonly string[] }) {
  return (
    <Page title="Add a site" current="sites" still>
      <div class="narrow stack">
        <div class="stack tight">
          <p class="crumb">
            <a href={paths.portfolio}>Sites</a> / new
          </p>
          <h1>Add a site</h1>
          <HelpLink to={paths.helpPage("sending")} about="sending reports" />
        </div>
        <RefusedNote errors={filled.errors} words="Couldn't add the site. Check the highlighted field." />
        <Form action={paths.sites}>
          <TextField
            name="id"
            label="Site identifier"
            help="For example shop.example. It cannot be changed later."
            filled={filled}
            class="mono"
            required
            maxlength={2048}
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
            autofocus
          />
          <AddressField label="Address (optional)" help="For example https://shop.example" filled={filled} />
          <GroupField label="Group (optional)" groups={groups} filled={filled} />
          <LifecycleField help="A live site is expected to report each night." filled={filled} />
          <div class="row">
            <button class="btn primary">Add site</button>
            <a class="btn bare" href={paths.portfolio}>
              Cancel
            </a>
          </div>
        </Form>
      </div>
    </Page>
  );
}

type AddVisit = Visit<SignedIn, unknown, unknown, URLSearchParams, unknown>;

/** `/sites/new`, the form's target, and the page on which a site's first report is sent and awaited. */
export function addSiteRoutes(deps: PageGround) {
  const { freshTokens } = deps;
  const { db } = deps.store;
  const find = ({ asset }: { readonly asset: string }) => orNotFound(findAsset(db, asset), "No such site.");
  const sure = confirmed();
  // A double click sends its second form before the first is answered.
  const oneByOne = inTurn();
  const add = async (visit: AddVisit, values: TypedSite): Promise<Response> => {
    const { by, who, now } = visit;
    // The same form sent twice, as by a double click: the site is there, and so is its token.
    if (freshTokens.find(who, siteOf(values.id), now) !== undefined)
      return seeOther(paths.firstReport(values.id));
    const known = listSites(db).map(({ id }) => id);
    const judged = judgeSite(values, known);
    if (!judged.ok) {
      const filled = { values, errors: judged.errors };
      return visit.page(<AddSitePage filled={filled} groups={listGroups(db)} />, { status: 422 });
    }
    const { id } = judged.value;
    // The site is new: nothing is held about it that retiring could end.
    await addAsset(deps.writer, judged.value, { ...by, onRetired: () => {} });
    const { token } = await issueSiteToken(deps, id, by);
    freshTokens.keep(who, { ...siteOf(id), token }, now);
    return seeOther(paths.firstReport(id));
  };
  return mounted(deps, [
    get(paths.sites, {}, () => seeOther(paths.portfolio)),
    get(paths.newSite, {}, () => (
      <AddSitePage filled={{ values: EMPTY_SITE, errors: {} }} groups={listGroups(db)} />
    )),
    sure.post(paths.sites, {}, (visit) => {
      const values = typedInto(visit.form, EMPTY_SITE, AS_SENT);
      return oneByOne(values.id, () => add(visit, values));
    }),
    own.get(paths.firstReport, { find }, (visit) => {
      const { now, who, found: site } = visit;
      const asset = site.id;
      const heard = heardOf(deps, asset, now);
      if (visit.wants("heard")) return visit.part(<FirstReport asset={asset} heard={heard} />);
      return visit.page(
        <FirstReportPage
          site={site}
          destination={deps.destinationOf(asset)}
          fresh={freshTokens.find(who, siteOf(asset), now)}
          tokens={siteTokenRows(db, deps.siteTokens, asset).length}
          heard={heard}
        />,
        { noStore: true },
      );
    }),
    sure.post(paths.firstToken, { find }, ({ found: { id }, by, who, now }) =>
      oneByOne(id, async () => {
        if (freshTokens.find(who, siteOf(id), now) === undefined) {
          const { token } = await issueSiteToken(deps, id, by);
          freshTokens.keep(who, { ...siteOf(id), token }, now);
        }
        return seeOther(paths.firstReport(id));
      }),
    ),
  ]);
}

function siteOf(name: string): TokenHolder {
  return { kind: "site", name };
}

/** The newest report of the site; while there is none, the latest refused one. */
function heardOf(deps: PageGround, asset: string, now: number): FirstReportState {
  const { refusals } = deps;
  const { db } = deps.store;
  const codebase = findLatest(db, asset, now);
  if (codebase !== undefined) {
    const { receivedAt, date, revision, measures } = codebase;
    const values = Object.keys(measures).length;
    return { state: "received", report: "codebase", receivedAt, date, revision, values };
  }
  const nightly = findLatestPulse(db, asset, now);
  if (nightly !== undefined) {
    const { receivedAt, date, revision, metrics } = nightly;
    return { state: "received", report: "nightly", receivedAt, date, revision, values: metrics };
  }
  return { state: "waiting", rejected: refusals.findLatest(asset) ?? listRefused(db, asset)[0] ?? null };
}

// The page that waits for a new site's first report.

export type FirstReportState =
  | {
      readonly state: "waiting";
      /** The latest refused report, so that a typo shows while the reader looks. */
      readonly rejected: RefusedReport | null;
    }
  | {
      readonly state: "received";
      readonly report: "codebase" | "nightly";
      readonly receivedAt: number;
      readonly date: UtcDay;
      readonly revision: number;
      /** Figures of a codebase report, metrics of a nightly one. */
      readonly values: number;
    };

/** Waits for the first report, asking every 5 seconds while the page is seen, and stops when it is there. */
export function FirstReport(props: { readonly asset: string; readonly heard: FirstReportState }) {
  const { asset, heard } = props;
  return (
    <Live
      id="first-report"
      href={heard.state === "waiting" ? paths.firstReportHeard(asset) : null}
      every={5}
      status
    >
      {heard.state === "waiting" ? (
        <Waiting rejected={heard.rejected} />
      ) : (
        <Received asset={asset} heard={heard} />
      )}
    </Live>
  );
}

function Waiting({ rejected }: { readonly rejected: RefusedReport | null }) {
  const { now } = here();
  return (
    <Callout tone={rejected === null ? undefined : "stale"}>
      <p class="wait">
        <b>Waiting for the first report</b>
      </p>
      {rejected === null ? null : (
        <p>
          Report refused at <Clock at={rejected.lastAt} seconds /> UTC, {rejected.status}:{" "}
          <Told class="wrap">{whyWords(rejected)}</Told>
          {rejected.more + rejected.faults.length > 1
            ? `, and ${countOf(rejected.more + rejected.faults.length - 1, "more rule")}`
            : ""}
        </p>
      )}
      <p class="note">
        Checked at <Clock at={now} seconds /> UTC.{" "}
        <span data-scripted hidden>
          Checks every 5 seconds.
        </span>
        <noscript>Reload the page to check again.</noscript>
      </p>
    </Callout>
  );
}

function Received(props: {
  readonly asset: string;
  readonly heard: FirstReportState & { readonly state: "received" };
}) {
  const { asset, heard } = props;
  const codebase = heard.report === "codebase";
  return (
    <Callout tone="working">
      <p>
        <StateMark state="working" /> First {heard.report} report received at{" "}
        <Clock at={heard.receivedAt} seconds /> UTC: revision {heard.revision} of <Day day={heard.date} />,{" "}
        {codebase ? countOf(heard.values, "figure") : countOf(heard.values, "metric")}.
      </p>
      <p>
        <a class="btn primary" href={codebase ? paths.codebase(asset) : paths.site(asset)}>
          {codebase ? "View code" : "View site"}
        </a>
      </p>
    </Callout>
  );
}

interface FirstReportPageProps {
  readonly site: { readonly lifecycle: (typeof LIFECYCLES)[number] };
  readonly destination: Destination;
  /** The token while it may be shown to this reader. */
  readonly fresh: FreshToken | undefined;
  /** Tokens of the site that are in force. */
  readonly tokens: number;
  readonly heard: FirstReportState;
}

/** The token of a new site, one command, and its outcome. The page may be reloaded at any moment. */
export function FirstReportPage(props: FirstReportPageProps) {
  const { fresh, site } = props;
  const { asset } = props.destination;
  const destination = { ...props.destination, token: fresh?.token ?? null };
  // The commands hold it while it is shown: then sending comes first.
  const token = (
    <li>
      <h2>{fresh === undefined ? "Issue a token" : "Keep the token"}</h2>
      <TokenStep asset={asset} fresh={fresh} tokens={props.tokens} />
    </li>
  );
  return (
    <Page title={`First report of ${asset}`} current="sites" still>
      <div class="narrow stack">
        <div class="stack tight">
          <p class="crumb">
            <a href={paths.portfolio}>Sites</a> / <a href={paths.site(asset)}>{asset}</a>
          </p>
          <h1>First report</h1>
          <HelpLink to={paths.helpPage("sending")} about="sending reports" />
        </div>
        <ol class="steps">
          <li data-done>
            <h2>Site added</h2>
            <p>
              <span class="mono wrap">{asset}</span>, {LIFECYCLE_WORDS[site.lifecycle].toLowerCase()}.{" "}
              <a href={paths.siteSettings(asset)}>Change address, lifecycle and families</a>
            </p>
          </li>
          {fresh === undefined ? token : null}
          <li aria-current={fresh === undefined ? undefined : "step"}>
            <h2>Send the first report</h2>
            <div class="stack tight">
              <TryNightly destination={destination} />
              <IngestNote destination={destination} />
              <FirstReport asset={asset} heard={props.heard} />
            </div>
          </li>
          {fresh === undefined ? null : token}
          <li>
            <h2>Send one every night</h2>
            <div class="stack tight">
              <EveryNight destination={destination} />
            </div>
          </li>
          <li>
            <h2>Send code reports (optional)</h2>
            <CodebaseWays destination={destination} />
          </li>
        </ol>
      </div>
    </Page>
  );
}

/** The token while it may be shown; after that a way to another. */
function TokenStep(props: {
  readonly asset: string;
  readonly fresh: FreshToken | undefined;
  readonly tokens: number;
}) {
  const { asset, fresh, tokens } = props;
  if (fresh !== undefined) {
    return (
      <div class="stack tight">
        <ShownOnce heading="The token of this site" fresh={fresh} back={paths.firstReport(asset)} />
        <p class="note">The commands on this page contain it. Tower stores only its hash.</p>
      </div>
    );
  }
  return (
    <div class="stack tight">
      {tokens === 0 ? (
        <p>This site needs a token to send reports.</p>
      ) : (
        <p>
          {countOf(tokens, "token is", "tokens are")} in force (<a href={paths.siteTokens(asset)}>Tokens</a>).
          Put yours in place of <code>your-site-token</code> below, or issue another.
        </p>
      )}
      <Act action={paths.firstToken(asset)} words={tokens === 0 ? "Issue token" : "Issue another token"} />
    </div>
  );
}
