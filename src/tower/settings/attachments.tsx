/** `/settings/credentials/attachments`: the properties of sites, attached many at once. */

import type { Ids } from "../../base/base.ts";
import type { InstallationKeys } from "../../base/keys.ts";
import { countWords as countOf } from "../../base/text.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS, PROVIDERS, type Provider } from "../../providers/adapter.ts";
import { detachProperty, listAttachments } from "../../providers/attachments.ts";
import type { SeenProperty } from "../../providers/credentials.ts";
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
import { Chips, Code, Go, Told, Unseen } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Pager } from "../kit/pager.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { SearchForm } from "../kit/search_form.tsx";
import { Form, SureAct } from "../kit/shown_once.tsx";
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

/** Attaches properties to sites, many at once; lists and detaches the attached ones. */
function AttachPage(props: AttachPageProps) {
  const { query, view } = props;
  const { counts } = view;
  const shows = [
    [null, "Without a site", counts.open],
    ["attached", "Attached", counts.attached],
    ["unusable", "Not usable", counts.unusable],
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
      note="A site has one property of each provider."
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
    </SettingsPage>
  );
}

const HEADINGS = {
  open: "Properties without a site",
  attached: "Attached properties",
  unusable: "Properties that are not usable",
} as const;

function suggestedWords({ counts }: AttachView): string {
  return `${countOf(counts.suggested, "likely match", "likely matches")} selected, first in the list`;
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
          . {countOf(refused.size, "row was", "rows were")} refused. Check the highlighted rows.
        </p>
      </Callout>
    );
  }
  const { attached, replaced, detached } = query;
  if (detached !== null) {
    return (
      <Callout tone="working" role="status">
        <p>Property detached. No more data is pulled from it; stored data stays.</p>
      </Callout>
    );
  }
  if (attached === null) return null;
  const taken = replaced === null || replaced === 0 ? "" : `, ${formatCount(replaced)} in place of another`;
  return (
    <Callout tone={attached === 0 ? undefined : "working"} role="status">
      <p>
        {attached === 0
          ? "Nothing new was selected."
          : `${countOf(attached, "property", "properties")} attached${taken}. Google data arrives within 15 minutes, Bing data at 02:30 UTC.`}
      </p>
    </Callout>
  );
}

/** The refused site of a row, by the row's value. */
interface RefusedRow {
  readonly site: string;
  readonly error: string;
}

/** Properties without a site, each with a field for one. */
function OpenRows(props: {
  readonly query: AttachQuery;
  readonly rows: readonly PropertyRow[];
  /** Ids of sites, for the fields to offer. */
  readonly sites: readonly string[];
  readonly refused: ReadonlyMap<string, RefusedRow>;
}) {
  const { query, rows, sites, refused } = props;
  return (
    <Form
      action={paths.attachments}
      class="stack"
      hidden={[
        ...new URLSearchParams(
          attachAddress.search({ provider: query.provider, q: query.q, page: query.page }),
        ),
      ]}
    >
      <div class="row">
        <button class="btn primary">Attach selected</button>
        <label class="pick">
          <input type="checkbox" name="replace" value="1" /> Replace a site's present property
        </label>
      </div>
      <datalist id="sites">
        {sites.map((id) => (
          <option value={id} />
        ))}
      </datalist>
      <List
        of="Properties without a site"
        items={rows}
        columns={[
          [
            "Attach",
            (row, place) => (
              <label class="tick">
                <input
                  type="checkbox"
                  name="pick"
                  value={place}
                  checked={refused.get(rowValue(row.seen)) !== undefined || row.suggested !== undefined}
                />
                <Unseen>
                  Attach <Told>{row.seen.name}</Told>
                </Unseen>
                <input type="hidden" name={`row-${place}`} value={rowValue(row.seen)} />
              </label>
            ),
            { unseen: true },
          ],
          ["Property", (row) => <PropertyName seen={row.seen} />, { names: true }],
          ["Provider", ({ seen }) => PROVIDER_WORDS[seen.provider]],
          ["Time zone", ({ seen }) => seen.timeZone, { class: "dim" }],
          [
            "Site",
            (row, place) => <SiteField row={row} place={place} refused={refused.get(rowValue(row.seen))} />,
            { class: "all" },
          ],
        ]}
      />
    </Form>
  );
}

