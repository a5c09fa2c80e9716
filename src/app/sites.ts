/** Commands on the sites of the portfolio, their calendars and the ledger. */

import { shown } from "../base/command_line.ts";
import { readContract } from "../base/contract.ts";
import { didYouMean } from "../base/text.ts";
import { retireFlags } from "../flags/site_flags.ts";
import { barWords, removeSite } from "../integrations/site_acts.ts";
import { FILE_KINDS, importLedger, MAX_CSV_BYTES } from "../ledger/csv.ts";
import { listFreshness } from "../reports/pulse.ts";
import { EVERY_SITE, isTarget } from "../sites/annotations.ts";
import {
  addCalendar,
  evidenceOf,
  isCalendarName,
  listCalendars,
  NAME_RULE,
  removeCalendar,
  upcomingOf,
} from "../sites/calendars.ts";
import { addAsset } from "../sites/site_changes.ts";
import { AskedAssetSchema, hasAsset, listAllAssets, nearSites, OWN_SITE_LIVES } from "../sites/sites.ts";
import type { Db } from "../store/store.ts";
import {
  byCommandLine,
  type Command,
  command,
  done,
  instantOf,
  listCommand,
  notice,
  refused,
  unknownName,
} from "./command.ts";

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
      clears: true,
      says: "the group that the site is in, such as a customer or a brand; --group= takes it out of its group",
    },
    family: {
      value: "<name>=<storage>",
      many: true,
      says: "a metric family and its storage: d1, analytics-engine, r2 or kv; may be repeated. They replace all declared ones",
    },
  },
  judge: ({ args: [id = ""], options: { family, group, ...given } }) => {
    const families = family === undefined ? {} : { families: family.map(familyOf) };
    const judged = readContract(AskedAssetSchema, {
      ...{ id, ...given, ...families },
      ...(group === undefined ? {} : { group: group === "" ? null : group }),
    });
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

// Commands on what lies beside a site's figures: calendars and the ledger.

const calendarAdd = command({
  name: "calendar add",
  summary: "add a calendar to the timeline",
  setsUp: true,
  takes: ["<name>"],
  about: [
    "Stores the secret address of a calendar (.ics), sealed with this installation's key, and prints its id and connection revision as one line of JSON. Tower reads it every hour: past events become annotations, those of the next 60 days are shown as upcoming.",
  ],
  options: {
    file: { value: "<path|->", says: "the file with the address, or - for standard input" },
    asset: { value: "<id>", says: "the site it is for; all sites without it" },
  },
  fileOf: ({ options: { file } }) => file,
  judge: ({ args: [name = ""], options: { file, asset } }) => {
    if (file === undefined) return "--file is missing: --file <path|->";
    if (!isCalendarName(name)) return `<name> ${NAME_RULE}`;
    return asset === undefined || isTarget(asset) ? undefined : "--asset must be a site's id, or *";
  },
  run: async (deps, { args: [name = ""], options: { asset = EVERY_SITE }, file = "" }) => {
    const by = byCommandLine(deps);
    const added = await addCalendar(deps, { name, asset, address: file }, by);
    if ("id" in added) {
      const { id, connection_revision } = added;
      const then = `${name} is stored. To read it now: tower job run calendars`;
      return done(JSON.stringify({ id, connection_revision }), then);
    }
    const faults = Object.entries(added).map(([field, message]) => `${field}: ${message}`);
    return refused(["Nothing was stored.", ...faults].join("\n"));
  },
});

const calendarList = listCommand({
  name: "calendar list",
  summary: "list the calendars",
  about: [
    "Lists the calendars with their last read and the number of upcoming events. Addresses are not shown.",
  ],
  none: "no calendar yet: tower calendar add <name> --file <path>",
  rows: ({ store: { db }, config, clock }) =>
    listCalendars(db).map((one) => {
      const { success, latest } = evidenceOf(db, config.workspace, one) ?? {};
      const { key_id, sealed, coming, added_at, ...shown } = one;
      const upcoming = upcomingOf(one, clock.now()).length;
      const read = { added_at: instantOf(added_at), last_read_at: instantOf(success?.startedAt) };
      return { ...shown, fails: latest?.category ?? null, upcoming, ...read };
    }),
  columns: ["name", "asset", "last_read_at", "upcoming", "fails"],
});

const calendarRemove = command({
  name: "calendar remove",
  summary: "remove a calendar with its address",
  takes: ["<name>"],
  about: ["Removes a calendar with its address and upcoming events. Past events stay on the timeline."],
  run: async ({ store, writer, clock }, { args: [name = ""] }) => {
    const names = listCalendars(store.db).map((one) => one.name);
    return (await removeCalendar(writer, name, byCommandLine({ clock })))
      ? notice(`${name} is removed. Its past events stay on the timeline.`)
      : refused(unknownName("calendar", name, names));
  },
});

export const CALENDAR_COMMANDS: readonly Command[] = [calendarAdd, calendarList, calendarRemove];

/** Most bad lines that are printed. */
const MOST_PRINTED = 50;

export const ledgerImport = command({
  name: "ledger import",
  summary: "import revenue or costs from a CSV file",
  takes: ["<revenue|costs>", "<file.csv>"],
  about: [
    "Imports a CSV file in UTF-8 whose first line names its columns, and prints how many lines were stored, replayed and corrected. All lines are stored, or none: each bad line is named.",
    `Columns of revenue: ${FILE_KINDS.revenue.columns.join(", ")}. Of costs: ${FILE_KINDS.costs.columns.join(", ")}. An empty cell is an absent value; amounts are whole minor units, such as 1250 for 12.50 EUR.`,
  ],
  options: { "dry-run": { says: "check the file and store nothing" } },
  fileOf: ({ args: [, path] }) => path,
  fileBytes: MAX_CSV_BYTES,
  judge: ({ args: [kind = ""] }) =>
    kind === "revenue" || kind === "costs"
      ? ({ kind } as const)
      : `${shown(kind)} is no kind of file: revenue or costs`,
  run: async ({ writer, clock, constants }, { read: { kind }, options, file = "" }) => {
    const { "dry-run": dryRun = false } = options;
    await constants.refresh();
    const rates = constants.current().constants.ledger.operator_rates;
    const by = { by: "command-line", now: clock.now(), rates, dryRun };
    const bytes = Buffer.from(file, "base64");
    const { counts, bad } = await importLedger({ writer }, kind, bytes, by);
    if (bad.length === 0) return done(JSON.stringify(counts), dryRun ? "Dry run: nothing was stored." : "");
    const lines = bad.slice(0, MOST_PRINTED).map(({ line, field, reason }) => {
      const where = line === null ? "the file" : `line ${line}:`;
      return [where, field, reason].filter((part) => part !== null && part !== "").join(" ");
    });
    const more = bad.length > MOST_PRINTED ? [`and ${bad.length - MOST_PRINTED} more`] : [];
    return refused([...lines, ...more, "Nothing was stored."].join("\n"));
  },
});
