/** Commands on the sites of the portfolio. */

import { shown } from "../base/command_line.ts";
import { readContract } from "../base/contract.ts";
import { didYouMean } from "../base/nearest.ts";
import { retireFlags } from "../flags/site_flags.ts";
import { barWords, removeSite } from "../integrations/site_acts.ts";
import { listFreshness } from "../reports/pulse.ts";
import { addAsset } from "../sites/site_changes.ts";
import { AskedAssetSchema, hasAsset, listAllAssets, nearSites, OWN_SITE_LIVES } from "../sites/sites.ts";
import type { Db } from "../store/store.ts";
import { byCommandLine, type Command, command, instantOf, listCommand, notice, refused } from "./command.ts";

/** The refusal of an id that no site has. */
export function noSite(db: Db, id: string): string {
  return `there is no site ${shown(id)}${didYouMean(nearSites(db, id))}`;
}

const SAID = {
  added: "was added",
  changed: "was there and is changed",
  same: "is there as asked: nothing is changed",
};

const assetAdd = command({
  name: "asset add",
  summary: "add a site, or change one",
  setsUp: true,
  takes: ["<id>"],
  about: [
    "Adds a site, or changes only the given options of an existing one. An id has at most 128 letters, digits, dots, underscores and hyphens.",
  ],
  options: {
    url: { value: "<address>", says: "the site's address, for example https://shop.example" },
    lifecycle: {
      value: "<state>",
      says: "live (a new site's default), pre-launch or retired. Retiring resolves the site's open flags; its history stays",
    },
    group: { value: "<name>", says: "the group that the site is in, such as a customer or a brand" },
    family: {
      value: "<name>=<storage>",
      many: true,
      says: "a metric family and its storage: d1, analytics-engine, r2 or kv; may be repeated. They replace all declared ones",
    },
  },
  judge: ({ args: [id = ""], options: { family, ...given } }) => {
    const families = family === undefined ? {} : { families: family.map(familyOf) };
    const judged = readContract(AskedAssetSchema, { id, ...given, ...families });
    if (judged.ok) {
      const names = judged.value.families?.map((one) => one.family) ?? [];
      return new Set(names).size < names.length ? "--family: one is given twice" : judged.value;
    }
    return judged.errors.map(({ pointer, message }) => `${wordOf(pointer)} ${message}`).join("; ");
  },
  run: async (deps, { read: asked }) => {
    const { id, lifecycle = "live" } = asked;
    if (id === deps.config.serviceAsset && lifecycle !== "live")
      return refused(`--lifecycle ${OWN_SITE_LIVES.message}`);
    const now = deps.clock.now();
    const result = await addAsset(deps.writer, asked, {
      actor: "command-line",
      now,
      onRetired: (tx) =>
        retireFlags(tx, { asset: id, serviceAsset: deps.config.serviceAsset, now, actor: "command-line" }),
    });
    return notice(`${id} ${SAID[result]}`);
  },
});

/** What was typed for a part of a site. */
function wordOf(pointer: string): string {
  const [, part = "", , ofFamily] = pointer.split("/");
  if (part === "id") return "<id>";
  return part === "families" ? `--family: the ${ofFamily === "storage" ? "storage" : "name"}` : `--${part}`;
}

function familyOf(text: string): { family: string; storage: string } {
  const cut = text.lastIndexOf("=");
  return { family: cut < 0 ? text : text.slice(0, cut), storage: cut < 0 ? "" : text.slice(cut + 1) };
}

const assetList = listCommand({
  name: "asset list",
  summary: "list the sites",
  about: ["Lists the sites, with the time of each last nightly report (UTC)."],
  none: "no site yet: tower asset add <id>",
  rows: ({ store: { db }, clock }) => {
    const heard = new Map(listFreshness(db, clock.now()).map(({ asset, receivedAt }) => [asset, receivedAt]));
    return listAllAssets(db).map(({ id, url, lifecycle, group, families, addedAt, addedBy }) => ({
      ...{ id, url, lifecycle, group, families },
      added_at: instantOf(addedAt),
      added_by: addedBy,
      last_report_at: instantOf(heard.get(id)),
    }));
  },
  columns: ["id", "lifecycle", "group", "last_report_at", "added_at", "added_by", "url"],
});

const assetRemove = command({
  name: "asset remove",
  summary: "remove a site that was a mistake",
  takes: ["<id>"],
  about: [
    "Removes a site without stored data and revokes its tokens. A site with data is retired instead: tower asset add <id> --lifecycle retired. Its timeline entries stay, marked as of no site.",
  ],
  run: async (deps, { args: [id = ""] }) => {
    const { db } = deps.store;
    if (!hasAsset(db, id)) return refused(noSite(db, id));
    const removed = await removeSite(deps, id, byCommandLine(deps));
    if (removed.ok) {
      const { length } = removed.revokedTokens;
      const tokens =
        length === 0 ? "" : `, and ${length === 1 ? "its token is" : `its ${length} tokens are`} revoked`;
      return notice(`${id} is taken out of the portfolio${tokens}`);
    }
    const instead = removed.bar === "stored" ? ` Retire it: tower asset add ${id} --lifecycle retired` : "";
    return refused(`${barWords(removed.bar, id)}${instead}`);
  },
});

export const ASSET_COMMANDS: readonly Command[] = [assetAdd, assetList, assetRemove];
