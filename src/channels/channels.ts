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

export function addChannel(
  deps: ChannelDeps,
  asked: Required<AskedChannel>,
  { actor, now }: By,
): Promise<Stored> {
  return deps.writer.write((tx): Stored => {
    const faults = faultsOf(tx, asked, undefined);
    if (faults.length > 0) return { ok: false, why: "refused", faults };
    const { settings, name, rules } = asked;
    const key = { id: deps.ids.uuid(), connection_revision: deps.ids.uuid() };
    const row: ChannelRow = {
      ...key,
      ...sealText(deps, "channel", key, JSON.stringify(settings)),
      edit_revision: 1,
      name,
      kind: settings.kind,
      rules,
      added_at: now,
      changed_at: now,
      paused_at: null,
      removed_at: null,
    };
    return stored(tx, row, "channel.add", { actor, now });
  });
}

/** Changes a channel: other settings begin another connection, another name or rule only another edit. */
export function changeChannel(
  deps: ChannelDeps,
  id: string,
  asked: AskedChannel,
  { actor, now }: By,
): Promise<Stored> {
  return deps.writer.write((tx): Stored => {
    const known = findChannelRow(tx, id);
    if (known === undefined) return { ok: false, why: "missing" };
    const { settings, name, rules } = asked;
    if (settings !== undefined && settings.kind !== known.kind)
      return { ok: false, why: "other_kind", kind: known.kind };
    const faults = faultsOf(tx, asked, id);
    if (faults.length > 0) return { ok: false, why: "refused", faults };
    const row = { ...known, edit_revision: known.edit_revision + 1, name, rules, changed_at: now };
    if (settings === undefined) return stored(tx, row, "channel.change", { actor, now });
    const key = { id, connection_revision: deps.ids.uuid() };
    const replaced = { ...row, ...key, ...sealText(deps, "channel", key, JSON.stringify(settings)) };
    return stored(tx, replaced, "channel.replace", { actor, now });
  });
}

/** Pauses a channel, or resumes it; undefined where there is none. */
export function pauseChannel(
  { writer }: Pick<ChannelDeps, "writer">,
  id: string,
  paused: boolean,
  { actor, now }: By,
): Promise<{ readonly channel: Channel; readonly did: boolean } | undefined> {
  return writer.write((tx) => {
    const known = findChannelRow(tx, id);
    if (known === undefined) return undefined;
    const did = (known.paused_at !== null) !== paused;
    const row = did ? { ...known, paused_at: paused ? now : null, changed_at: now } : known;
    if (did) stored(tx, row, paused ? "channel.pause" : "channel.resume", { actor, now });
    return { channel: channelOf(row), did };
  });
}

/** Removes a channel with its address and secrets; undefined where there is none. What was sent to it stays listed. */
export function removeChannel(
  { writer }: Pick<ChannelDeps, "writer">,
  id: string,
  { actor, now }: By,
): Promise<Channel | undefined> {
  return writer.write((tx) => {
    const known = findChannelRow(tx, id);
    if (known === undefined) return undefined;
    const row = { ...known, sealed: "", key_id: "", removed_at: now, changed_at: now };
    stored(tx, row, "channel.remove", { actor, now });
    return channelOf(row);
  });
}

function stored(tx: Tx, row: ChannelRow, act: string, { actor, now }: By): Stored & { readonly ok: true } {
  putChannelRow(tx, row);
  const { name, kind, edit_revision, connection_revision, rules } = row;
  const { quiet, digest: daily_at, ...plain } = rules;
  const held = quiet === null ? null : `${quiet.from}-${quiet.to}`;
  const detail = { kind, name, edit_revision, connection_revision, ...plain, quiet: held, daily_at };
  appendAudit(tx, { at: now, actor, act, target: `channel:${row.id}`, detail });
  return { ok: true, channel: channelOf(row) };
}

/** What is wrong with a name and rules that only the database knows. */
function faultsOf(tx: Tx, { name, rules }: AskedChannel, own: string | undefined): FieldFault[] {
  const named = findChannelNamed(tx, name);
  const unknown = rules.sites?.find((site) => !hasAsset(tx, site));
  const isGroupKnown = rules.group === null || listGroups(tx).some((group) => group.name === rules.group);
  return [
    ...(named === undefined || named.id === own
      ? []
      : [{ field: "name", message: `is the name of another channel (${named.id})` }]),
    ...(unknown === undefined ? [] : [{ field: "sites", message: `there is no site ${shown(unknown)}` }]),
    ...(isGroupKnown ? [] : [{ field: "group", message: "there is no group of this name" }]),
  ];
}
