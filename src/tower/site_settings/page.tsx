import { LIFECYCLES, type Lifecycle, STORAGE_KINDS } from "../../assets/contract.ts";
import type { RemovalBar, SiteGroup } from "../../assets/mod.ts";
import { Block } from "../component/block.tsx";
import { type Filled, SelectField, TextField } from "../component/field.tsx";
import { Act, Form, RefusedNote } from "../component/form.tsx";
import { LIFECYCLE_WORDS, type SiteHead, SiteHeader, siteTitle } from "../component/site_header.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import type { FreshToken } from "../fresh_tokens.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { TokenRow } from "../settings/token_rows.ts";
import type { Shell } from "../shell.ts";
import { AddressField, GroupField, LifecycleField } from "./fields.tsx";
import type { MetricChoice } from "./metric_choice.ts";
import type { Override } from "./overrides.ts";
import { SitePause, type SitePausing } from "./pausing.tsx";
import { SiteRemoval } from "./removal.tsx";
import { type SiteSources, Sources } from "./sources.tsx";
import { SiteThresholds } from "./thresholds.tsx";
import { SiteTokens } from "./tokens.tsx";

export interface SiteSettingsProps {
  readonly shell: Shell;
  readonly site: SiteHead & {
    readonly families: readonly { readonly family: string; readonly storage: string }[];
  };
  /** What was typed and refused; the stored values where nothing was. */
  readonly filled: Filled;
  readonly groups: readonly SiteGroup[];
  readonly tokens: readonly TokenRow[];
  /** A token that was just issued, while it may be shown. */
  readonly issued: FreshToken | undefined;
  /** Why it cannot be removed; undefined where it can. */
  readonly bar: RemovalBar | undefined;
  readonly pausing: SitePausing;
  readonly sources: SiteSources;
  readonly overrides: readonly Override[];
  /** Metrics the site reported, each of which can be tuned. */
  readonly metrics: MetricChoice;
}

/** Address, group, lifecycle, metric families, tokens and own thresholds of a site. */
export function SiteSettingsPage(props: SiteSettingsProps) {
  const { shell, site } = props;
  return (
    <Page shell={shell} title={siteTitle(site, "settings")} current="sites">
      <SiteHeader site={site} current="settings" />
      <RefusedNote
        errors={props.filled.errors}
        words="Nothing was changed. What to change stands at the field."
      />
      <div class="halves">
        <div class="stack">
          <SiteForm props={props} />
          <Sources asset={site.asset} sources={props.sources} now={shell.now} />
          <Families props={props} />
        </div>
        <div class="stack">
          <SiteTokens asset={site.asset} tokens={props.tokens} issued={props.issued} now={shell.now} />
          <SiteThresholds asset={site.asset} overrides={props.overrides} metrics={props.metrics} />
          <SitePause asset={site.asset} lifecycle={site.lifecycle} pausing={props.pausing} now={shell.now} />
          <SiteRemoval asset={site.asset} bar={props.bar} />
        </div>
      </div>
    </Page>
  );
}

/** What a lifecycle means for the rules. */
const LIFECYCLE_HELP: Readonly<Record<Lifecycle, string>> = {
  live: "expected to report each night once it has started",
  "pre-launch": "not yet public: its silence raises no error",
  retired: "no longer monitored: its open flags are resolved; its history stays",
};

function SiteForm({ props }: { readonly props: SiteSettingsProps }) {
  const { site, groups, filled } = props;
  return (
    <Block heading="This site">
      <Form action={paths.siteSettings(site.asset)}>
        <AddressField
          label="Address"
          help="Where the site is reached, for example https://shop.example; may be empty"
          filled={filled}
        />
        <GroupField label="Group" groups={groups} filled={filled} />
        <LifecycleField
          help={LIFECYCLES.map(
            (lifecycle) => `${LIFECYCLE_WORDS[lifecycle]}: ${LIFECYCLE_HELP[lifecycle]}`,
          ).join(". ")}
          filled={filled}
        />
        <div>
          <button class="btn primary">Save</button>
        </div>
      </Form>
    </Block>
  );
}

function Families({ props }: { readonly props: SiteSettingsProps }) {
  const { site, filled } = props;
  return (
    <Block heading="Metric families" note="what the site reports, and the storage it reads it from">
      <DataTable
        caption="Metric families"
        items={site.families}
        columns={[
          { words: "Family", names: true, cell: ({ family }) => <Told class="wrap">{family}</Told> },
          { words: "Storage", class: "mono", cell: ({ storage }) => storage },
          {
            words: "Action",
            unseen: true,
            class: "n",
            cell: ({ family }) => (
              <Act
                action={paths.withdrawFamily(site.asset)}
                words="Remove"
                on={`the family ${family}`}
                hidden={[["family", family]]}
              />
            ),
          },
        ]}
        empty={<p>None declared. The site's health then has no family of its own to tell of.</p>}
      />
      <Form action={paths.declareFamily(site.asset)} class="fields">
        <TextField
          name="family"
          label="Add a family"
          filled={filled}
          placeholder="signups"
          maxlength={200}
          autocomplete="off"
          required
        />
        <SelectField
          name="storage"
          label="Storage"
          filled={filled}
          choices={STORAGE_KINDS.map((kind) => [kind, kind])}
        />
        <div>
          <button class="btn">Add</button>
        </div>
      </Form>
    </Block>
  );
}
