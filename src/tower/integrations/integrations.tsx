/**
 * `/integrations`, and the tab of a site: what is set up, how it stands, and what to do about it.
 *
 * Both are views of one payload (`integrations/reader.ts` of the service): problems, sites by capabilities
 * (`matrix.tsx`), what stands apart from sites (here), what happened (`events.tsx`); a site's own is `site_integrations.tsx`.
 * Beside them: `system_health.tsx` is `/health`, `runs.tsx` the runs of jobs, `pauses.tsx` what operators pause.
 * What can be done, in words and where, with its forms: `acts.tsx`. Begin with `integrationRoutes`.
 */

import { capital, countWords as countOf } from "../../base/text.ts";
import { parseUtcDay } from "../../base/time.ts";
import { HEALTH_STATES, type HealthState } from "../../health/health.ts";
import { causesOf, type Entry, type Health, type Placed, placed } from "../../integrations/attention.ts";
import { healthWithAccounts } from "../../integrations/attention_reader.ts";
import type {
  CapabilityView,
  Coverage,
  HealthView,
  SiteHealth,
  TargetView,
} from "../../integrations/integrations.ts";
import { isProvider } from "../../providers/adapter.ts";
import { formatCount, formatDay, formatSpan } from "../format.ts";
import type { PageGround } from "../ground.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { type Look, LookMark, StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Go, Told } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { DateOf, Moment, When } from "../kit/proof.tsx";
import { get, healthView, type Moment as MomentOfRoute, mounted } from "../kit/route.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { siteHead } from "../site_head.ts";
import {
  AccountLink,
  type AccountOf,
  ActionOf,
  accountsOf,
  capabilityId,
  ForgetForm,
  panelsOf,
  pausesOf,
  placeOf,
  propertiesOf,
  type SenderOf,
  SiteLink,
  sendersOf,
} from "./acts.tsx";
import {
  CoverageCallout,
  coverageWords,
  IntegrationsHead,
  type IntegrationsQuery,
  integrationsAddress,
  integrationsHref,
  NothingSetUp,
  StateChips,
} from "./coverage.tsx";
import { EventHistory } from "./events.tsx";
import { MatrixBlock, matrixOf } from "./matrix.tsx";
import { SiteIntegrationsPage } from "./site_integrations.tsx";
import {
  AttemptsLink,
  Cause,
  headingOf,
  idPart,
  proofWords,
  retryReason,
  untimedRetry,
} from "./target_words.tsx";

/**
 * `/integrations`: what is wrong, one line a cause, in the order of the one ranking; what Tower retries by itself apart; then failures and
 * recoveries.
 */

/** One cause with all data sources that it hits: an account that fails on two hundred sites is one of these. */
interface Problem {
  /** The same as long as the cause is. */
  readonly key: string;
  /** What happened, in one sentence. */
  readonly news: string;
  readonly all: readonly [Placed, ...Placed[]];
  /** Its place in the ranking, and what is said of it there. */
  readonly place: number;
  readonly entry: Entry | undefined;
}

const NEEDING: readonly HealthState[] = ["failing", "unknown", "stale", "disconnected"];

