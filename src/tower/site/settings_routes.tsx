/** `/sites/{asset}/settings`: where a site is, its families, tokens and thresholds, and its removal. */

import { type BrokenRule, readContract } from "../../base/contract.ts";
import { Problem } from "../../base/problem.ts";
import { retireFlags } from "../../flags/site_flags.ts";
import { barWords, type RemovalBar, removeSite, siteBar } from "../../integrations/site_acts.ts";
import { type AssetChange, changeAsset } from "../../sites/site_changes.ts";
import { issueSiteToken, revokeSiteToken } from "../../sites/site_tokens.ts";
import {
  LIFECYCLES,
  type Lifecycle,
  listGroups,
  NewAssetSchema,
  OWN_SITE_LIVES,
  STORAGE_KINDS,
} from "../../sites/sites.ts";
import { afterShown, type FreshToken } from "../fresh_tokens.ts";
import type { PageGround } from "../ground.ts";
import { withNotice } from "../keyboard.tsx";
import { confirmed } from "../kit/confirmed_form.tsx";
import {
  Act,
  type Filled,
  Form,
  RefusedNote,
  SelectField,
  ShownOnce,
  SureAct,
  TextField,
} from "../kit/field.tsx";
import { Code, Told } from "../kit/links.tsx";
import { Block, Empty, List } from "../kit/list.tsx";
import { mounted, own, refusedFields, typedInto, type Visit } from "../kit/route.ts";
import { LIFECYCLE_WORDS, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { revoked, siteTokenRows, type TokenRow, tokenColumns } from "../settings/token_list.tsx";
import { siteHead } from "../site_head.ts";

// The fields that adding a site and changing one share.

/** What a shared field says where it stands. */
interface SiteField {
  readonly help: string;
  readonly filled: Filled;
}

/** Where the site is reached. */
export function AddressField({ label, ...field }: SiteField & { readonly label: string }) {
  // Not of type "url": a browser would refuse a host without a scheme in its own words, where ours adds the scheme.
  return (
    <TextField name="url" label={label} {...field} inputmode="url" maxlength={2048} autocomplete="off" />
  );
}

/** Which group the site is in; those that are there are offered. */
export function GroupField({
  label,
  groups,
  filled,
}: {
  readonly label: string;
  readonly groups: readonly string[];
  readonly filled: Filled;
}) {
  return (
    <>
      <TextField
        name="group"
        label={label}
        help="For example a customer or a brand. Sites and the Wall can show one group."
        filled={filled}
        list="groups"
        autocomplete="off"
      />
      <datalist id="groups">
        {groups.map((name) => (
          <option value={name} />
        ))}
      </datalist>
    </>
  );
}

/** What stage of its life the site is in. */
export function LifecycleField(field: SiteField) {
  const choices = LIFECYCLES.map((lifecycle) => [lifecycle, LIFECYCLE_WORDS[lifecycle]] as const);
  return <SelectField name="lifecycle" label="Lifecycle" {...field} choices={choices} />;
}

/** A host that was typed without its scheme gets one. */
export function webAddress(typed: string): string {
  return /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:[/?#]\S*)?$/u.test(typed)
    ? `https://${typed}`
    : typed;
}

export function siteSettingsRoutes(deps: PageGround) {
  const sure = confirmed();
  return mounted(deps, [
    own.get(paths.siteSettings, {}, (visit) => page(deps, visit)),
    own.post(paths.siteSettings, {}, (visit) => {
      const { group: before } = siteHead(deps, visit.params.asset, visit);
      const typed = { url: "", group: before ?? "", lifecycle: "" };
      const values = typedInto(visit.form, typed, ["lifecycle"]);
      const judged = judge({
        url: values.url === "" ? null : webAddress(values.url),
        group: values.group === "" ? null : values.group,
        lifecycle: values.lifecycle,
      });
      if (!judged.ok) return refused(deps, visit, values, judged.errors);
      const { url, group = null, lifecycle } = judged.value;
      if (visit.params.asset === deps.config.serviceAsset && lifecycle !== "live") {
        return refused(deps, visit, values, [OWN_SITE_LIVES]);
      }
      return change(deps, visit, { url, group, lifecycle });
    }),
    own.post(paths.declareFamily, {}, (visit) => {
      const values = typedInto(visit.form, { family: "", storage: "" }, ["storage"]);
      const judged = judge({ families: [values] });
      if (!judged.ok) return refused(deps, visit, values, judged.errors);
      const [declare] = judged.value.families;
      return change(deps, visit, declare === undefined ? {} : { declare });
    }),
    own.post(paths.withdrawFamily, {}, (visit) =>
      change(deps, visit, { withdraw: visit.form.get("family") ?? "" }),
    ),
    sure.post(paths.removeSite, {}, async ({ params: { asset }, by }) => {
      const removed = await removeSite(deps, asset, by);
      if (removed.ok) return seeOther(withNotice(paths.portfolio, "site-removed"));
      throw new Problem(removed.bar === "missing" ? "not-found" : "conflict", barWords(removed.bar, asset));
    }),
    sure.post(paths.issueTokenOfSite, {}, async (visit) => {
      const { asset } = siteHead(deps, visit.params.asset, visit);
      await deps.freshTokens.issue(visit, { kind: "site", name: asset }, () =>
        issueSiteToken(deps, asset, visit.by),
      );
      return seeOther(paths.siteSettings(asset));
    }),
    sure.post(paths.revokeTokenOfSite, {}, async ({ params: { asset, id }, by }) => {
      const isOwn = siteTokenRows(deps.db, deps.siteTokens, asset).some((token) => token.id === id);
      return revoked(isOwn && (await revokeSiteToken(deps, id, by)), paths.siteSettings(asset));
    }),
  ]);
}

/** A request about a site. */
type SiteVisit = Visit<SignedIn, { readonly asset: string }, unknown, unknown, unknown>;

/** Judges the changed parts by the contract of a new site; the site's own identifier was judged when it was added. */
function judge(part: { readonly [field: string]: unknown }) {
  return readContract(NewAssetSchema, { id: "a", url: null, lifecycle: "live", families: [], ...part });
}

async function change(deps: PageGround, { params: { asset }, by }: SiteVisit, what: AssetChange) {
  const result = await changeAsset(deps.writer, asset, what, {
    ...by,
    onRetired: (tx) => retireFlags(tx, { asset, serviceAsset: deps.config.serviceAsset, ...by }),
  });
  if (result === "missing") throw new Problem("not-found", "No such site.");
  const back = paths.siteSettings(asset);
  return seeOther(result === "changed" ? withNotice(back, "site-changed") : back);
}

/** The page again, each refusal at its field. */
const refused = (
  deps: PageGround,
  visit: SiteVisit,
  values: Filled["values"],
  errors: readonly BrokenRule[],
) => page(deps, visit, { values, errors: refusedFields(errors) });

/** With what was typed and refused, where something was. */
function page(deps: PageGround, visit: SiteVisit, refusal?: Filled): Response {
  const { db, siteTokens, freshTokens, config } = deps;
  const { who, now } = visit;
  const { asset } = visit.params;
  const site = siteHead(deps, asset, visit);
  const stored = {
    url: site.url ?? "",
    group: site.group ?? "",
    lifecycle: site.lifecycle,
    family: "",
    storage: "d1",
  };
  const filled = { values: { ...stored, ...refusal?.values }, errors: refusal?.errors ?? {} };
  const issued = freshTokens.find(who, { kind: "site", name: asset }, now);
  return visit.page(
    <Page title={siteTitle(site, "settings")} current="sites">
      <SiteHeader site={site} current="settings" />
      <RefusedNote errors={filled.errors} words="Couldn't save. Check the highlighted field." />
      <div class="halves">
        <div class="stack">
          <SiteForm asset={asset} groups={listGroups(db)} filled={filled} />
          <Families asset={asset} families={site.families} filled={filled} />
        </div>
        <div class="stack">
          <SiteTokens asset={asset} tokens={siteTokenRows(db, siteTokens, asset)} issued={issued} />
          <Block heading="Thresholds">
            <p class="row">
              <a href={paths.tuningOfSite(asset)}>Tune a metric</a>
              <a href={paths.tuneCodebase(asset)}>Tune the codebase rules</a>
              <a href={paths.constants}>All thresholds</a>
            </p>
          </Block>
          <SiteRemoval asset={asset} bar={siteBar(db, asset, { siteTokens, config })} />
        </div>
      </div>
    </Page>,
    { status: refusal === undefined ? 200 : 422, noStore: issued !== undefined },
  );
}

/** What a lifecycle means for the rules. */
const LIFECYCLE_HELP: Readonly<Record<Lifecycle, string>> = {
  live: "expected to report each night once it has started",
  "pre-launch": "not yet public: its silence raises no error",
  retired: "no longer monitored: its open flags are resolved; its history stays",
};

function SiteForm(props: {
  readonly asset: string;
  readonly groups: readonly string[];
  readonly filled: Filled;
}) {
  const { filled } = props;
  return (
    <Block heading="This site">
      <Form action={paths.siteSettings(props.asset)} send="Save">
        <AddressField
          label="Address"
          help="Where the site is reached, for example https://shop.example; may be empty"
          filled={filled}
        />
        <GroupField label="Group" groups={props.groups} filled={filled} />
        <LifecycleField
          help={LIFECYCLES.map(
            (lifecycle) => `${LIFECYCLE_WORDS[lifecycle]}: ${LIFECYCLE_HELP[lifecycle]}`,
          ).join(". ")}
          filled={filled}
        />
      </Form>
    </Block>
  );
}

function Families(props: {
  readonly asset: string;
  readonly families: readonly { readonly family: string; readonly storage: string }[];
  readonly filled: Filled;
}) {
  const { asset, filled } = props;
  return (
    <Block heading="Metric families" note="what the site reports, and the storage it reads it from">
      <List
        fold={false}
        of="Metric families"
        items={props.families}
        columns={[
          ["Family", ({ family }) => <Told class="wrap">{family}</Told>],
          ["Storage", ({ storage }) => storage, { class: "mono" }],
          [
            "Action",
            ({ family }) => (
              <Act
                action={paths.withdrawFamily(asset)}
                words="Remove"
                on={`the family ${family}`}
                hidden={{ family }}
              />
            ),
            { class: "n", unseen: true },
          ],
        ]}
        empty={<p>None declared. Declared families are named when a report lacks them.</p>}
      />
      <Form action={paths.declareFamily(asset)} class="fields" send="Add" isMinor>
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
      </Form>
    </Block>
  );
}

function SiteTokens(props: {
  readonly asset: string;
  readonly tokens: readonly TokenRow[];
  /** A token that was just issued, while it may be shown. */
  readonly issued: FreshToken | undefined;
}) {
  const { asset, issued } = props;
  return (
    <Block
      heading="Tokens"
      id="tokens"
      note="more than one may be in force, so that one can replace another"
      tools={<Act action={paths.issueTokenOfSite(asset)} words="Issue a token" hidden={afterShown(issued)} />}
    >
      {issued === undefined ? null : (
        <ShownOnce heading="The new token" fresh={issued} back={paths.siteSettings(asset)} />
      )}
      <List
        of="Tokens"
        items={props.tokens}
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
