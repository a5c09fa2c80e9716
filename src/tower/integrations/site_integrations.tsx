/** A site's tab of its integrations: each with its proof and its acts, and what happened. */

import { countWords as countOf } from "../../base/text.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import type { HealthState } from "../../health/health.ts";
import type { Pause } from "../../health/pauses.ts";
import type { HealthView } from "../../integrations/integrations.ts";
import type { HealthReader } from "../../integrations/reader.ts";
import { BY_URGENCY, isCounted } from "../../integrations/target_state.ts";
import { PROVIDER_NAMES, PROVIDERS } from "../../providers/adapter.ts";
import { formatCount } from "../format.ts";
import { STATE_WORDS, StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Code, Go, Told } from "../kit/links.tsx";
import { Block, Empty, List } from "../kit/list.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { PROVIDER_GIVES } from "../kit/words.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { attachHref } from "../settings/attach_rows.ts";
import {
  AccountLink,
  type AccountOf,
  ActionOf,
  capabilityId,
  type NamedProperty,
  type PanelOf,
  SiteActs,
  WholeSiteActs,
} from "./acts.tsx";
import { CoverageCallout } from "./coverage.tsx";
import { EventHistory } from "./events.tsx";
import { AttemptsLink, Cause, proofWords, retryWords } from "./target_words.tsx";

/** How many outcomes stand how: "1 Failing, 40 Working, 369 Idle". */
function countsWords(counts: Readonly<Record<HealthState, number>>): string {
  return BY_URGENCY.flatMap((state) =>
    counts[state] === 0 ? [] : [`${formatCount(counts[state])} ${STATE_WORDS[state]}`],
  ).join(", ");
}

type Row = ReturnType<typeof rowsOf>[number];

interface SiteIntegrationsProps {
  readonly site: SiteHead;
  /** Of this site. */
  readonly view: HealthView;
  /** All archived reports of a property as one. */
  readonly together: ReturnType<HealthReader["readSite"]>["together"];
  /** It is the service's own, which is watched in another way. */
  readonly isService: boolean;
  /** Undefined where they cannot be read. */
  readonly properties: ReadonlyMap<string, NamedProperty> | undefined;
  readonly panelOf: PanelOf;
  /** What is paused of it, and on every site. */
  readonly pauses: readonly Pause[];
  readonly accountOf: AccountOf;
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
          <EventHistory events={view.events} asset={site.asset} />
        </>
      )}
    </Page>
  );
}

/** What is watched of the site; all archived reports of a property stand together. */
function rowsOf({ view, together }: SiteIntegrationsProps) {
  return view.capabilities.flatMap((of) => {
    const isOfReports = capabilityOf(of.capability)?.ofReports === true;
    const own = together.filter(({ capability }) => capability === of.capability);
    const targets = isOfReports ? own.map(({ target }) => target) : of.targets;
    // The first of a capability has the address that links lead to; a site has one for each of its panels.
    const id = capabilityId(of.capability);
    return targets.map((target, place) => ({ id: place === 0 ? id : `${id}-${place + 1}`, of, target }));
  });
}

function Integrations(props: SiteIntegrationsProps & { readonly rows: readonly Row[] }) {
  const { now } = here();
  const { site, view, rows, properties, panelOf, pauses, accountOf } = props;
  if (rows.length === 0) return <NothingWatched site={site} view={view} />;
  const counted = rows.filter(({ of, target }) => isCounted(of) && target.state !== "idle");
  const working = counted.filter(({ target }) => target.state === "working").length;
  const others = rows.length - counted.length;
  return (
    <Block
      id="integrations"
      heading="Integrations"
      note={`${working} of ${countOf(counted.length, "data source")} working${others === 0 ? "" : `, ${others} not due`}`}
      tools={<WholeSiteActs asset={site.asset} pauses={pauses} />}
    >
      <div class="stack tight">
        <List
          class="apart"
          of={`Integrations of ${site.asset}`}
          items={rows}
          id={({ id }) => id}
          columns={[
            ["State", ({ target }) => <StateMark state={target.state} />, { label: false, class: "nowrap" }],
            [
              "Integration",
              ({ of, target }) => (
                <>
                  {of.label}
                  <PanelName panel={panelOf(target)} />
                  <Property
                    property={properties?.get(of.provider)}
                    account={properties && accountOf(target)}
                  />
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
                    {proofWords(target, now)} <AttemptsLink asset={site.asset} of={of} />
                  </span>
                </>
              ),
              { class: "all" },
            ],
            [
              "What to do",
              ({ of, target }) => (
                <>
                  <ActionOf target={target} of={of} accountOf={accountOf} />{" "}
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

/** Which property the figures come from, and over which account: an operator's to see, and no part of what is told of health. */
function Property(props: {
  readonly property: NamedProperty | undefined;
  readonly account: ReturnType<AccountOf>;
}) {
  const { property, account } = props;
  if (property === undefined) return null;
  return (
    <small class="block-sm">
      {property.name === undefined || property.name === property.property
        ? null
        : [<Told class="wrap">{property.name}</Told>, " "]}
      <Code>{property.property}</Code>
      {account === undefined ? null : [" over ", <AccountLink account={account} otherwise="" />]}
    </small>
  );
}

function PanelName({ panel }: { readonly panel: ReturnType<PanelOf> }) {
  if (panel === undefined) return null;
  return (
    <small class="block-sm">
      <a href={paths.panel(panel.id)}>
        <Told class="wrap">{panel.keyword}</Told>
      </a>{" "}
      {panel.language}, {panel.device}
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
          {PROVIDER_NAMES[provider]} is not set up (it gives {PROVIDER_GIVES[provider]}):{" "}
          <a href={attachHref({ q: asset })}>attach a property</a>.
        </li>
      ))}
    </ul>
  );
}
