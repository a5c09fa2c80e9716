/** A site's tab of its integrations: each with its proof and its acts, its archived reports, and what happened. */

import { countWords as countOf } from "../../base/text.ts";
import { parseUtcDay } from "../../base/time.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import { familyOf, HEALTH_STATES, type HealthState } from "../../health/health.ts";
import type { Pause } from "../../health/pauses.ts";
import type {
  CapabilityView,
  HealthView,
  SiteHealthView,
  TargetView,
} from "../../integrations/integrations.ts";
import { isCounted } from "../../integrations/target_state.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS, PROVIDERS } from "../../providers/adapter.ts";
import { formatCount, formatDay } from "../format.ts";
import { STATE_WORDS, StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Code, Go, Told } from "../kit/links.tsx";
import { Block, Empty, List } from "../kit/list.tsx";
import { PROVIDER_GIVES } from "../kit/provider_words.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { attachHref } from "../settings/attach_rows.ts";
import { FAMILY_WORDS } from "../site/family_words.ts";
import { capabilityId, SiteActs, WholeSiteActs } from "./acts.tsx";
import { type ActGround, ActionOf, type NamedProperty } from "./acts_of.tsx";
import { CoverageCallout } from "./coverage.tsx";
import { EventHistory } from "./events.tsx";
import { providerName } from "./matrix.tsx";
import { AttemptsLink, Cause, idPart, proofWords, retryWords } from "./target_words.tsx";

/** A report of a date: what it is called, and its day. */
interface NamedReport {
  readonly title: string;
  readonly day: string;
}

/** Which report the key of a family names; undefined where it names none. */
function namedReport(key: string, now: number): NamedReport | undefined {
  const family = familyOf(key);
  const day = family && parseUtcDay(family.date);
  if (family === undefined || day === undefined) return undefined;
  return { title: FAMILY_WORDS[family.report]?.title ?? family.report, day: formatDay(day, now) };
}

/** The most urgent first; what owes nothing comes last. */
const ORDER: readonly HealthState[] = [...HEALTH_STATES.filter((state) => state !== "idle"), "idle"];

/** How many outcomes stand how: "1 Failing, 40 Working, 369 Idle". */
function countsWords(counts: Readonly<Record<HealthState, number>>): string {
  return ORDER.flatMap((state) =>
    counts[state] === 0 ? [] : [`${formatCount(counts[state])} ${STATE_WORDS[state]}`],
  ).join(", ");
}

const SHOWN = 12;

/** All reports of a property together, with what each of them came to. */
interface SiteReports {
  readonly of: CapabilityView;
  readonly together: TargetView;
  readonly each: readonly TargetView[];
}

/** What is archived of a site, report by report: what fails first, then the newest dates. Each provider's part opens. */
function ReportsBlock({ asset, reports }: { asset: string; reports: readonly SiteReports[] }) {
  const tried = reports.filter(({ each }) => each.some(({ family }) => family !== ""));
  if (tried.length === 0) return null;
  return (
    <Block
      id="reports"
      heading="Archived reports"
      note="an outcome for each report of each date; one that failed stays so until it comes"
      tools={<a href={paths.archiveOfSite(asset)}>Archive of this site</a>}
    >
      <div class="stack tight">
        {tried.map((one) => (
          <details id={`reports-${one.of.provider}`}>
            <summary>
              {providerName(one.of.provider)}: {countsWords(one.together.counts ?? NONE)}
            </summary>
            <Outcomes reports={one} />
            <Rest asset={asset} reports={one} />
          </details>
        ))}
      </div>
    </Block>
  );
}

const NONE = {
  failing: 0,
  unknown: 0,
  stale: 0,
  disconnected: 0,
  never_run: 0,
  unmonitored: 0,
  paused: 0,
  idle: 0,
  working: 0,
};

