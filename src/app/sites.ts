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
import {
  byCommandLine,
  type Command,
  command,
  instantOf,
  listCommand,
  minuteOf,
  notice,
  refused,
} from "./command.ts";

/** Where an id that is about to be added is like one that is there, the line that says so: it may be a typo. */
export function likeKnownSites(db: Db, id: string): string[] {
  const near = nearSites(db, id);
  return near.length === 0
    ? []
    : [`It is like ${near.join(", ")}: was another meant, tower asset remove ${id} takes it back.`];
}

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
    group: {
      value: "<name>",
      says: "the group that the site is in, such as a customer or a brand",
    },
    "no-group": { says: "removes the site from its group" },
    family: {
      value: "<name>=<storage>",
      many: true,
      says: "a metric family and its storage: d1, analytics-engine, r2 or kv; may be repeated. They replace all declared ones",
    },
  },
  judge: (given) => {
    const judged = read(given);
    if (judged.ok) return both(given.options) ?? twice(given.options.family);
    return judged.errors.map(({ pointer, message }) => `${wordOf(pointer)} ${message}`).join("; ");
  },
  run: async (deps, given) => {
    const judged = read(given);
    if (!judged.ok) throw new RangeError("a site that breaks the contract was judged good");
    const { id, lifecycle = "live" } = judged.value;
    if (id === deps.config.serviceAsset && lifecycle !== "live")
      return refused(`--lifecycle ${OWN_SITE_LIVES.message}`);
    const now = deps.clock.now();
    const near = likeKnownSites(deps.store.db, id);
    const result = await addAsset(deps.writer, judged.value, {
      actor: "command-line",
      now,
      onRetired: (tx) =>
        retireFlags(tx, { asset: id, serviceAsset: deps.config.serviceAsset, now, actor: "command-line" }),
    });
    return notice([`${id} ${SAID[result]}`, ...(result === "added" ? near : [])].join("\n"));
  },
});

/** What was said of the site, by the contract. */
function read({
  args: [id = ""],
  options: { family, "no-group": noGroup = false, ...given },
}: {
  readonly args: readonly string[];
  readonly options: {
    readonly family?: readonly string[];
    readonly url?: string;
    readonly lifecycle?: string;
    readonly group?: string;
    readonly "no-group"?: boolean;
  };
}) {
  return readContract(AskedAssetSchema, {
    id,
    ...given,
    ...(noGroup && { group: null }),
    ...(family === undefined ? {} : { families: family.map(familyOf) }),
  });
}

/** A site cannot be put into a group and taken out of it at once. */
function both(options: { readonly group?: string; readonly "no-group"?: boolean }): string | undefined {
  return options.group !== undefined && options["no-group"] === true
    ? "--group and --no-group cannot be given together"
    : undefined;
}

/** A family has one storage: of two, one would be passed over. */
function twice(families: readonly string[] = []): string | undefined {
  const names = families.map((text) => familyOf(text).family);
  const again = names.find((name, index) => names.indexOf(name) < index);
  return again === undefined ? undefined : `--family: ${shown(again)} is given twice`;
}

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
  columns: [
    ["ID", ({ id }) => id],
    ["STATE", ({ lifecycle }) => lifecycle],
    ["GROUP", ({ group }) => group ?? ""],
    ["LAST REPORT", ({ last_report_at }) => minuteOf(last_report_at) || "never"],
    ["ADDED", ({ added_at }) => minuteOf(added_at)],
    ["BY", ({ added_by }) => added_by],
    ["ADDRESS", ({ url }) => url ?? ""],
  ],
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
