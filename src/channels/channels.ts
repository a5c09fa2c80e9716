/** The acts on channels: added, changed, paused, resumed, removed; each stands in the audit, without an address or a secret. */
import { hasAsset, listGroups } from "../assets/mod.ts";
import { appendAudit } from "../audit/mod.ts";
import { sealText } from "../credentials/mod.ts";
import type { Tx, Writer } from "../db/mod.ts";
import { shown } from "../lib/command_line.ts";
import type { Ids } from "../platform/ids.ts";
import type { InstallationKeys } from "../platform/keys.ts";
import type { Channel, ChannelKind, ChannelRules } from "./contract.ts";
import type { ChannelSettings, FieldFault } from "./settings.ts";
import { type ChannelRow, channelOf, findChannelNamed, findChannelRow, putChannelRow } from "./store.ts";

export interface ChannelDeps {
  readonly writer: Pick<Writer, "write">;
  readonly keys: InstallationKeys;
  readonly ids: Ids;
}

/** Who does it, and when (milliseconds since the epoch). */
export interface By {
  readonly actor: string;
  readonly now: number;
}

/** What is asked of a channel: all of it is judged already but what only the database knows. */
export interface AskedChannel {
  readonly name: string;
  readonly rules: ChannelRules;
  /** Left out where address and secrets stay as they are. */
  readonly settings?: ChannelSettings;
}

export type Stored =
  | { readonly ok: true; readonly channel: Channel }
  | { readonly ok: false; readonly why: "missing" }
  | { readonly ok: false; readonly why: "other_kind"; readonly kind: ChannelKind }
  /** Its name is another's, or it names a site or a group that is not there. */
  | { readonly ok: false; readonly why: "refused"; readonly faults: readonly FieldFault[] };

export function addChannel(deps: ChannelDeps, asked: Required<AskedChannel>, by: By): Promise<Stored> {
  const [kind, added_at] = [asked.settings.kind, by.now];
  const none = {
    edit_revision: 0,
    connection_revision: "",
    key_id: "",
    sealed: "",
    paused_at: null,
    removed_at: null,
  };
  const first = { ...none, id: deps.ids.uuid(), kind, added_at };
  return deps.writer.write((tx) => changed(tx, deps, first, asked, { ...by, act: "channel.add" }));
}

/** Changes a channel: other settings begin another connection, another name or rule only another edit. */
export function changeChannel(deps: ChannelDeps, id: string, asked: AskedChannel, by: By): Promise<Stored> {
  return deps.writer.write((tx): Stored => {
    const known = findChannelRow(tx, id);
    if (known === undefined) return { ok: false, why: "missing" };
    const { kind } = known;
    if (asked.settings !== undefined && asked.settings.kind !== kind)
      return { ok: false, why: "other_kind", kind };
    const act = asked.settings === undefined ? "channel.change" : "channel.replace";
    return changed(tx, deps, known, asked, { ...by, act });
  });
}

function changed(
  tx: Tx,
  deps: ChannelDeps,
  known: Omit<ChannelRow, "name" | "rules" | "changed_at">,
  asked: AskedChannel,
  by: By & { readonly act: string },
): Stored {
  const { settings, name, rules } = asked;
  const faults = faultsOf(tx, asked, known.id);
  if (faults.length > 0) return { ok: false, why: "refused", faults };
  const row = { ...known, edit_revision: known.edit_revision + 1, name, rules, changed_at: by.now };
  if (settings === undefined) return { ok: true, channel: stored(tx, row, by) };
  const key = { id: row.id, connection_revision: deps.ids.uuid() };
  const sealed = sealText(deps, "channel", key, JSON.stringify(settings));
  return { ok: true, channel: stored(tx, { ...row, ...key, ...sealed }, by) };
}

/** Pauses a channel, or resumes it; undefined where there is none. */
export function pauseChannel(
  { writer }: Pick<ChannelDeps, "writer">,
  id: string,
  paused: boolean,
  by: By,
): Promise<{ readonly channel: Channel; readonly did: boolean } | undefined> {
  return writer.write((tx) => {
    const known = findChannelRow(tx, id);
    if (known === undefined) return undefined;
    if ((known.paused_at !== null) === paused) return { channel: channelOf(known), did: false };
    const row = { ...known, paused_at: paused ? by.now : null, changed_at: by.now };
    const act = paused ? "channel.pause" : "channel.resume";
    return { channel: stored(tx, row, { ...by, act }), did: true };
  });
}

/** Removes a channel with its address and secrets; undefined where there is none. What was sent to it stays listed. */
export function removeChannel(
  { writer }: Pick<ChannelDeps, "writer">,
  id: string,
  by: By,
): Promise<Channel | undefined> {
  return writer.write((tx) => {
    const known = findChannelRow(tx, id);
    if (known === undefined) return undefined;
    const row = { ...known, sealed: "", key_id: "", removed_at: by.now, changed_at: by.now };
    return stored(tx, row, { ...by, act: "channel.remove" });
  });
}

function stored(tx: Tx, row: ChannelRow, { actor, now: at, act }: By & { readonly act: string }): Channel {
  putChannelRow(tx, row);
  const { name, kind, edit_revision, connection_revision, rules } = row;
  const { quiet, digest: daily_at, ...plain } = rules;
  const held = quiet === null ? null : `${quiet.from}-${quiet.to}`;
  const detail = { kind, name, edit_revision, connection_revision, ...plain, quiet: held, daily_at };
  appendAudit(tx, { at, actor, act, target: `channel:${row.id}`, detail });
  return channelOf(row);
}

/** What is wrong with a name and rules that only the database knows. */
function faultsOf(tx: Tx, { name, rules }: AskedChannel, own: string): FieldFault[] {
  const other = findChannelNamed(tx, name)?.id ?? own;
  const unknown = rules.sites?.find((site) => !hasAsset(tx, site));
  const isGroupKnown = rules.group === null || listGroups(tx).some((group) => group.name === rules.group);
  const faults = [
    other !== own && { field: "name", message: `is the name of another channel (${other})` },
    unknown !== undefined && { field: "sites", message: `there is no site ${shown(unknown)}` },
    !isGroupKnown && { field: "group", message: "there is no group of this name" },
  ];
  return faults.filter((fault) => fault !== false);
}