/** Every cause, in the order of the ranking; what is not ranked, such as a connection that was taken away, comes last. */
export function problemsOf(health: Health, entries: readonly Entry[], now: number): Problem[] {
  const ranked = (place = Number.POSITIVE_INFINITY) => ({ entry: entries[place], place });
  const places = new Map(entries.map(({ cause }, place) => [cause, place]));
  const silent = new Map(
    entries.flatMap(({ trouble, assets }, place) =>
      trouble === "silent" ? assets.map((asset) => [asset, place] as const) : [],
    ),
  );
  const causes = causesOf(health, now).map(
    ({ key, news, all }): Problem => ({ key, news, all, ...ranked(places.get(key)) }),
  );
  const told = new Set(causes.flatMap(({ all }) => all.map(({ target }) => target)));
  const others = placed(health, ({ targets }) =>
    targets.filter((target) => NEEDING.includes(target.state) && !told.has(target)),
  );
  const groups = [...Map.groupBy(others, keyOf)].flatMap(([key, [first, ...more]]): Problem[] => {
    if (first === undefined) return [];
    const { of, target } = first;
    const why = target.why.replace(/\.$/, "") || (headingOf(target, of.kind) ?? of.label);
    const known = ranked(isSilent(first) ? silent.get(target.asset) : undefined);
    return [{ key, news: known.entry?.title ?? `${of.label}: ${why}`, all: [first, ...more], ...known }];
  });
  const urgency = ({ all: [{ target }] }: Problem) => HEALTH_STATES.indexOf(target.state);
  return [...causes, ...groups].sort((a, b) =>
    a.place === b.place ? urgency(a) - urgency(b) || b.all.length - a.all.length : a.place < b.place ? -1 : 1,
  );
}

/** Each silent site is one problem; of other trouble that no cause is known of, all of one capability and connection are one. */
function keyOf(one: Placed): string {
  const { of, target } = one;
  return [
    target.state,
    of.capability,
    isSilent(one) ? target.asset : one.target.connectionRevision,
    target.why,
  ].join(" ");
}

const isSilent = ({ of, target }: Placed): boolean => of.kind === "ingest" && target.state === "stale";

/** What is wrong, in the order of the one ranking; what Tower tries again by itself apart. */
export function ProblemsPage(props: {
  readonly view: HealthView;
  readonly problems: readonly Problem[];
  readonly accountOf: AccountOf;
}) {
  const { view, problems, accountOf } = props;
  const {
    acute = [],
    retried = [],
    disconnected = [],
  } = Object.groupBy(problems, ({ entry, all: [{ target }] }) =>
    entry?.acts === "waits" ? "retried" : target.state === "disconnected" ? "disconnected" : "acute",
  );
  return (
    <Page title={titleOf(view, acute.length)} current="integrations">
      <IntegrationsHead
        current="problems"
        heading={
          <>
            {acute.length === 0 ? null : (
              <b>{countOf(acute.length, "problem needs", "problems need")} you. </b>
            )}
            {coverageWords(view)}
          </>
        }
      />
      <CoverageCallout coverage={view.coverage} />
      {view.coverage.state === "empty" ? (
        <NothingSetUp />
      ) : (
        <>
          <Block id="needs" heading="Needs attention">
            <Problems
              of="Needs attention"
              problems={acute}
              empty={<p>{nothingWords(view.coverage)}</p>}
              accountOf={accountOf}
            />
          </Block>
          {retried.length === 0 ? null : (
            <Block
              id="retried"
              heading="Retrying automatically"
              note="nothing to do unless two runs are missed"
            >
              <Problems of="Retrying automatically" problems={retried} accountOf={accountOf} isRetried />
            </Block>
          )}
          {disconnected.length === 0 ? null : (
            <Block id="disconnected" heading="Disconnected" note="stored data stays">
              <Problems of="Disconnected" problems={disconnected} accountOf={accountOf} />
            </Block>
          )}
        </>
      )}
      <EventHistory events={view.events} />
    </Page>
  );
}

/** An all-clear only where everything could be read. */
const nothingWords = ({ state }: Coverage): string =>
  state === "complete" ? "No problems." : "No problems in what could be read. The rest is not known.";

/** What the browser's tab says: what is worst. */
function titleOf({ coverage }: HealthView, problems: number): string {
  if (coverage.state === "unknown") return "Integrations: unknown";
  return problems === 0 ? "Integrations" : `Integrations: ${countOf(problems, "problem")}`;
}

/** Most rows. */
const MOST_ROWS = 50;
const RETRYING: Look = { words: "Retrying", glyph: "idle", tone: "idle" };

