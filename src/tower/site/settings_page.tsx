/** A site's settings: where it is, its sources, thresholds, tokens, pause and removal. */

import type { Pause } from "../../health/pauses.ts";
import { barWords } from "../../integrations/remove_site.ts";
import type { RemovalBar } from "../../sites/site_tokens.ts";
import { LIFECYCLES, type Lifecycle, type SiteGroup, STORAGE_KINDS } from "../../sites/sites.ts";
import type { FreshToken } from "../fresh_tokens.ts";
import { PauseForm, ResumeForm } from "../integrations/acts.tsx";
import { actorWords } from "../kit/actor_words.ts";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { type Filled, SelectField, TextField } from "../kit/field.tsx";
import { Code, Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { Act, Form, RefusedNote, ShownOnce, SureAct } from "../kit/shown_once.tsx";
import { LIFECYCLE_WORDS, type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type TokenRow, tokenColumns } from "../settings/token_list.tsx";
import { AddressField, GroupField, LifecycleField } from "./fields.tsx";
import { type SiteSources, Sources } from "./sources.tsx";
import { type MetricChoice, type Override, SiteThresholds } from "./thresholds.tsx";

function SiteTokens({
  asset,
  tokens,
  issued,
}: {
  readonly asset: string;
  readonly tokens: readonly TokenRow[];
  readonly issued: FreshToken | undefined;
}) {
  return (
    <Block
      heading="Tokens"
      id="tokens"
      note="more than one may be in force, so that one can replace another"
      tools={<Act action={paths.issueTokenOfSite(asset)} words="Issue a token" />}
    >
      {issued === undefined ? null : (
        <ShownOnce heading="The new token" fresh={issued} back={paths.siteSettings(asset)} />
      )}
      <List
        of="Tokens"
        items={tokens}
        id={({ id }) => `token-${id}`}
        columns={[
          ["Token", ({ id }) => <Code>{id}</Code>],
          ...tokenColumns({
            revokeAt: ({ id }) => paths.revokeTokenOfSite(asset, id),
            which: ({ id }) => id,
          }),
        ]}
        empty={
          <Empty heading="No token in force">
            <p>The site cannot send reports until it has one.</p>
          </Empty>
        }
      />
    </Block>
  );
}

/** What of a site is paused, and its pause as a whole. */

interface SitePausing {
  /** The pause of all of it; undefined where it is not paused as a whole. */
  readonly whole: Pause | undefined;
  /** Whether it can be paused: not Tower's own site. */
  readonly isPausable: boolean;
}

/** Pauses all of a site, and resumes it. */
function SitePause(props: {
  readonly asset: string;
  readonly lifecycle: Lifecycle;
  readonly pausing: SitePausing;
}) {
  const { asset, lifecycle, pausing } = props;
  const { whole } = pausing;
  if (!pausing.isPausable || lifecycle === "retired") return null;
  const on = { capability: "", asset, back: paths.siteSettings(asset) };
  return (
    <Block heading="Pause this site" id="pause" tools={<a href={paths.pauses}>What is paused</a>}>
      {whole === undefined ? (
        <>
          <p>For the time in which it is moved or rebuilt.</p>
          <PauseForm {...on} />
        </>
      ) : (
        <>
          <p>
            It is paused since <Moment at={whole.pausedAt} /> by{" "}
            <Told class="wrap">{actorWords(whole.pausedBy)}</Told>,{" "}
            {whole.until === null ? (
              "until it is resumed"
            ) : (
              <>
                until <Moment at={whole.until} />
              </>
            )}
            .
          </p>
          <ResumeForm {...on} />
        </>
      )}
    </Block>
  );
}

/** A site that was a mistake can be removed as long as nothing is stored of it; else why it stays, and what to do instead. */

function SiteRemoval({ asset, bar }: { readonly asset: string; readonly bar: RemovalBar | undefined }) {
  return (
    <Block heading="Remove this site" id="removal">
      {bar === undefined ? (
        <>
          <p>Nothing was ever reported for it. If it was a mistake, it can be taken out.</p>
          <SureAct
            action={paths.removeSite(asset)}
            words="Remove"
            on={`the site ${asset}`}
            consequence="Its tokens are refused at once; what stands on the timeline for it stays."
            sure="Remove it"
          />
        </>
      ) : (
        <p>
          {barWords(bar, asset)}
          {bar === "stored" ? " To stop monitoring it, set its lifecycle to retired." : null}
        </p>
      )}
    </Block>
  );
}

interface SiteSettingsProps {
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
  const { site } = props;
  return (
    <Page title={siteTitle(site, "settings")} current="sites">
      <SiteHeader site={site} current="settings" />
      <RefusedNote errors={props.filled.errors} words="Couldn't save. Check the highlighted field." />
      <div class="halves">
        <div class="stack">
          <SiteForm props={props} />
          <Sources asset={site.asset} sources={props.sources} />
          <Families props={props} />
        </div>
        <div class="stack">
          <SiteTokens asset={site.asset} tokens={props.tokens} issued={props.issued} />
          <SiteThresholds asset={site.asset} overrides={props.overrides} metrics={props.metrics} />
          <SitePause asset={site.asset} lifecycle={site.lifecycle} pausing={props.pausing} />
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
      <List
        fold={false}
        of="Metric families"
        items={site.families}
        columns={[
          ["Family", ({ family }) => <Told class="wrap">{family}</Told>],
          ["Storage", ({ storage }) => storage, { label: false, class: "mono" }],
          [
            "Action",
            ({ family }) => (
              <Act
                action={paths.withdrawFamily(site.asset)}
                words="Remove"
                on={`the family ${family}`}
                hidden={[["family", family]]}
              />
            ),
            { class: "n", unseen: true },
          ],
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
