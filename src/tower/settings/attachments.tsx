/** `/settings/credentials/attachments`: attaching properties to sites, many at once, and detaching them. */

import { countWords as countOf } from "../../base/text.ts";
import { PROVIDER_NAMES, PROVIDERS, type Provider } from "../../providers/adapter.ts";
import type { SeenProperty } from "../../providers/credentials.ts";
import { listAttachments, listProperties } from "../../providers/properties.ts";
import { attachProperty, disconnect } from "../../signals/credential_changes.ts";
import { listSites } from "../../sites/sites.ts";
import { formatCount } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { withNotice } from "../keyboard.tsx";
import { Form, Kept, SearchForm, SureAct } from "../kit/field.tsx";
import { Chips, Code, Go, Told, Unseen } from "../kit/links.tsx";
import { Block, Empty, List, Pager } from "../kit/list.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { Callout } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import {
  type AttachQuery,
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

type AttachVisit = Pick<Visit<SignedIn, unknown, AttachQuery, unknown, unknown>, "query" | "page">;

/** The refused site of a row with its reason, by the row's value. */
type RefusedRows = ReadonlyMap<string, { readonly site: string; readonly error: string }>;

export function attachRoutes(deps: PageGround) {
  return mounted(deps, [
    own.get(paths.attachments, { query: attachAddress }, (visit) => attachPage(deps, visit, new Map(), 0)),
    own.post(paths.attachments, { query: attachAddress }, async (visit) => {
      const rows = tickedRows(visit.form);
      const replace = visit.form.get("replace") !== null;
      const refused = new Map<string, { readonly site: string; readonly error: string }>();
      let attached = 0;
      for (const row of rows) {
        const result = await attach(deps, row, rows, replace, visit.by);
        if (typeof result === "string") refused.set(rowValue(row), { site: row.site, error: result });
        else attached += result.did === "same" ? 0 : 1;
      }
      const query = attachAddress.read(visit.form);
      if (refused.size > 0) return attachPage(deps, { ...visit, query }, refused, attached);
      const { q } = query;
      const done = attached === 0 ? "nothing-attached" : "properties-attached";
      return seeOther(withNotice(attachHref({ q }), done));
    }),
    own.post(paths.detachment, {}, async ({ form, by }) => {
      const provider = PROVIDERS.find((known) => known === form.get("provider"));
      const asset = form.get("asset") ?? "";
      if (provider !== undefined) await disconnect(deps, { asset, provider }, by);
      return seeOther(withNotice(attachHref({ show: "attached" }), "property-detached"));
    }),
  ]);
}

/** Attaches one ticked row; a sentence where it is refused. */
async function attach(
  deps: PageGround,
  row: TickedRow,
  rows: readonly TickedRow[],
  replace: boolean,
  by: Visit<SignedIn, unknown, unknown, unknown, unknown>["by"],
) {
  const { site: asset, provider, credential, property } = row;
  if (asset === "") return "Name a site, or unselect the row.";
  const rival = rows.find((other) => other.provider === provider && other.site === asset);
  if (rival !== row)
    return `${asset} is named twice. A site has one ${PROVIDER_NAMES[provider].toLowerCase()} property.`;
  const result = await attachProperty(deps, { asset, provider, credential, property, replace }, by);
  if (result.ok) return result;
  if (result.why === "taken") {
    return `${asset} has ${result.by.property} already. Detach it first, or select Replace above.`;
  }
  return {
    no_site: "There is no site with this identifier.",
    no_credential: "Its credential was removed meanwhile.",
    unreadable: "This installation's key cannot read its credential.",
    other_kind: "Its credential is for another provider.",
  }[result.why];
}

const HEADINGS = {
  open: "Properties without a site",
  attached: "Attached properties",
  unusable: "Properties that are not usable",
} as const;

