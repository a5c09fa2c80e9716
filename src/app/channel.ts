/** Commands on the channels that notices go to. */

import { shown } from "../base/command_line.ts";
import { didYouMean, nearest } from "../base/text.ts";
import { MONITORING_UNAVAILABLE, wordsOf } from "../health/capability_words.ts";
import { capabilityOf } from "../health/catalogue.ts";
import {
  CHANNEL_KINDS,
  EXAMPLES,
  type FieldFault,
  readRules,
  readSettings,
} from "../notices/channel_settings.ts";
import { actOnChannel, findChannelRow, listChannels, saveChannel } from "../notices/channels.ts";
import { testChannel } from "../notices/outbox.ts";
import { settingsOf } from "../notices/senders.ts";
import { keyFault } from "./accounts.ts";
import type { Deps } from "./app.ts";
import {
  byCommandLine,
  type Command,
  command,
  done,
  instantOf,
  listCommand,
  notice,
  type Outcome,
  refused,
  unknownName,
} from "./command.ts";

const channelAdd = command({
  name: "channel add",
  summary: "add a channel for notices",
  setsUp: true,
  takes: ["<kind>"],
  about: [
    `Stores where notices go, sealed with this installation's key, and prints its id and connection revision as one line of JSON. The kinds are ${CHANNEL_KINDS.join(", ")}; slack is the incoming webhook that Slack, Mattermost and Discord (address ending in /slack) take.`,
    `The file is JSON. ${CHANNEL_KINDS.map((kind) => `${kind}: ${EXAMPLES[kind]}`).join(" ")}`,
    "Saving doesn't check a channel: tower channel test sends a test.",
  ],
  options: {
    name: { value: "<name>", says: "what to call it" },
    file: {
      value: "<path|->",
      says: "the file, or - for standard input, which keeps the secret out of files and process lists",
    },
    severity: { value: "<info|warn|error>", says: "send flags of this severity and above (warn)" },
    sites: { value: "<id,…>", says: "only about these sites" },
    group: { value: "<name>", says: "only about the sites of this group" },
    quiet: { value: "<22:00-07:00>", says: "hold all but errors in these hours, then send one digest" },
    zone: { value: "<IANA zone>", says: "the time zone of --quiet and --digest (UTC)" },
    digest: { value: "<08:00>", says: "send a digest each day at this hour" },
    resolved: {
      says: "also send when the last flag of a site is resolved, and when data sources work again",
    },
    heartbeat: {
      says: "a webhook that gets only an hourly call while Tower runs; it needs no secret",
    },
  },
  fileOf: ({ options: { file } }) => file,
  judge: ({ args: [word = ""], options }) => {
    const { name, file, heartbeat } = options;
    const kind = CHANNEL_KINDS.find((known) => known === word);
    if (kind === undefined)
      return `there is no kind ${shown(word)}: the kinds are ${CHANNEL_KINDS.join(", ")}${didYouMean(nearest(word, CHANNEL_KINDS))}`;
    if (heartbeat === true && kind !== "webhook") return "--heartbeat is for a webhook";
    if (name === undefined) return "--name is missing: --name <name>";
    if (file === undefined) return "--file is missing: --file <path>, or --file - for standard input";
    const rules = readRules(name, rulesIn(options));
    if (rules.ok) return { kind, name, rules: rules.value };
    const said = rules.faults.map(({ field, message }) =>
      field.startsWith("quiet.")
        ? "--quiet must be two hours of the day, for example 22:00-07:00"
        : `--${field.split(".")[0]} ${message}`,
    );
    return [...new Set(said)].join("; ");
  },
  run: async (deps, { read: { kind, name, rules }, file = "" }) => {
    const lost = keyFault(deps);
    if (lost !== undefined) return refused(lost);
    const settings = readSettings(kind, file, { heartbeat: rules.heartbeat, outbound: deps.outbound });
    if (!settings.ok) return notStored(settings.faults);
    const asked = { name, rules, settings: settings.value };
    const stored = await saveChannel(deps, undefined, asked, byCommandLine(deps));
    if (!stored.ok) return notStored(stored.faults);
    const { id, connection_revision } = stored.channel;
    return done(
      JSON.stringify({ id, connection_revision }),
      `${name} is stored. To test it: tower channel test ${id}`,
    );
  },
});

type RuleOptions = Partial<
  Record<"severity" | "sites" | "group" | "quiet" | "zone" | "digest", string> &
    Record<"resolved" | "heartbeat", true>
