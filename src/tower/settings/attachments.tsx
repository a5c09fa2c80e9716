/** `/settings/credentials/attachments`: which property is which site's, attached many at once. */

import type { Ids } from "../../base/base.ts";
import type { InstallationKeys } from "../../base/keys.ts";
import { countWords as countOf } from "../../base/text.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS, PROVIDERS } from "../../providers/adapter.ts";
import { detachProperty, listAttachments } from "../../providers/attachments.ts";
import { listProperties } from "../../providers/properties.ts";
import type { Credentials } from "../../providers/sealing.ts";
import { attachProperty } from "../../signals/connections.ts";
import { listSites } from "../../sites/sites.ts";
import type { Store } from "../../store/store.ts";
import type { Writer } from "../../store/writer.ts";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import type { PageDeps } from "../keyboard.tsx";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { Chips, Go } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Pager } from "../kit/pager.tsx";
import { PROVIDER_GIVES } from "../kit/provider_words.ts";
import { mounted, own, type Visit } from "../kit/route.ts";
import { SearchForm } from "../kit/search_form.tsx";
import { ownPath, paths } from "../paths.ts";
import { type Sessions, type SignedIn, seeOther } from "../session.ts";
import {
  type AttachQuery,
  type AttachView,
  attachAddress,
  attachHref,
  attachView,
  type PropertyRow,
  propertyRows,
  rowValue,
  type TickedRow,
  tickedRows,
} from "./attach_rows.ts";
import { DetachForm, OpenRows, PropertyName, type RefusedRow } from "./open_rows.tsx";
import { SettingsPage } from "./settings.tsx";

interface AttachPageProps {
  readonly query: AttachQuery;
  readonly view: AttachView;
  /** Ids of sites, for the fields to offer. */
  readonly sites: readonly string[];
  readonly refused: ReadonlyMap<string, RefusedRow>;
  /** How many rows of the refused form were attached all the same. */
  readonly attachedNow: number;
  /** Whether any credential is stored, and has listed a property. */
  readonly has: { readonly credential: boolean; readonly property: boolean };
}

/** Attaches properties to sites, many at once; shows and takes off those that are attached. */
function AttachPage(props: AttachPageProps) {
  const { query, view } = props;
  const { counts } = view;
  const shows = [
    [null, "Without a site", counts.open],
    ["attached", "Attached", counts.attached],
    ["unusable", "Cannot be used", counts.unusable],
  ] as const;
  const counted = (words: string, count: number): Child => (
    <>
      {words} <b>{formatCount(count)}</b>
    </>
  );
  return (
    <SettingsPage
      part={paths.credentials}
      title="Attach properties"
      crumb={<a href={paths.credentials}>Credentials</a>}
      note="A site has one property of each provider. Nothing is pulled until one is attached."
      still
    >
      <Outcome props={props} />
      <Block
        heading={HEADINGS[query.show ?? "open"]}
        note={query.show === null && view.counts.suggested > 0 ? suggestedWords(view) : undefined}
      >
        <div class="filters">
          <Chips
            label="Which properties"
            choices={shows
              .filter(([show, , count]) => show !== "unusable" || count > 0 || query.show === show)
              .map(([show, words, count]) => ({
                words: counted(words, count),
                href: attachHref({ show, provider: query.provider, q: query.q }),
                chosen: query.show === show,
              }))}
          />
          <Chips
            label="Of which provider"
            choices={PROVIDERS.map((provider) => ({
              words: PROVIDER_WORDS[provider],
              href: attachHref({
                show: query.show,
                q: query.q,
                provider: query.provider === provider ? null : provider,
              }),
              chosen: query.provider === provider,
            }))}
          />

          <SearchForm
            action={paths.attachments}
            words="Property or site"
            value={query.q}
            keep={attachAddress.search({ show: query.show, provider: query.provider })}
          />
        </div>
        {view.rows.length === 0 ? (
          <NoRows props={props} />
        ) : query.show === null ? (
          <OpenRows query={query} rows={view.rows} sites={props.sites} refused={props.refused} />
        ) : (
          <StandingRows props={props} />
        )}
        <Pager
          paging={view.paging}
          what="properties"
          href={(page) => attachHref({ show: query.show, provider: query.provider, q: query.q, page })}
        />
      </Block>
      <Block heading="What a site gets">
        <dl class="facts">
          {PROVIDERS.map((provider) => (
            <>
              <dt>{PROVIDER_WORDS[provider]}</dt>
              <dd>{PROVIDER_GIVES[provider]}</dd>
            </>
          ))}
        </dl>
      </Block>
    </SettingsPage>
  );
}