/** Causes, one row each. */
function Problems(props: {
  readonly of: string;
  readonly problems: readonly Problem[];
  readonly empty?: Child;
  readonly accountOf: AccountOf;
  readonly isRetried?: boolean;
}) {
  const { of, problems, empty, accountOf, isRetried = false } = props;
  const { now } = here();
  return (
    <>
      <List
        class="acts-t"
        of={of}
        items={problems.slice(0, MOST_ROWS)}
        id={({ key }) => `problem-${idPart(key)}`}
        empty={empty}
        columns={[
          [
            "State",
            ({ all: [{ target }] }) =>
              isRetried ? <LookMark look={RETRYING} /> : <StateMark state={target.state} />,
            { label: false, class: "nowrap" },
          ],
          ["Cause", (problem) => <CauseCell problem={problem} />, { names: true }],
          ["Affects", (problem) => <Affected problem={problem} accountOf={accountOf} />],
          [
            "Failing for",
            ({ all, entry }) => {
              const since = least([entry?.since ?? null, ...all.map(({ target }) => target.since)]);
              return since === undefined ? <span class="dim">not known</span> : formatSpan(now - since);
            },
            { class: "nowrap" },
          ],
          ["Last success", (problem) => <LastSuccess problem={problem} />],
          ["Next retry", (problem) => <Retry problem={problem} />],
          isRetried
            ? null
            : [
                "Act",
                (problem) => <Action problem={problem} accountOf={accountOf} />,
                { class: "all", unseen: true },
              ],
        ]}
      />
      {problems.length <= MOST_ROWS ? null : (
        <p class="note">
          {countOf(problems.length - MOST_ROWS, "more cause")} of less urgency:{" "}
          <a href={paths.allIntegrations}>All</a>
        </p>
      )}
    </>
  );
}

/** What happened, and what to do about it. */
function CauseCell({ problem: { news, all, entry } }: { problem: Problem }) {
  const [{ of, target }] = all;
  const reason = retryReason(target);
  return (
    <>
      {news}{" "}
      <small class="block-sm">
        {entry?.action.text ?? target.action.text} {reason === undefined ? null : `${capital(reason)}. `}
        {all.length === 1 ? <AttemptsLink asset={target.asset} of={of} /> : null}
      </small>
    </>
  );
}

