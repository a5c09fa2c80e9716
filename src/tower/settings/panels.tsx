/** `/settings/panels`: the search panels, the price of a new one before it is saved, and the readings of each. */

import { readContract } from "../../base/contract.ts";
import { orNotFound } from "../../base/problem.ts";
import { DAY_MS, startOfDay, utcDayOf } from "../../base/time.ts";
import { isPaused } from "../../health/pauses.ts";
import { FAULT_CODES, isFaultCode } from "../../providers/faults.ts";
import { limitedUntil } from "../../signals/attempts.ts";
import { panelAccount } from "../../signals/panel_runs.ts";
import {
  addPanel,
  DEVICES,
  dueAt,
  findPanel,
  lastRuns,
  listPanels,
  listRuns,
  monthlyPrice,
  NANO_OF_CENT,
  NewPanelSchema,
  PANELS,
  type Panel,
  type PanelRun,
  panelBar,
  priceOf,
  removePanels,
  spentBetween,
  USUAL,
  usd,
} from "../../signals/panels.ts";
import { isRetired, listPortfolio } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import { formatMoment } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { withNotice } from "../keyboard.tsx";
import { type Filled, Form, RefusedNote, SelectField, SiteField, SureAct, TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { OutsideLink, Told } from "../kit/links.tsx";
import { Block, Empty, List } from "../kit/list.tsx";
import { Facts, Moment } from "../kit/proof.tsx";
import { get, mounted, post, refusedFields, typedInto } from "../kit/route.ts";
import { Callout } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { SettingsPage } from "./settings.tsx";

const BLANK = { asset: "", keyword: "", location: "2840", ...USUAL };
const SHOWN_DAYS = 90;
const MOST_RUNS = 400;

/** The pages of panels. */
export function panelRoutes(deps: PageGround) {
  const { db, writer } = deps;
  const known = (id: string): Panel => orNotFound(findPanel(db, id), "There is no such panel.");
  return mounted(deps, [
    get(paths.panels, {}, ({ search }) => {
      const asset = search.get("asset") ?? "";
      const filled = { values: { ...BLANK, asset }, errors: {} };
      return <PanelsPage deps={deps} filled={filled} priced={null} asset={asset} />;
    }),
    post(paths.panels, {}, async ({ form, by, page }) => {
      const values = typedInto(form, BLANK);
      const judged = readContract(NewPanelSchema, values);
      const again = (errors: Filled["errors"]) =>
        page(<PanelsPage deps={deps} filled={{ values, errors }} priced={null} />, {
          status: 422,
        });
      if (!judged.ok) return again(refusedFields(judged.errors));
      const bar = panelBar(db, judged.value);
      if (bar !== undefined) return again({ [bar.field]: bar.words });
      // The price was shown for exactly these values, or it is shown now.
      const priced = JSON.stringify(judged.value);
      if (form.get("priced") !== priced) {
        return page(<PanelsPage deps={deps} filled={{ values, errors: {} }} priced={priced} />);
      }
      const added = await addPanel(deps, judged.value, by);
      if (typeof added === "string") return again({ keyword: added });
      return seeOther(withNotice(paths.panel(added.id), "panel-added"));
    }),
    post(paths.removePanel, {}, async ({ params: { id }, by }) => {
      const panel = known(id);
      await writer.write((tx) => removePanels(tx, panel.removed_at === null ? [panel] : [], by));
      return seeOther(withNotice(paths.panels, "panel-removed"));
    }),
    get(paths.panel, {}, ({ params: { id }, now }) => {
      const from = now - SHOWN_DAYS * DAY_MS;
      return <PanelPage db={db} panel={known(id)} runs={listRuns(db, { panel: id, from }, MOST_RUNS)} />;
    }),
  ]);
}

const whereOf = ({ location, language, device }: Panel): string => `${location} · ${language} · ${device}`;

/** One result in words; a lost answer counts at its price. */
function resultWords({ panel, run, result }: PanelRun): string {
  if (result?.outcome === "found") return String(result.position);
  if (result?.outcome === "not_in_depth") return `Not in the top ${panel.depth}`;
  const { code = "stopped", charged = null } = result ?? {};
  const why = code !== null && isFaultCode(code) ? FAULT_CODES[code].words : "No result.";
  return charged === null ? `Unknown outcome, price counted ($${usd(run.price)}). ${why}` : `Failed: ${why}`;
}

/** When a panel runs next: where the day's budget is used up, or an answer asked for a pause, after that. */
function NextDue(props: {
  readonly db: Db;
  readonly panel: Panel;
  readonly last: PanelRun | undefined;
  readonly account: ReturnType<typeof panelAccount>;
}) {
  const { now } = here();
  const { db, panel, last, account } = props;
  const { asset, id: property } = panel;
  if (panel.removed_at !== null) return <>Never: the panel is removed</>;
  if (isRetired(db, asset)) return <>Never: the site is retired</>;
  if (isPaused(db, { capability: PANELS, asset }, now)) return <>Paused</>;
  const { connectionRevision = "" } = account ?? {};
  const due = dueAt(panel, last, connectionRevision, 0);
  const held = limitedUntil(db, { asset, provider: "serp", connectionRevision, property }, now);
  return <Moment at={Math.max(now, due, held ?? 0)} />;
}

interface ListProps {
  readonly deps: PageGround;
  readonly filled: Filled;
  /** The values that a price is shown for; null before that. */
  readonly priced: string | null;
  /** The site whose panels are listed; all sites where it is empty. */
  readonly asset?: string;
}

function PanelsPage({ deps, filled, priced, asset = "" }: ListProps) {
  const { now } = here();
  const { db, constants } = deps;
  const account = panelAccount(db);
  const spentToday = `$${usd(spentBetween(db, startOfDay(utcDayOf(now)), now + 1))}`;
  const budget = usd(constants.current().constants.panels.daily_budget * NANO_OF_CENT);
  const note = "Positions in Google for chosen keywords, through DataForSEO. Each run costs money.";
  const pick = (values: readonly string[]) => values.map((value) => [value, value] as const);
  const cost = { depth: Number(filled.values["depth"]), every: Number(filled.values["every"]) };
  const sites = pick(listPortfolio(db).map(({ id }) => id));
  const codes = "DataForSEO's code: 2840 United States, 2826 United Kingdom, 2276 Germany";
  return (
    <SettingsPage part={paths.panels} title="Panels" note={note} still>
      {account !== undefined ? null : (
        <Callout tone="stale">
          <p>
            No DataForSEO account is connected, so no panel runs.{" "}
            <a href={paths.newCredential}>Add credential</a>
          </p>
        </Callout>
      )}
      <Facts
        facts={[
          ["Spent today", `${spentToday} (UTC day)`],
          ["Daily budget", <a href={paths.constants}>{`$${budget}`}: daily_budget under [panels]</a>],
        ]}
      />
      <Block
        heading="Panels"
        tools={asset === "" ? undefined : <a href={paths.panels}>Panels of all sites</a>}
      >
        <PanelTable db={db} asset={asset} account={account} />
      </Block>
      <Block heading="Add a panel" id="add">
        <RefusedNote errors={filled.errors} words="Couldn't add the panel. Check the highlighted field." />
        <Form
          action={`${paths.panels}#add`}
          class="stack channel"
          hidden={priced === null ? {} : { priced }}
          send={priced === null ? "Show price" : "Add panel"}
        >
          <div class="fields">
            <SiteField name="asset" label="Site" filled={filled} choices={sites} />
            <TextField name="keyword" label="Keyword" filled={filled} maxlength={700} required />
            <TextField name="location" label="Location code" filled={filled} help={codes} required />
            <TextField
              name="language"
              label="Language"
              filled={filled}
              help="Such as en, de or zh-CN"
              required
            />
            <SelectField name="device" label="Device" filled={filled} choices={pick(DEVICES)} />
            <TextField name="depth" label="Results to check" filled={filled} help="10 to 100" />
            <TextField name="every" label="Days between runs" filled={filled} help="1 to 365" />
          </div>
          {priced === null ? null : (
            <Callout tone="idle" role="status">
              <p>
                At most <b>${usd(priceOf(cost.depth))}</b> a run and <b>${usd(monthlyPrice(cost))}</b> in 30
                days.
              </p>
            </Callout>
          )}
        </Form>
      </Block>
    </SettingsPage>
  );
}

function PanelTable(props: { db: Db; asset: string; account: ReturnType<typeof panelAccount> }) {
  const { db, asset, account } = props;
  const last = lastRuns(db);
  const resultOf = ({ id }: Panel) => {
    const run = last.get(id);
    return run === undefined ? "No run yet" : `${resultWords(run)} (${formatMoment(run.run.asked_at)})`;
  };
  const nameOf = ({ id, keyword, asset: site }: Panel) => (
    <>
      <a href={paths.panel(id)} data-row>
        <Told class="wrap">{keyword}</Told>
      </a>
      <small class="block-sm">{site}</small>
    </>
  );
  const remove = ({ id, keyword }: Panel) => (
    <SureAct
      {...{ action: paths.removePanel(id), words: "Remove", on: keyword, sure: "Remove panel" }}
      consequence="It no longer runs. Its results stay."
    />
  );
  return (
    <List
      of="Search panels"
      items={listPanels(db, asset === "" ? undefined : asset)}
      id={({ id }) => `panel-${id}`}
      empty={
        <Empty heading="No panels yet">
          <p>Add one below. You see the price first.</p>
        </Empty>
      }
      columns={[
        ["Keyword", nameOf],
        ["Where", whereOf, { class: "nowrap" }],
        ["Last position", resultOf, { label: true, class: "all" }],
        ["Next due", (panel) => <NextDue {...{ db, panel, account }} last={last.get(panel.id)} />],
        ["In 30 days, at most", (panel) => `$${usd(monthlyPrice(panel))}`, { numeric: true }],
        ["Remove", remove, { unseen: true }],
      ]}
    />
  );
}

function PanelPage(props: { readonly db: Db; readonly panel: Panel; readonly runs: readonly PanelRun[] }) {
  const { db, panel, runs } = props;
  const { depth, keyword, asset, every } = panel;
  const days = every === 1 ? "every day" : `every ${every} days`;
  const crumb = <a href={paths.panels}>Panels</a>;
  return (
    <SettingsPage part={paths.panels} title={keyword} heading={<Told>{keyword}</Told>} crumb={crumb}>
      <Facts
        facts={[
          ["Site", <a href={paths.site(asset)}>{asset}</a>],
          ["Where", whereOf(panel)],
          ["Runs", `${days}, down to position ${depth}, at most $${usd(priceOf(depth))} each`],
          ["Removed", panel.removed_at && <Moment at={panel.removed_at} />],
        ]}
      />
      <Block heading={`Last ${SHOWN_DAYS} days`} note="single readings of one place and device">
        {runs.length > 0 ? (
          <List
            of="Readings, newest first"
            items={runs}
            columns={[
              ["When", ({ run }) => <Moment at={run.asked_at} />],
              ["Position", resultWords],
              ["Page", ({ result }) => result?.url && <OutsideLink address={result.url} />, { class: "all" }],
              ["Cost", ({ result }) => result?.cost && `$${result.cost}`, { numeric: true }],
            ]}
          />
        ) : (
          <Empty heading="No runs">
            <p>
              Next due:{" "}
              <NextDue
                {...{ db, panel }}
                last={listRuns(db, { panel: panel.id }, 1)[0]}
                account={panelAccount(db)}
              />
            </p>
          </Empty>
        )}
      </Block>
    </SettingsPage>
  );
}
