import { LIFECYCLES, type Lifecycle, STORAGE_KINDS } from "../../assets/contract.ts";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { Field, Options } from "../component/field.tsx";
import { LIFECYCLE_WORDS, type SiteHead, SiteHeader } from "../component/site_header.tsx";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
import { Told, Unseen } from "../component/text.tsx";
import { Page } from "../layout.tsx";
import type { Shell } from "../shell.ts";
import type { Override } from "./overrides.ts";
import { siteSettingsPaths } from "./paths.ts";
import { type MetricChoice, SiteThresholds } from "./thresholds.tsx";
import { type SiteToken, SiteTokens } from "./tokens.tsx";

/** What was typed and refused, by field. */
export type SiteErrors = Readonly<Partial<Record<"url" | "lifecycle" | "family" | "storage", string>>>;

/** What was typed, as it came; the stored values where nothing was. */
export interface SiteValues {
  readonly url: string;
  readonly lifecycle: string;
  readonly family: string;
  readonly storage: string;
}

export interface SiteSettingsProps {
  readonly shell: Shell;
  readonly site: SiteHead & {
    readonly families: readonly { readonly family: string; readonly storage: string }[];
  };
  readonly values: SiteValues;
  readonly errors: SiteErrors;
  readonly tokens: readonly SiteToken[];
  /** A token that was just issued: shown this once. */
  readonly issued: string | null;
  readonly overrides: readonly Override[];
  /** Metrics the site reported, each of which can be tuned. */
  readonly metrics: MetricChoice;
}

/** Address, lifecycle, metric families, tokens and own thresholds of a site. */
export function SiteSettingsPage(props: SiteSettingsProps) {
  const { shell, site, errors } = props;
  const isRefused = Object.values(errors).some((error) => error !== undefined);
  return (
    <Page shell={shell} title={`Settings of ${site.asset}`} current="sites">
      <SiteHeader site={site} current="settings" />
      {isRefused ? (
        <Callout tone="failing" role="alert">
          <p>Nothing was changed. What to change stands at the field.</p>
        </Callout>
      ) : null}
      <div class="halves">
        <div class="stack">
          <SiteForm props={props} />
          <Families props={props} />
        </div>
        <div class="stack">
          <SiteTokens asset={site.asset} tokens={props.tokens} issued={props.issued} now={shell.now} />
          <SiteThresholds asset={site.asset} overrides={props.overrides} metrics={props.metrics} />
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
  const { site, values, errors } = props;
  return (
    <Block heading="This site">
      <form method="post" action={siteSettingsPaths.page(site.asset)} class="stack form">
        <Field
          id="url"
          label="Address"
          error={errors.url}
          help="Where the site is reached, for example https://shop.example; may be empty"
          control={(wiring) => (
            <input {...wiring} name="url" type="url" value={values.url} maxlength={2048} autocomplete="off" />
          )}
        />
        <Field
          id="lifecycle"
          label="Lifecycle"
          error={errors.lifecycle}
          help={LIFECYCLES.map(
            (lifecycle) => `${LIFECYCLE_WORDS[lifecycle]}: ${LIFECYCLE_HELP[lifecycle]}`,
          ).join(". ")}
          control={(wiring) => (
            <select {...wiring} name="lifecycle">
              <Options
                chosen={values.lifecycle}
                choices={LIFECYCLES.map((lifecycle) => [lifecycle, LIFECYCLE_WORDS[lifecycle]])}
              />
            </select>
          )}
        />
        <div>
          <button class="btn primary">Save</button>
        </div>
      </form>
    </Block>
  );
}

function Families({ props }: { readonly props: SiteSettingsProps }) {
  const { site, values, errors } = props;
  return (
    <Block heading="Metric families" note="what the site reports, and the storage it reads it from">
      {site.families.length === 0 ? (
        <p>None declared. The site's health then has no family of its own to tell of.</p>
      ) : (
        <Table
          caption="Metric families"
          columns={[{ words: "Family" }, { words: "Storage" }, { words: "Action", unseen: true }]}
        >
          {site.families.map(({ family, storage }) => (
            <Row>
              <RowHead>
                <Told class="wrap">{family}</Told>
              </RowHead>
              <Cell class="mono">{storage}</Cell>
              <Cell class="n">
                <form method="post" action={siteSettingsPaths.withdrawFamily(site.asset)}>
                  <input type="hidden" name="family" value={family} />
                  <button class="btn bare">
                    Remove<Unseen> the family {family}</Unseen>
                  </button>
                </form>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      <form method="post" action={siteSettingsPaths.families(site.asset)} class="fields">
        <Field
          id="family"
          label="Add a family"
          error={errors.family}
          control={(wiring) => (
            <input
              {...wiring}
              name="family"
              value={values.family}
              placeholder="signups"
              maxlength={200}
              autocomplete="off"
              required
            />
          )}
        />
        <Field
          id="storage"
          label="Storage"
          error={errors.storage}
          control={(wiring) => (
            <select {...wiring} name="storage">
              <Options chosen={values.storage} choices={STORAGE_KINDS.map((kind) => [kind, kind])} />
            </select>
          )}
        />
        <div>
          <button class="btn">Add</button>
        </div>
      </form>
    </Block>
  );
}
