/** Properties without a site, each with a field for one. */

import { PROVIDER_NAMES as PROVIDER_WORDS, type Provider } from "../../providers/adapter.ts";
import type { SeenProperty } from "../../providers/credentials.ts";
import { Code, Told, Unseen } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Form, SureAct } from "../kit/shown_once.tsx";
import { paths } from "../paths.ts";
import { type AttachQuery, attachAddress, type PropertyRow, rowValue } from "./attach_rows.ts";

/** What was typed into a row and refused, by the row's value. */
export interface RefusedRow {
  readonly site: string;
  readonly error: string;
}

/** Properties without a site, each with a field for one. */
export function OpenRows(props: {
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
        <button class="btn primary">Attach what is ticked</button>
        <label class="pick">
          <input type="checkbox" name="replace" value="1" /> also where the site has another property of the
          provider, which is replaced
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
      <div>
        <button class="btn">Attach what is ticked</button>
      </div>
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

/** Detaches a site's property, once it was said what that means. */
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
      consequence="No more data is pulled from this property. What was pulled stays, and you can attach it again."
      sure="Detach it"
      hidden={[
        ["asset", asset],
        ["provider", provider],
        ...(back === undefined ? [] : [["back", back] as const]),
      ]}
    />
  );
}