/** The site, or how many of them, which open; below it the data sources. */
function Affected({ problem: { key, all }, accountOf }: { problem: Problem; accountOf: AccountOf }) {
  const [{ of }] = all;
  const sites = [...new Set(all.flatMap(({ target }) => target.asset || []))].sort();
  const labels = [...new Set(all.map((one) => one.of.label))];
  return (
    <>
      {sites.length === 0 ? (
        <Owner one={all[0]} accountOf={accountOf} />
      ) : sites.length === 1 ? (
        <SiteLink asset={sites[0] ?? ""} capability={of.capability} />
      ) : (
        <details id={`sites-${idPart(key)}`}>
          <summary>{countOf(sites.length, "site")}</summary>
          <ul>
            {sites.slice(0, MOST_ROWS).map((asset) => (
              <li>
                <SiteLink asset={asset} capability={of.capability} />
              </li>
            ))}
            {sites.length <= MOST_ROWS ? null : (
              <li>
                <a href={integrationsHref({ capability: of.capability, state: all[0].target.state })}>
                  {formatCount(sites.length - MOST_ROWS)} more
                </a>
              </li>
            )}
          </ul>
        </details>
      )}{" "}
      {labels.length === 1 ? (
        <small class="block-sm">{labels[0]}</small>
      ) : (
        <details id={`sources-${idPart(key)}`}>
          <summary>{countOf(all.length, "data source")}</summary>
          <ul>
            {labels.map((label) => (
              <li>{label}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** The account, calendar or channel that fails where no site does. */
function Owner({ one: { of, target }, accountOf }: { one: Placed; accountOf: AccountOf }) {
  if (of.provider === "annotations") return <a href={paths.tokens}>A sender of annotations</a>;
  return <AccountLink account={accountOf(target)} otherwise="A whole connection" />;
}

const least = (values: readonly (number | null)[]): number | undefined => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** The latest of its data sources; that others never had one is said. */
function LastSuccess({ problem: { all } }: { problem: Problem }) {
  const known = all.flatMap(({ target }) => target.lastSuccessStartedAt ?? []);
  if (known.length === 0) return <span class="dim">never</span>;
  const days = all.flatMap(({ target }) => parseUtcDay(target.coveredDate ?? "") ?? []);
  const day = days.sort().at(-1);
  return (
    <>
      <When at={Math.max(...known)} />
      {day === undefined ? null : [" ", <small class="block-sm">covers {formatDay(day)}</small>]}
      {known.length === all.length ? null : [" ", <small class="block-sm">some never</small>]}
    </>
  );
}

/** When it may be tried again first. */
function Retry({ problem: { all } }: { problem: Problem }) {
  const { now } = here();
  const [{ of, target }] = all;
  const at = least(all.map((one) => one.target.nextRetryAt));
  if (at === undefined) return <span class="dim">{untimedRetry(target, of.kind)}</span>;
  return at <= now ? <>due now</> : <Moment at={at} />;
}

/** The one thing to do, as the ranking says it; else where its data source is set up. */
function Action({ problem, accountOf }: { readonly problem: Problem; readonly accountOf: AccountOf }) {
  const { entry, all } = problem;
  const [{ of, target }] = all;
  // Of several sites over one account the ranking leads here.
  if (entry !== undefined && entry.action.href !== paths.integrations)
    return <Go to={entry.action.href} words={entry.action.verb} />;
  const place = placeOf({ target, of, accountOf });
  const isShared = all.every((one) => placeOf({ ...one, accountOf })?.href === place?.href);
  return (
    <div class="row">
      {place === undefined || !isShared ? null : (
        <Go to={place.href} words={entry?.action.verb ?? place.words} />
      )}
      {/* What was taken away on purpose need not be told any longer. */}
      {all.length === 1 &&
      target.state === "disconnected" &&
      target.asset !== "" &&
      isProvider(of.provider) ? (
        <ForgetForm provider={of.provider} asset={target.asset} />
      ) : null}
    </div>
  );
}

/** Most rows of one table. */
const MOST = 50;

type Row = ReturnType<typeof rowsOf>[number];

function rowsOf(capabilities: readonly CapabilityView[], belongs: (capability: CapabilityView) => boolean) {
  return capabilities.filter(belongs).flatMap((of) => of.targets.map((target) => ({ of, target })));
}

/** One table of them; nothing where there is none. */
function Apart(props: {
  readonly id: string;
  readonly heading: string;
  readonly note: string;
  readonly whom: string;
  readonly rows: readonly Row[];
  readonly accountOf: AccountOf;
  readonly senderOf: SenderOf;
}) {
  const { id, heading, note, whom, rows, accountOf, senderOf } = props;
  if (rows.length === 0) return null;
  const shown = rows.slice(0, MOST);
  return (
    <Block
      id={id}
      heading={heading}
      note={shown.length === rows.length ? note : `${note}; the first ${shown.length} of ${rows.length}`}
    >
      <List
        class="apart"
        of={heading}
        items={shown}
        id={({ of, target }) =>
          `${capabilityId(of.capability)}-${target.target}-${target.asset}-${target.connectionRevision}`
        }
        columns={[
          [whom, (row) => <Whose row={row} accountOf={accountOf} senderOf={senderOf} />],
          ["Capability", ({ of }) => of.label],
          ["State", ({ target }) => <StateMark state={target.state} />, { label: false }],
          [
            "What is known",
            ({ of, target }) => [
              proofWords(target, here().now),
              " ",
              <Cause target={target} kind={of.kind} />,
            ],
            { class: "all" },
          ],
          [
            "What to do",
            ({ of, target }) => <ActionOf target={target} of={of} accountOf={accountOf} />,
            { class: "all" },
          ],
        ]}
      />
    </Block>
  );
}

function Whose(props: { row: Row; accountOf: AccountOf; senderOf: SenderOf }) {
  const {
    row: { of, target },
    accountOf,
    senderOf,
  } = props;
  if (target.asset !== "") return <SiteLink asset={target.asset} capability={of.capability} />;
  if (of.provider === "annotations") return <SenderName sender={senderOf(target)} />;
  return <AccountLink account={accountOf(target)} otherwise="An account that is gone" />;
}

function SenderName({ sender }: { sender: ReturnType<SenderOf> }) {
  if (sender === undefined) return <>A token that is gone</>;
  return (
    <>
      <Told class="wrap">{sender.operatorName}</Told>{" "}
      <small>
        token of <DateOf at={sender.createdAt} />
      </small>
    </>
  );
}

/** Every site by its capabilities, and what stands apart from sites. */
export function AllPage(props: {
  readonly view: HealthView;
  readonly sites: ReadonlyMap<string, SiteHealth>;
  readonly query: IntegrationsQuery;
  readonly accountOf: AccountOf;
  readonly senderOf: SenderOf;
}) {
  const { view, sites, query, ...ofWhom } = props;
  const isAsked = ({ state }: TargetView) => query.state === null || state === query.state;
  const apart = view.capabilities.map((of) => ({ ...of, targets: of.targets.filter(isAsked) }));
  return (
    <Page title="All integrations" current="integrations">
      <IntegrationsHead current="all" name="All integrations" sentence={coverageWords(view)} />
      <CoverageCallout coverage={view.coverage} />
      {view.coverage.state === "empty" ? (
        <NothingSetUp />
      ) : (
        <>
          <StateChips view={view} query={query} />
          <MatrixBlock matrix={matrixOf(view, sites, query)} query={query} />
        </>
      )}
      <Apart
        id="feeds"
        heading="Live feeds"
        note="asked only while somebody looks: sites that were looked at within 24 hours"
        rows={rowsOf(apart, ({ kind }) => kind === "on_demand")}
        whom="Site"
        {...ofWhom}
      />
      <Apart
        id="senders"
        heading="Senders of annotations"
        note="one row for each token that may send them"
        rows={rowsOf(apart, ({ provider }) => provider === "annotations")}
        whom="Sender"
        {...ofWhom}
      />
      <Apart
        id="checks"
        heading="Connection tests"
        note="Connection tests don't change site status."
        rows={rowsOf(apart, ({ kind }) => kind === "connection_test" || kind === "discovery")}
        whom="Account"
        {...ofWhom}
      />
    </Page>
  );
}

export function integrationRoutes(deps: PageGround) {
  const { db, health } = deps;
  const find = ({ asset }: { readonly asset: string }, at: MomentOfRoute) => siteHead(deps, asset, at);
  return mounted(deps, [
    get(paths.integrations, {}, ({ request, search, now }) => {
      // The filters of this address narrowed what is on the page of all now.
      if (Object.keys(integrationsAddress.usual).some((name) => search.has(name)))
        return seeOther(integrationsHref(integrationsAddress.read(search)));
      const view = healthView(request, health, now);
      return (
        <ProblemsPage
          view={view}
          problems={problemsOf(healthWithAccounts(db, view), deps.attention.read(now, view), now)}
          accountOf={accountsOf(db)}
        />
      );
    }),
    get(paths.allIntegrations, { query: integrationsAddress }, ({ request, query, now }) => {
      const view = healthView(request, health, now);
      return (
        <AllPage
          view={view}
          sites={view.sites}
          query={query}
          accountOf={accountsOf(db)}
          senderOf={sendersOf(db, view)}
        />
      );
    }),
    get(paths.siteIntegrations, { find }, ({ now, found: site }) => (
      <SiteIntegrationsPage
        site={site}
        {...health.readSite(now, site.asset)}
        isService={site.asset === deps.config.serviceAsset}
        properties={propertiesOf(db, site.asset)}
        panelOf={panelsOf(db, site.asset)}
        pauses={pausesOf(db, site.asset, now)}
        accountOf={accountsOf(db)}
      />
    )),
  ]);
}
