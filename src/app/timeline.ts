/** Commands on what lies beside a site's figures: the timeline's entries, calendars and the ledger. */

import { shown } from "../base/command_line.ts";
import { readContract } from "../base/contract.ts";
import { FILE_KINDS, type FileKindName, importLedger, MAX_CSV_BYTES } from "../ledger/csv.ts";
import { EVERY_SITE, isTarget, retractSchema } from "../sites/annotation_schema.ts";
import { listAnnotations, putRetraction, type RetractResult } from "../sites/annotations.ts";
import {
  addCalendar,
  evidenceOf,
  isCalendarName,
  listCalendars,
  NAME_RULE,
  removeCalendar,
  upcomingOf,
} from "../sites/calendars.ts";
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
  type Outcome,
  refused,
  unknownName,
} from "./command.ts";
import { noSite } from "./sites.ts";

const USUAL = 50;
const MOST = 10_000;

const annotationList = listCommand({
  name: "annotation list",
  summary: "list the timeline's entries, with their ids",
  about: [
    "Lists the timeline's entries, newest first. Entries marked as mistakes are included. Times are UTC.",
  ],
  options: {
    asset: { value: "<id>", says: "entries of this site and of all sites; * for those of all sites only" },
    limit: { value: "<number>", says: `how many at most; ${USUAL} by default` },
  },
  judge: ({ options: { asset, limit } }) => {
    if (asset !== undefined && !isTarget(asset)) return "--asset must be a site's id, or *";
    if (limit === undefined || (/^[1-9]\d*$/.test(limit) && Number(limit) <= MOST)) return undefined;
    return `--limit must be a whole number from 1 to ${MOST}`;
  },
  none: "no entry",
  rows: ({ store: { db } }, { options: { asset, limit } }) => {
    const most = limit === undefined ? USUAL : Number(limit);
    const found = listAnnotations(db, { asset }, most + 1);
    if (asset !== undefined && asset !== EVERY_SITE && found.length === 0 && !hasAsset(db, asset)) {
      return refused(noSite(db, asset));
    }
    return {
      notice: found.length > most ? `only the newest ${most} are listed: --limit takes more` : "",
      rows: found
        .slice(0, most)
        .map(({ id, asset: site, at, kind, ref, note, receivedAt, postedBy, struck }) => ({
          ...{ id, asset: site, at, kind, ref, note },
          received_at: instantOf(receivedAt),
          posted_by: postedBy,
          struck: struck === undefined ? null : { ...struck, at: instantOf(struck.at) },
        })),
    };
  },
  columns: [
    ["ID", ({ id }) => id],
    ["AT", ({ at }) => minuteOf(new Date(at).toISOString())],
    ["SITE", (entry) => entry.asset],
    ["KIND", ({ kind }) => kind],
    ["REF", ({ ref }) => ref],
    ["BY", ({ posted_by }) => posted_by],
    [
      "STRUCK",
      ({ struck }) =>
        struck === null
          ? ""
          : `by ${struck.by}, ${minuteOf(struck.at)}${struck.reason === null ? "" : `: ${struck.reason}`}`,
    ],
  ],
});

const annotationStrike = command({
  name: "annotation strike",
  summary: "mark an entry of the timeline as a mistake",
  takes: ["<id>"],
  about: [
    "Marks an entry of the timeline as a mistake. It stays visible there, with when, by whom and why, and leaves the charts. tower annotation list shows the ids.",
  ],
  options: { reason: { value: "<text>", says: "why, shown with the entry" } },
  judge: ({ options: { reason } }) => {
    const judged = readContract(retractSchema(), reason === undefined ? {} : { reason });
    return judged.ok ? undefined : judged.errors.map(({ message }) => `--reason ${message}`).join("; ");
  },
  run: async ({ writer, clock }, { args: [id = ""], options: { reason = null } }) =>
    told(
      await writer.write((tx) =>
        putRetraction(tx, id, { struck: 1, reason }, { name: "command-line", ...byCommandLine({ clock }) }),
      ),
      id,
      {
        done: "is marked as a mistake: it stays listed, and charts no longer show it",
        same: "was marked as a mistake before",
      },
    ),
});

const annotationUnstrike = command({
  name: "annotation unstrike",
  summary: "undo annotation strike",
  takes: ["<id>"],
  about: ["Undoes annotation strike. The record of it stays."],
  run: async ({ writer, clock }, { args: [id = ""] }) =>
    told(
      await writer.write((tx) =>
        putRetraction(
          tx,
          id,
          { struck: 0, reason: null },
          { name: "command-line", ...byCommandLine({ clock }) },
        ),
      ),
      id,
      {
        done: "is no longer marked as a mistake",
        same: "is not marked as a mistake",
      },
    ),
});

function told(
  result: RetractResult,
  id: string,
  words: { readonly done: string; readonly same: string },
): Outcome {
  if (result === "missing")
    return refused(`there is no entry ${shown(id)}: tower annotation list shows the ids`);
  return result === "done"
    ? notice(`the entry ${words.done}`)
    : refused(`the entry ${words.same}: nothing is changed`);
}

export const ANNOTATION_COMMANDS: readonly Command[] = [annotationList, annotationStrike, annotationUnstrike];

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
  columns: [
    ["NAME", ({ name }) => name],
    ["SITE", ({ asset }) => asset],
    ["LAST READ", ({ last_read_at }) => minuteOf(last_read_at)],
    ["UPCOMING", ({ upcoming }) => String(upcoming)],
    ["FAILS", ({ fails }) => fails ?? ""],
  ],
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

const kindOf = (word: string | undefined): FileKindName | undefined =>
  word === "revenue" || word === "costs" ? word : undefined;

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
  judge: ({ args: [kind] }) =>
    kindOf(kind) === undefined ? `${shown(kind ?? "")} is no kind of file: revenue or costs` : undefined,
  run: async ({ writer, clock, constants }, { args, options, file = "" }) => {
    const { "dry-run": dryRun = false } = options;
    await constants.refresh();
    const rates = constants.current().constants.ledger.operator_rates;
    const by = { by: "command-line", now: clock.now(), rates, dryRun };
    const bytes = Buffer.from(file, "base64");
    const { counts, bad } = await importLedger({ writer }, kindOf(args[0]) ?? "revenue", bytes, by);
    if (bad.length === 0) return done(JSON.stringify(counts), dryRun ? "Dry run: nothing was stored." : "");
    const lines = bad.slice(0, MOST_PRINTED).map(({ line, field, reason }) => {
      const where = line === null ? "the file" : `line ${line}:`;
      return [where, field, reason].filter((part) => part !== null && part !== "").join(" ");
    });
    const more = bad.length > MOST_PRINTED ? [`and ${bad.length - MOST_PRINTED} more`] : [];
    return refused([...lines, ...more, "Nothing was stored."].join("\n"));
  },
});
