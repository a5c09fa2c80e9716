/** Commands on search result panels. */

import { readContract } from "../base/contract.ts";
import {
  addPanel,
  lastRuns,
  listPanels,
  monthlyPrice,
  NewPanelSchema,
  priceOf,
  removePanels,
  USUAL,
  usd,
} from "../signals/panels.ts";
import { hasAsset } from "../sites/sites.ts";
import {
  byCommandLine,
  type Command,
  command,
  done,
  instantOf,
  listCommand,
  minuteOf,
  notice,
  refused,
  unknownName,
} from "./command.ts";
import { noSite } from "./sites.ts";

interface Given {
  readonly args: readonly string[];
  readonly options: object;
}
const read = ({ args: [asset = ""], options }: Given) =>
  readContract(NewPanelSchema, { keyword: "", location: "", ...USUAL, ...options, asset });

const panelAdd = command({
  name: "panel add",
  summary: "look for a site in a search engine's results every few days",
  takes: ["<asset>"],
  about: [
    "Adds a panel: a keyword whose results in Google are looked through for the site, in one place and language and on one device. Each run is paid for at DataForSEO (tower credential add serp). Prints the panel's id, and the most that a run and 30 days of runs cost in USD, as one line of JSON.",
    "What all panels together may cost in a day stands in the constants document: daily_budget under [panels].",
  ],
  options: {
    keyword: { value: "<text>", says: "what is searched for" },
    location: { value: "<code>", says: "DataForSEO's code of the place, such as 2840 (United States)" },
    language: { value: "<code>", says: `its language, such as de; ${USUAL.language} if left out` },
    device: { value: "<desktop|mobile>", says: `${USUAL.device} if left out` },
    depth: { value: "<10..100>", says: `how many results are looked through; ${USUAL.depth} if left out` },
    every: { value: "<days>", says: `days between two runs; ${USUAL.every} if left out` },
  },
  judge: (given) => {
    const judged = read(given);
    if (judged.ok) return undefined;
    const named = (pointer: string) => (pointer === "/asset" ? "<asset>" : `--${pointer.slice(1)}`);
    return judged.errors.map(({ pointer, message }) => `${named(pointer)} ${message}`).join("; ");
  },
  run: async (deps, given) => {
    const judged = read(given);
    if (!judged.ok) throw new RangeError("a panel that breaks the contract was judged good");
    const { value } = judged;
    if (!hasAsset(deps.store.db, value.asset)) return refused(noSite(deps.store.db, value.asset));
    const added = await addPanel(deps, value, byCommandLine(deps));
    if (typeof added === "string") return refused(added);
    const [price_per_run, price_in_30_days] = [usd(priceOf(added.depth)), usd(monthlyPrice(added))];
    return done(JSON.stringify({ id: added.id, price_per_run, price_in_30_days, currency: "USD" }));
  },
});

const panelList = listCommand({
  name: "panel list",
  summary: "list the search result panels",
  about: ["Lists every panel with its last result."],
  none: "There is no panel. To add one: tower panel add <asset> --keyword … --location …",
  rows: ({ store: { db } }) => {
    const runs = lastRuns(db);
    return listPanels(db).map(({ created_at, removed_at: _, ...panel }) => {
      const last = runs.get(panel.id);
      return {
        ...panel,
        created_at: instantOf(created_at),
        last_run_at: instantOf(last?.run.asked_at),
        last_outcome: last === undefined ? null : (last.result?.outcome ?? "failed"),
        last_position: last?.result?.position ?? null,
      };
    });
  },
  columns: [
    ["ID", ({ id }) => id],
    ["SITE", ({ asset }) => asset],
    ["KEYWORD", ({ keyword }) => keyword],
    ["WHERE", ({ location, language, device }) => `${location} ${language} ${device}`],
    ["DEPTH", ({ depth }) => String(depth)],
    ["DAYS", ({ every }) => String(every)],
    ["LAST RUN", ({ last_run_at }) => minuteOf(last_run_at)],
    ["POSITION", ({ last_position, last_outcome }) => String(last_position ?? last_outcome ?? "")],
  ],
});

const panelRemove = command({
  name: "panel remove",
  summary: "stop asking for a panel",
  takes: ["<id>"],
  about: ["Nothing is asked for the panel any more. Its results and what they cost stay."],
  run: async ({ store, writer, clock }, { args: [id = ""] }) => {
    const by = byCommandLine({ clock });
    const panels = listPanels(store.db);
    const known = panels.filter((panel) => panel.id === id);
    await writer.write((tx) => removePanels(tx, known, by));
    if (known.length > 0) return notice(`panel ${id} is removed; its results stay`);
    const ids = panels.map((panel) => panel.id);
    return refused(`${unknownName("panel", id, ids)}: tower panel list shows them`);
  },
});

export const PANEL_COMMANDS: readonly Command[] = [panelAdd, panelList, panelRemove];