function SiteField({
  row,
  place,
  refused,
}: {
  row: PropertyRow;
  place: number;
  refused: RefusedRow | undefined;
}) {
  const id = `site-${place}`;
  return (
    <div class="field">
      <label class="vh" for={id}>
        Site of <Told>{row.seen.name}</Told>
      </label>
      <input
        id={id}
        name={id}
        list="sites"
        value={refused?.site ?? row.suggested ?? ""}
        placeholder="Site identifier"
        maxlength={128}
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        aria-invalid={refused === undefined ? undefined : "true"}
        aria-describedby={refused === undefined ? undefined : `${id}-error`}
      />
      {refused === undefined ? null : (
        <small class="bad" id={`${id}-error`}>
          {refused.error}
        </small>
      )}
    </div>
  );
}

/** A property by its name and its provider's own id. */
export function PropertyName({ seen }: { seen: SeenProperty }) {
  return (
    <>
      <Told class="wrap">{seen.name}</Told>
      {seen.name === seen.property ? null : (
        <small class="block-sm">
          <Code>{seen.property}</Code>
        </small>
      )}
    </>
  );
}

/** Detaches a site's property after a second click, beside what that means. */
export function DetachForm(props: {
  readonly provider: Provider;
  readonly asset: string;
  /** The page that is shown again; the list of attachments where there is none. */
  readonly back?: string;
}) {
  const { provider, asset, back } = props;
  return (
    <SureAct
      action={paths.detachment}
      words="Detach"
      on={`the ${PROVIDER_WORDS[provider]} property of ${asset}`}
      consequence="No more data is pulled from this property. Stored data stays, and you can attach it again."
      sure="Detach property"
      hidden={[
        ["asset", asset],
        ["provider", provider],
        ...(back === undefined ? [] : [["back", back] as const]),
      ]}
    />
  );
}

/** A property with one of its sites; null where it has none. */
interface StandingRow {
  readonly row: PropertyRow;
  readonly site: string | null;
}

/** Attached properties, which can be detached, or those that are not usable. */
function StandingRows({ props }: { props: AttachPageProps }) {
  const { view, query } = props;
  const isAttached = query.show === "attached";
  return (
    <>
      {isAttached ? null : (
        <p class="note">
          The account or the site is not verified. Verify it with the provider, then use Find properties
          again.
        </p>
      )}
      <List
        of={HEADINGS[isAttached ? "attached" : "unusable"]}
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

/** Why the list is empty, and the next step. */
function NoRows({ props: { query, has, view } }: { props: AttachPageProps }) {
  if (!has.credential) {
    return (
      <Empty heading="No credential yet">
        <p>A credential lists the properties that it sees.</p>
        <Go to={paths.newCredential} words="Add credential" primary />
      </Empty>
    );
  }
  if (!has.property) {
    return (
      <Empty heading="No properties yet">
        <p>Use Find properties on the page of a credential.</p>
        <Go to={paths.credentials} words="Credentials" primary />
      </Empty>
    );
  }
  if (query.q !== "" || query.provider !== null) {
    return (
      <Empty heading="No property matches">
        <p>Try another name, or show all.</p>
        <Go to={attachHref({ show: query.show })} words="Show all" />
      </Empty>
    );
  }
  return (
    <Empty heading={query.show === "attached" ? "Nothing is attached yet" : "Every property has a site"}>
      <p>
        {query.show === "attached"
          ? "Sites have no provider data until a property is attached."
          : `${countOf(view.counts.attached, "property is", "properties are")} attached.`}
      </p>
      <Go
        to={attachHref({ show: query.show === "attached" ? null : "attached" })}
        words={query.show === "attached" ? "Properties without a site" : "Show attached"}
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

/** `/settings/credentials/attachments`. */
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
  if (asset === "") return "Name a site, or unselect the row.";
  const rival = rows.find((other) => other.provider === provider && other.site === asset);
  if (rival !== row)
    return `${asset} is named twice. A site has one ${PROVIDER_WORDS[provider].toLowerCase()} property.`;
  const result = await attachProperty(deps, { asset, provider, credential, property, replace }, by);
  if (result.ok) return result;
  if (result.why === "taken") {
    return `${asset} has ${result.by.property} already. Detach it first, or select Replace above.`;
  }
  if (result.why === "no_site") return "There is no site with this identifier.";
  if (result.why === "no_credential") return "Its credential was removed meanwhile.";
  if (result.why === "unreadable") return "This installation's key cannot read its credential.";
  return "Its credential is for another provider.";
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