const HEADINGS = {
  open: "Properties without a site",
  attached: "Attached properties",
  unusable: "Properties that cannot be used",
} as const;

function suggestedWords({ counts }: AttachView): string {
  return `${countOf(counts.suggested, "likely site")} found by address or name, listed first and ticked`;
}

function Outcome({ props }: { props: AttachPageProps }) {
  const { query, refused, attachedNow } = props;
  if (refused.size > 0) {
    return (
      <Callout tone="failing" role="alert">
        <p>
          {attachedNow === 0
            ? "Nothing was attached"
            : `${countOf(attachedNow, "property", "properties")} attached`}
          ; {countOf(refused.size, "row was", "rows were")} refused: what to change stands at the row.
        </p>
      </Callout>
    );
  }
  const { attached, replaced, detached } = query;
  if (detached !== null) {
    return (
      <Callout tone="working" role="status">
        <p>The property is detached. Nothing more is pulled for the site from it; what was pulled stays.</p>
      </Callout>
    );
  }
  if (attached === null) return null;
  const taken =
    replaced === null || replaced === 0 ? "" : `, ${formatCount(replaced)} of them in the place of another`;
  return (
    <Callout tone={attached === 0 ? undefined : "working"} role="status">
      <p>
        {attached === 0
          ? "Nothing was ticked, or all of it was attached already."
          : `${countOf(attached, "property", "properties")} attached${taken}. Figures of analytics and search console come with the next pull, within 15 minutes; those of webmaster tools at 02:30 UTC.`}
      </p>
    </Callout>
  );
}

/** A property with one of its sites; null where it has none. */
interface StandingRow {
  readonly row: PropertyRow;
  readonly site: string | null;
}

/** Attached properties with a way to take them off, or those that cannot be used. */
function StandingRows({ props }: { props: AttachPageProps }) {
  const { view, query } = props;
  const isAttached = query.show === "attached";
  return (
    <>
      {isAttached ? null : (
        <p class="note">
          Each is listed, and would refuse every question: the account is an unverified user of it, or the
          site is not verified. Once that is put right, find the credential's properties again.
        </p>
      )}
      <List
        of={isAttached ? "Attached properties" : "Properties that cannot be used"}
        items={view.rows.flatMap((row): StandingRow[] =>
          isAttached ? row.sites.map((site) => ({ row, site })) : [{ row, site: null }],
        )}
        columns={[
          isAttached
            ? [
                "Site",
                ({ site }) => (site === null ? null : <a href={paths.site(site)}>{site}</a>),
                { names: true },
              ]
            : null,
          ["Property", ({ row }) => <PropertyName seen={row.seen} />, { names: !isAttached }],
          ["Provider", ({ row }) => PROVIDER_WORDS[row.seen.provider]],
          isAttached
            ? [
                "Action",
                ({ row, site }) => <DetachForm provider={row.seen.provider} asset={site ?? ""} />,
                { class: "act", unseen: true },
              ]
            : null,
        ]}
      />
    </>
  );
}

/** Why no property stands here, and the next step. */
function NoRows({ props: { query, has, view } }: { props: AttachPageProps }) {
  if (!has.credential) {
    return (
      <Empty heading="No credential yet">
        <p>Properties are what a credential gives access to.</p>
        <Go to={paths.newCredential} words="Add a credential" primary />
      </Empty>
    );
  }
  if (!has.property) {
    return (
      <Empty heading="No property is known yet">
        <p>Ask a credential which properties it gives access to: "Find properties" on its page.</p>
        <Go to={paths.credentials} words="Credentials" primary />
      </Empty>
    );
  }
  if (query.q !== "" || query.provider !== null) {
    return (
      <Empty heading="No property matches">
        <p>None of these holds what is sought.</p>
        <Go to={attachHref({ show: query.show })} words="Show all" />
      </Empty>
    );
  }
  return (
    <Empty heading={query.show === "attached" ? "Nothing is attached yet" : "Every property has a site"}>
      <p>
        {query.show === "attached"
          ? "No site has figures of a provider."
          : `${countOf(view.counts.attached, "property is", "properties are")} attached.`}
      </p>
      <Go
        to={attachHref({ show: query.show === "attached" ? null : "attached" })}
        words={query.show === "attached" ? "Properties without a site" : "Show them"}
      />
    </Empty>
  );
}