function Outcomes({ reports }: { reports: SiteReports }) {
  const { now } = here();
  const { of, each } = reports;
  return (
    <List
      class="apart"
      of={`Reports of ${providerName(of.provider)}, what fails first`}
      items={each.slice(0, SHOWN)}
      id={({ family }) => `report-${idPart(`${of.provider} ${family}`)}`}
      columns={[
        ["State", ({ state }) => <StateMark state={state} />, { label: false, class: "nowrap" }],
        [
          "Report",
          ({ family }) => {
            const named = namedReport(family, now);
            return (
              <>
                {named?.title ?? of.label} {named === undefined ? null : <small>{named.day}</small>}
              </>
            );
          },
          { names: true },
        ],
        [
          "What is known",
          (target) => (
            <>
              <Cause target={target} kind={of.kind} />
              <span class="proof">
                {proofWords(target, of.kind, now)} {target.dueAt === null ? retryWords(target, of, now) : ""}
              </span>
            </>
          ),
          { class: "all" },
        ],
      ]}
    />
  );
}

/** How many there are beyond those that are listed. */
function Rest({ asset, reports }: { asset: string; reports: SiteReports }) {
  const { together, each } = reports;
  const all = Object.values(together.counts ?? NONE).reduce((sum, count) => sum + count, 0);
  const left = all - Math.min(each.length, SHOWN);
  if (left <= 0) return null;
  return (
    <p class="note">
      <a href={paths.archiveOfSite(asset)}>{countOf(left, "more outcome")}</a>
    </p>
  );
}

interface Row {
  readonly of: CapabilityView;
  readonly target: TargetView;
}

interface SiteIntegrationsProps {
  readonly site: SiteHead;
  /** Of this site, each of its archived reports for itself. */
  readonly view: HealthView;
  /** All archived reports of a property as one. */
  readonly together: SiteHealthView["together"];
  /** It is the service's own, which is watched in another way. */
  readonly isService: boolean;
  /** Undefined where they cannot be read. */
  readonly properties: ReadonlyMap<string, NamedProperty> | undefined;
  /** What is paused of it, and on every site. */
  readonly pauses: readonly Pause[];
  readonly ground: ActGround;
}

/** Every integration of one site, with what proves its state, and what happened to it. */
export function SiteIntegrationsPage(props: SiteIntegrationsProps) {
  const { site, view, isService } = props;
  const rows = rowsOf(props);
  return (
    <Page title={siteTitle(site, "integrations")} current="sites">
      <SiteHeader site={site} current="integrations" />
      {isService ? (
        <Empty alone heading="This is Tower's own site">
          <p>It sends no reports and has no accounts. How the service itself stands is on its own page.</p>
          <Go to={paths.health} words="System health" />
        </Empty>
      ) : (
        <>
          {view.coverage.state === "unknown" || view.monitoring.some(({ asset }) => asset === site.asset) ? (
            <CoverageCallout coverage={view.coverage} />
          ) : null}
          <Integrations {...props} rows={rows} />
          <ReportsBlock asset={site.asset} reports={reportsOf(rows, view)} />
          <EventHistory events={view.events} asset={site.asset} />
        </>
      )}
    </Page>
  );
}

/** What is watched of the site; all archived reports of a property stand together. */
function rowsOf({ view, together }: SiteIntegrationsProps): Row[] {
  return view.capabilities.flatMap((of) => {
    const isOfReports = capabilityOf(of.capability)?.ofReports === true;
    const own = together.filter(({ capability }) => capability === of.capability);
    const targets = isOfReports ? own.map(({ target }) => target) : of.targets;
    return targets.map((target) => ({ of, target }));
  });
}

const reportsOf = (rows: readonly Row[], { capabilities }: HealthView): SiteReports[] =>
  rows.flatMap(({ of, target }) => {
    if (target.counts === null) return [];
    const each = capabilities.find(({ capability }) => capability === of.capability)?.targets ?? [];
    return [{ of, together: target, each: each.filter((one) => one.target === target.target) }];
  });