/** `attached` is how many rows of a form were attached beside those that were refused. */
function attachPage(deps: PageGround, { query, page }: AttachVisit, refused: RefusedRows, attached: number) {
  const { db } = deps.store;
  const { show, q } = query;
  const [sites, properties] = [listSites(db), listProperties(db)];
  const all = propertyRows({ properties, attachments: listAttachments(db), sites });
  const { rows, paging, counts } = attachView(all, query);
  const shows = [
    [null, "Without a site", counts.open],
    ["attached", "Attached", counts.attached],
    ["unusable", "Not usable", counts.unusable],
  ] as const;
  const empty =
    q !== "" ? (
      <Empty heading="No property matches">
        <p>Try another name, or show all.</p>
        <Go to={attachHref({ show })} words="Show all" primary />
      </Empty>
    ) : properties.length === 0 ? (
      <Empty heading="No properties yet">
        <p>Add a credential, then use Find properties on its page.</p>
        <Go to={paths.credentials} words="Credentials" primary />
      </Empty>
    ) : (
      <p>{show === "attached" ? "Nothing is attached yet." : "Every property has a site."}</p>
    );
  return page(
    <SettingsPage
      part={paths.credentials}
      title="Attach properties"
      crumb={<a href={paths.credentials}>Credentials</a>}
      note="A site has one property of each provider."
      still
    >
      {refused.size === 0 ? null : (
        <Callout tone="failing" role="alert">
          <p>
            {attached === 0
              ? "Nothing was attached"
              : `${countOf(attached, "property", "properties")} attached`}
            . {countOf(refused.size, "row was", "rows were")} refused. Check the highlighted rows.
          </p>
        </Callout>
      )}
      <Block
        heading={HEADINGS[show ?? "open"]}
        note={
          show === null && counts.suggested > 0
            ? `${countOf(counts.suggested, "likely match", "likely matches")} selected, first in the list`
            : undefined
        }
      >
        <div class="filters">
          <Chips
            label="Which properties"
            choices={shows
              .filter(([one, , count]) => one !== "unusable" || count > 0 || show === one)
              .map(([one, words, count]) => ({
                words: [words, " ", <b>{formatCount(count)}</b>],
                href: attachHref({ show: one, q }),
                chosen: show === one,
              }))}
          />
          <SearchForm
            action={paths.attachments}
            words="Property or site"
            value={q}
            keep={attachAddress.search({ show })}
          />
        </div>
        {show === null && rows.length > 0 ? (
          <OpenRows
            query={query}
            rows={rows}
            sites={sites.filter(({ lifecycle }) => lifecycle !== "retired").map(({ id }) => id)}
            refused={refused}
          />
        ) : show === "attached" ? (
          <List
            of={HEADINGS.attached}
            items={rows.flatMap(({ seen, sites: owners }) => owners.map((site) => ({ seen, site })))}
            empty={empty}
            columns={[
              ["Site", ({ site }) => <a href={paths.site(site)}>{site}</a>],
              ["Property", ({ seen }) => <PropertyName seen={seen} />],
              ["Provider", ({ seen }) => PROVIDER_NAMES[seen.provider]],
              [
                "Action",
                ({ seen, site }) => <DetachForm provider={seen.provider} asset={site} />,
                { class: "act", unseen: true },
              ],
            ]}
          />
        ) : (
          <List
            of={HEADINGS.unusable}
            items={rows}
            empty={empty}
            columns={[
              ["Property", ({ seen }) => <PropertyName seen={seen} />],
              ["Provider", ({ seen }) => PROVIDER_NAMES[seen.provider]],
              [
                "What to do",
                () => "Verify the account or the site with the provider, then use Find properties.",
              ],
            ]}
          />
        )}
        <Pager paging={paging} what="properties" href={(wanted) => attachHref({ show, q, page: wanted })} />
      </Block>
    </SettingsPage>,
    { status: refused.size === 0 ? 200 : 422 },
  );
}

/** Properties without a site, each with a field for one. */
function OpenRows(props: {
  readonly query: AttachQuery;
  readonly rows: readonly PropertyRow[];
  /** Ids of sites, for the fields to offer. */
  readonly sites: readonly string[];
  readonly refused: RefusedRows;
}) {
  const { query, rows, sites, refused } = props;
  const kept = attachAddress.search({ q: query.q, page: query.page });
  const siteField = ({ seen, suggested = "" }: PropertyRow, place: number) => {
    const id = `site-${place}`;
    const { site = suggested, error } = refused.get(rowValue(seen)) ?? {};
    return (
      <div class="field">
        <label class="vh" for={id}>
          Site of <Told>{seen.name}</Told>
        </label>
        <input
          id={id}
          name={id}
          list="sites"
          value={site}
          placeholder="Site identifier"
          maxlength={128}
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          aria-invalid={error === undefined ? undefined : "true"}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
        />
        {error === undefined ? null : (
          <small class="bad" id={`${id}-error`}>
            {error}
          </small>
        )}
      </div>
    );
  };
  return (
    <Form action={paths.attachments} class="stack">
      <Kept search={kept} />
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
        of={HEADINGS.open}
        items={rows}
        columns={[
          [
            "Attach",
            ({ seen, suggested }, place) => (
              <label class="tick">
                <input
                  type="checkbox"
                  name="pick"
                  value={place}
                  checked={refused.has(rowValue(seen)) || suggested !== undefined}
                />
                <Unseen>
                  Attach <Told>{seen.name}</Told>
                </Unseen>
                <input type="hidden" name={`row-${place}`} value={rowValue(seen)} />
              </label>
            ),
            { unseen: true },
          ],
          ["Property", ({ seen }) => <PropertyName seen={seen} />, { names: true }],
          ["Provider", ({ seen }) => PROVIDER_NAMES[seen.provider]],
          ["Time zone", ({ seen }) => seen.timeZone, { class: "dim" }],
          ["Site", siteField, { class: "all" }],
        ]}
      />
    </Form>
  );
}

/** A property by its name and its provider's own id. */
export function PropertyName({ seen }: { readonly seen: SeenProperty }) {
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
function DetachForm({ provider, asset }: { readonly provider: Provider; readonly asset: string }) {
  return (
    <SureAct
      action={paths.detachment}
      words="Detach"
      on={`the ${PROVIDER_NAMES[provider]} property of ${asset}`}
      consequence="No more data is pulled from this property. Stored data stays, and you can attach it again."
      sure="Detach property"
      hidden={{ asset, provider }}
    />
  );
}