interface AttachDeps extends PageDeps {
  readonly store: Store;
  readonly writer: Writer;
  readonly keys: InstallationKeys;
  readonly ids: Ids;
  readonly sessions: Sessions;
  readonly credentials: Pick<Credentials, "list">;
}

/** `/settings/credentials/attachments`: which property is whose. */
export function attachRoutes(deps: AttachDeps) {
  return mounted(deps, [
    own.get(paths.attachments, { query: attachAddress }, (visit) => page(deps, visit)),
    own.post(paths.attachments, { query: attachAddress }, async (visit) => {
      const rows = tickedRows(visit.form);
      const replace = visit.form.get("replace") !== null;
      const refused = new Map<string, RefusedRow>();
      let [attached, replaced] = [0, 0];
      for (const row of rows) {
        const result = await attach(deps, row, rows, replace, visit.by);
        if (typeof result === "string") refused.set(rowValue(row), { site: row.site, error: result });
        else {
          attached += result.did === "same" ? 0 : 1;
          replaced += result.did === "replaced" ? 1 : 0;
        }
      }
      const kept = attachAddress.read(visit.form);
      if (refused.size > 0) return page(deps, { ...visit, query: kept }, { refused, attached });
      return seeOther(
        attachHref({ provider: kept.provider, q: kept.q, attached, replaced: replaced || null }),
      );
    }),
    own.post(paths.detachment, {}, async ({ form, by }) => {
      const provider = PROVIDERS.find((known) => known === form.get("provider"));
      const asset = form.get("asset") ?? "";
      if (provider !== undefined) await detachProperty(deps, { asset, provider }, by);
      const back = form.get("back");
      return seeOther(
        back === null ? attachHref({ show: "attached", detached: 1 }) : `${ownPath(back)}#sources`,
      );
    }),
  ]);
}

type By = Visit<SignedIn, unknown, unknown, unknown, unknown>["by"];

/** Attaches one ticked row; a sentence where it is refused. */
async function attach(
  deps: AttachDeps,
  row: TickedRow,
  rows: readonly TickedRow[],
  replace: boolean,
  by: By,
) {
  const { site: asset, provider, credential, property } = row;
  if (asset === "") return "Name a site, or take the tick away.";
  const rival = rows.find((other) => other.provider === provider && other.site === asset);
  if (rival !== row)
    return `${asset} stands at two ${PROVIDER_WORDS[provider].toLowerCase()} properties of this form: a site has one.`;
  const result = await attachProperty(deps, { asset, provider, credential, property, replace }, by);
  if (result.ok) return result;
  if (result.why === "taken") {
    return `${asset} has ${result.by.property} already. Detach it first, or tick above that it is replaced.`;
  }
  if (result.why === "no_site") return "There is no site with this identifier.";
  if (result.why === "no_credential") return "Its credential was removed meanwhile.";
  if (result.why === "unreadable") return "Its credential cannot be read with this installation's key.";
  return "Its credential is not one for this provider.";
}

function page(
  deps: AttachDeps,
  visit: Pick<Visit<SignedIn, unknown, typeof attachAddress.usual, unknown, unknown>, "query" | "page">,
  done: { readonly refused: ReadonlyMap<string, RefusedRow>; readonly attached: number } | null = null,
): Response {
  const { db } = deps.store;
  const [sites, properties] = [listSites(db), listProperties(db)];
  const all = propertyRows({ properties, attachments: listAttachments(db), sites });
  const view = attachView(all, visit.query);
  const refused = done?.refused ?? new Map<string, RefusedRow>();
  return visit.page(
    <AttachPage
      query={visit.query}
      view={view}
      sites={sites.filter(({ lifecycle }) => lifecycle !== "retired").map(({ id }) => id)}
      refused={refused}
      attachedNow={done?.attached ?? 0}
      has={{ credential: deps.credentials.list().length > 0, property: properties.length > 0 }}
    />,
    { status: done === null ? 200 : 422 },
  );
}
