/** `calendar add`, `calendar list` and `calendar remove`. */
import { EVERY_SITE } from "../annotations/mod.ts";
import { addCalendar, evidenceOf, listCalendars, removeCalendar, upcomingOf } from "../calendars/store.ts";
import { shown } from "../lib/command_line.ts";
import { didYouMean, nearest } from "../lib/near.ts";
import { type Command, command, done, refused } from "./contract.ts";
import { instantOf, JSON_OPTION, listing, minuteOf } from "./listing.ts";

export const calendarAdd: Command = command({
  name: "calendar add",
  summary: "put a calendar's events on the timeline",
  setsUp: true,
  takes: ["<name>"],
  about: [
    "Stores the secret address of a calendar (.ics), sealed with this installation's key, and prints its id and its connection revision as one line of JSON. Tower reads it every hour: events that came are annotations, those of the next 60 days are shown as upcoming.",
  ],
  options: {
    file: { value: "<path|->", says: "the file that holds the address; - reads standard input" },
    asset: { value: "<id>", says: "the site it is about; without it, every site" },
  },
  fileOf: ({ options: { file } }) => file,
  judge: ({ options: { file } }) => (file === undefined ? "--file is missing: --file <path|->" : undefined),
  run: async (deps, { args: [name = ""], options: { asset = EVERY_SITE }, file = "" }) => {
    const by = { actor: "command-line", now: deps.clock.now() };
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

export const calendarList: Command = command({
  name: "calendar list",
  summary: "list the calendars that are read",
  takes: [],
  about: [
    "Lists the calendars with when each was last read and how many events are to come. No address is shown.",
  ],
  options: { json: JSON_OPTION },
  run: ({ store: { db }, config, clock }, { options: { json = false } }) =>
    listing(
      listCalendars(db).map((one) => {
        const { success, latest } = evidenceOf(db, config.workspace, one) ?? {};
        const upcoming = upcomingOf(one, clock.now()).length;
        return { ...one, readAt: success?.startedAt, fails: latest?.category ?? null, upcoming };
      }),
      {
        json,
        none: "no calendar yet: tower calendar add <name> --file <path>",
        columns: [
          { head: "NAME", cell: ({ name }) => name },
          { head: "SITE", cell: ({ asset }) => asset },
          { head: "LAST READ", cell: ({ readAt }) => minuteOf(readAt) },
          { head: "UPCOMING", cell: ({ upcoming }) => String(upcoming) },
          { head: "FAILS", cell: ({ fails }) => fails ?? "" },
        ],
        asJson: ({ key_id, sealed, coming, added_at, readAt, ...one }) => {
          return { ...one, added_at: instantOf(added_at), last_read_at: instantOf(readAt) };
        },
      },
    ),
});

export const calendarRemove: Command = command({
  name: "calendar remove",
  summary: "stop reading a calendar and forget its address",
  takes: ["<name>"],
  about: ["Removes a calendar with its address and what was to come. What came stays on the timeline."],
  options: {},
  run: async ({ store, writer, clock }, { args: [name = ""] }) => {
    const names = listCalendars(store.db).map((one) => one.name);
    return (await removeCalendar(writer, name, { actor: "command-line", now: clock.now() }))
      ? done("", `${name} is removed. What it told stays on the timeline.`)
      : refused(`there is no calendar ${shown(name)}${didYouMean(nearest(name, names))}`);
  },
});