>;

/** The rules that were named. */
function rulesIn({ severity, sites, group, quiet, zone, digest, resolved, heartbeat }: RuleOptions) {
  const [from = "", to = ""] = quiet?.split("-") ?? [];
  const named = {
    ...{ severity, group, zone, digest, resolved, heartbeat },
    sites: sites?.split(/[\s,]+/).filter((id) => id !== ""),
    quiet: quiet === undefined ? undefined : { from, to },
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

function notStored(faults: readonly FieldFault[]): Outcome {
  return refused(
    ["Nothing was stored.", ...faults.map(({ field, message }) => `${field}: ${message}`)].join("\n"),
  );
}

function noChannel({ store: { db } }: Pick<Deps, "store">, text: string): string {
  const known = listChannels(db).flatMap(({ id, name }) => [id, name]);
  return `${unknownName("channel", text, known)}: tower channel list shows them`;
}

/** A channel by its id or its name. */
const findChannel = ({ store: { db } }: Pick<Deps, "store">, text: string) =>
  findChannelRow(db, text) ?? listChannels(db).find(({ name }) => name === text);

const channelList = listCommand({
  name: "channel list",
  summary: "list the channels",
  about: [
    "Lists the channels with their rules. Addresses and secrets are not shown. To see whether one works, use tower channel test.",
  ],
  none: "no channel yet: tower channel add <kind> --name <name> --file <path>",
  rows: ({ store: { db }, keys }) =>
    listChannels(db).map((row) => {
      const { sealed, key_id, changed_at, removed_at, paused_at, added_at, ...shown } = row;
      const readable = settingsOf(keys, row) !== undefined;
      return { ...shown, paused: paused_at !== null, readable, added_at: instantOf(added_at) };
    }),
  columns: ["id", "name", "kind", "rules", "paused", "readable"],
});

const channelTest = command({
  name: "channel test",
  summary: "send a test notice to a channel",
  takes: ["<id>"],
  about: [
    "Sends a test to a channel, by its id or name, and prints the outcome as one line of JSON. A passed test says nothing about real notices. With monitoring: unavailable, the outcome could not be recorded.",
    "Exit code 0 when the test was delivered, 1 when not.",
  ],
  run: async (deps, { args: [text = ""] }) => {
    const row = findChannel(deps, text);
    if (row === undefined) return refused(noChannel(deps, text));
    const { id: delivery, sent, isMonitored } = await testChannel(deps, row);
    const outcome = sent.ok
      ? { outcome: "delivered", receipt: sent.receipt, category: null, code: null }
      : { outcome: "failed", receipt: null, category: sent.category, code: sent.code };
    const { id, connection_revision } = row;
    const monitoring = isMonitored ? {} : { monitoring: "unavailable" };
    const copy = capabilityOf(`notices.${row.kind}.test`)?.copy;
    const told =
      copy && wordsOf(copy, { ...outcome, state: sent.ok ? "working" : "failing", cause: undefined });
    const words = sent.ok ? "the test was delivered." : `${told?.why} ${told?.action.text}`;
    return {
      exitCode: sent.ok ? 0 : 1,
      stdout: JSON.stringify({ id, connection_revision, delivery, ...outcome, ...monitoring }),
      stderr: `${row.name}: ${words}${isMonitored ? "" : ` ${MONITORING_UNAVAILABLE}`}`,
    };
  },
});

/** An act on one channel, named by its id or its name; `did` says what it did, after the channel's name. */
function acting(act: "pause" | "resume" | "remove", summary: string, did: string): Command {
  return command({
    name: `channel ${act}`,
    summary,
    takes: ["<id>"],
    about: [`The channel ${did}`],
    run: async (deps, { args: [text = ""] }) => {
      const id = findChannel(deps, text)?.id ?? text;
      const by = byCommandLine(deps);
      const channel = await actOnChannel(deps, id, act, by);
      return channel === undefined ? refused(noChannel(deps, text)) : notice(`${channel.name} ${did}`);
    },
  });
}

export const CHANNEL_COMMANDS: readonly Command[] = [
  channelAdd,
  channelList,
  channelTest,
  acting("pause", "pause a channel", "is paused. Nothing is sent to it until it is resumed."),
  acting("resume", "resume a paused channel", "is sent notices again."),
  acting(
    "remove",
    "remove a channel",
    "is removed with its address and secrets. What was sent stays listed.",
  ),
];
