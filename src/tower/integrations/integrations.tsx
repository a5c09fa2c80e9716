/**
 * `/integrations`, and the tab of a site: what is set up, how it stands, and what to do about it.
 *
 * Both are views of one payload (`integrations/reader.ts` of the service): problems (`problems.tsx`), sites by capabilities
 * (`matrix.tsx`), what stands apart from sites (here), what happened (`events.tsx`); a site's own is `site_integrations.tsx`.
 * Beside them: `system_health.tsx` is `/health`, `runs.tsx` the runs of jobs, `pauses.tsx` what operators pause.
 * What can be done, in words and where: `acts_of.tsx`; the forms of it: `acts.tsx`. Begin with `integrationRoutes`.
 */

import { type AttentionReader, healthWithAccounts } from "../../integrations/attention_reader.ts";
import type { CapabilityView, HealthView, SiteHealth, TargetView } from "../../integrations/integrations.ts";
import type { HealthReader } from "../../integrations/reader.ts";
import type { PageDeps } from "../keyboard.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { DateOf } from "../kit/proof.tsx";
import { get, healthView, type Moment, mounted } from "../kit/route.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { capabilityId, pausesOf, SiteLink } from "./acts.tsx";
import {
  AccountLink,
  type ActGround,
  ActionOf,
  accountsOf,
  propertiesOf,
  type Sender,
  sendersOf,
} from "./acts_of.tsx";
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
import { MatrixBlock, matrixOf } from "./matrix.tsx";
import { ProblemsPage, problemsOf } from "./problems.tsx";
import { SiteIntegrationsPage } from "./site_integrations.tsx";
import { Cause, proofWords } from "./target_words.tsx";

/** Most rows of one table. */
const MOST = 50;

interface Row {
  readonly of: CapabilityView;
  readonly target: TargetView;
}

function rowsOf(
  capabilities: readonly CapabilityView[],
  belongs: (capability: CapabilityView) => boolean,
): Row[] {
  return capabilities.filter(belongs).flatMap((of) => of.targets.map((target) => ({ of, target })));
}

/** One table of them; nothing where there is none. */
function Apart(props: {
  readonly id: string;
  readonly heading: string;
  readonly note: string;
  readonly whom: string;
  readonly rows: readonly Row[];
  readonly ground: ActGround;
}) {
  const { id, heading, note, whom, rows, ground } = props;
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
          [whom, (row) => <Whose row={row} ground={ground} />],
          ["Capability", ({ of }) => of.label],
          ["State", ({ target }) => <StateMark state={target.state} />, { label: false }],
          [
            "What is known",
            ({ of, target }) => [
              proofWords(target, of.kind, here().now),
              " ",
              <Cause target={target} kind={of.kind} />,
            ],
            { class: "all" },
          ],
          [
            "What to do",
            ({ of, target }) => <ActionOf target={target} of={of} ground={ground} />,
            { class: "all" },
          ],
        ]}
      />
    </Block>
  );
}

function Whose({ row: { of, target }, ground }: { row: Row; ground: ActGround }) {
  if (target.asset !== "") return <SiteLink asset={target.asset} capability={of.capability} />;
  if (of.provider === "annotations") return <SenderName sender={ground.senderOf(target)} />;
  return <AccountLink account={ground.accountOf(target)} otherwise="An account that is gone" />;
}

function SenderName({ sender }: { sender: Sender | undefined }) {
  if (sender === undefined) return <>A token that is gone</>;
  return (
    <>
      <Told class="wrap">{sender.operator}</Told>{" "}
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
  readonly ground: ActGround;
}) {
  const { view, sites, query, ground } = props;
  const isAsked = ({ state }: TargetView) => query.state === null || state === query.state;
  const apart = view.capabilities.map((of) => ({ ...of, targets: of.targets.filter(isAsked) }));
  return (
    <Page title="All integrations" current="integrations">
      <IntegrationsHead current="all" sentence={coverageWords(view)} />
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
        ground={ground}
      />
      <Apart
        id="senders"
        heading="Senders of annotations"
        note="one row for each token that may send them"
        rows={rowsOf(apart, ({ provider }) => provider === "annotations")}
        whom="Sender"
        ground={ground}
      />
      <Apart
        id="checks"
        heading="Connection tests"
        note="Connection tests don't change site status."
        rows={rowsOf(apart, ({ kind }) => kind === "connection_test" || kind === "discovery")}
        whom="Account"
        ground={ground}
      />
    </Page>
  );
}

interface IntegrationsDeps extends PageDeps, SiteHeadDeps {
  readonly health: HealthReader;
  readonly attention: Pick<AttentionReader, "read">;
}

export function integrationRoutes(deps: IntegrationsDeps) {
  const { db, health } = deps;
  const find = ({ asset }: { readonly asset: string }, at: Moment) => siteHead(deps, asset, at);
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
          ground={{ accountOf: accountsOf(db), senderOf: sendersOf(db, view) }}
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
          ground={{ accountOf: accountsOf(db), senderOf: sendersOf(db, view) }}
        />
      );
    }),
    get(paths.siteIntegrations, { find }, ({ now, found: site }) => (
      <SiteIntegrationsPage
        site={site}
        {...health.readSite(now, site.asset)}
        isService={site.asset === deps.config.serviceAsset}
        properties={propertiesOf(db, site.asset)}
        pauses={pausesOf(db, site.asset, now)}
        ground={{ accountOf: accountsOf(db), senderOf: () => undefined }}
      />
    )),
  ]);
}