function Integrations(props: SiteIntegrationsProps & { readonly rows: readonly Row[] }) {
  const { now, shell } = here();
  const { site, view, rows, properties, pauses, ground } = props;
  const back = shell.here;
  if (rows.length === 0) return <NothingWatched site={site} view={view} />;
  const counted = rows.filter(({ of, target }) => isCounted(of) && target.state !== "idle");
  const working = counted.filter(({ target }) => target.state === "working").length;
  return (
    <Block
      id="integrations"
      heading="Integrations"
      note={`${working} of ${countOf(counted.length, "integration")} Working`}
      tools={<WholeSiteActs asset={site.asset} pauses={pauses} back={back} />}
    >
      <div class="stack tight">
        <List
          class="apart"
          of={`Integrations of ${site.asset}`}
          items={rows}
          id={({ of }) => capabilityId(of.capability)}
          columns={[
            ["State", ({ target }) => <StateMark state={target.state} />, { label: false, class: "nowrap" }],
            [
              "Integration",
              ({ of }) => (
                <>
                  {of.label}
                  <Property property={properties?.get(of.provider)} />
                </>
              ),
              { names: true },
            ],
            [
              "What is known",
              ({ of, target }) => (
                <>
                  <Cause target={target} kind={of.kind} />
                  {target.counts === null ? null : (
                    <small class="block-sm">Reports: {countsWords(target.counts)}.</small>
                  )}
                  <span class="proof">
                    {proofWords(target, of.kind, now)} <AttemptsLink asset={site.asset} of={of} />
                  </span>
                </>
              ),
              { class: "all" },
            ],
            [
              "What to do",
              ({ of, target }) => (
                <>
                  <ActionOf target={target} of={of} ground={ground} />{" "}
                  <small class="block-sm">{retryWords(target, of, now)}</small>
                </>
              ),
              { class: "all" },
            ],
            [
              "Acts",
              ({ of, target }) => (
                <SiteActs
                  of={of}
                  target={target}
                  pauses={pauses}
                  isAttached={properties?.has(of.provider) === true}
                  back={back}
                />
              ),
              { class: "all", unseen: true },
            ],
          ]}
        />
        {properties && <NotAttached asset={site.asset} properties={properties} rows={rows} />}
      </div>
    </Block>
  );
}

/** Which property the figures come from: an operator's to see, and no part of what is told of health. */
function Property({ property }: { property: NamedProperty | undefined }) {
  if (property === undefined) return null;
  return (
    <small class="block-sm">
      {property.name === undefined || property.name === property.property
        ? null
        : [<Told class="wrap">{property.name}</Told>, " "]}
      <Code>{property.property}</Code>
    </small>
  );
}

/** Nothing is watched: never said as if all were well. */
function NothingWatched({ site, view }: { site: SiteHead; view: HealthView }) {
  const isUnknown = view.coverage.state === "unknown";
  return (
    <Empty alone heading={site.lifecycle === "retired" ? "Nothing is watched" : "Nothing is known"}>
      <p>
        {site.lifecycle === "retired"
          ? "The site is retired: nothing is pulled for it and nothing is expected of it."
          : isUnknown
            ? "What is set up for this site could not be read."
            : "Nothing is set up for this site: no report is expected and no property is attached."}
      </p>
      {site.lifecycle === "retired" ? null : (
        <p class="row">
          <Go to={paths.siteSending(site.asset)} words="How to send reports" />
          <Go to={paths.credentials} words="Credentials" />
        </p>
      )}
    </Empty>
  );
}

/** Providers that nothing is asked of for this site: not set up is no failure. */
function NotAttached(props: {
  readonly asset: string;
  readonly properties: ReadonlyMap<string, NamedProperty>;
  readonly rows: readonly Row[];
}) {
  const { asset, properties, rows } = props;
  const missing = PROVIDERS.filter(
    (provider) => !properties.has(provider) && !rows.some(({ of }) => of.provider === provider),
  );
  if (missing.length === 0) return null;
  return (
    <ul class="note">
      {missing.map((provider) => (
        <li>
          {PROVIDER_WORDS[provider]} is not set up (it gives {PROVIDER_GIVES[provider]}):{" "}
          <a href={attachHref({ provider, q: asset })}>attach a property</a>.
        </li>
      ))}
    </ul>
  );
}
