/** Sending one notice to one channel, once; whether and when it is sent again is decided by who sends. */
import { openText } from "../credentials/mod.ts";
import type { Db } from "../db/mod.ts";
import type { Clock } from "../platform/clock.ts";
import type { InstallationKeys } from "../platform/keys.ts";
import type { OutboundRules } from "../platform/outbound.ts";
import type { Notice, Sent } from "./contract.ts";
import { failed } from "./failed.ts";
import { sendMail } from "./mail.ts";
import type { ChannelSettings } from "./settings.ts";
import type { Channel } from "./store.ts";
import { type ChannelRow, findChannelRow } from "./store.ts";
import { sendByHttp } from "./webhooks.ts";

export interface SendDeps {
  readonly store: { readonly db: Db };
  readonly keys: InstallationKeys;
  readonly clock: Clock;
  readonly outbound: OutboundRules;
}

/** Sends a notice over the connection that the channel has. Never throws for anything that the network or the other side does. */
export async function send(
  deps: SendDeps,
  { id, connection_revision }: Pick<Channel, "id" | "connection_revision">,
  notice: Notice,
): Promise<Sent> {
  const row = findChannelRow(deps.store.db, id);
  if (row === undefined) return failed("credential_removed");
  if (row.connection_revision !== connection_revision) return failed("connection_changed");
  const settings = settingsOf(deps.keys, row);
  if (settings === undefined) return failed("credential_unreadable");
  return settings.kind === "mail"
    ? sendMail(deps.outbound, settings, notice)
    : sendByHttp(deps.outbound, settings, notice, deps.clock.now());
}

/** Where a channel leads; undefined where that cannot be read with the keys that are here. It was judged before it was sealed. */
export function settingsOf(keys: InstallationKeys, row: ChannelRow): ChannelSettings | undefined {
  const text = openText(keys, "channel", row);
  return text === undefined ? undefined : (JSON.parse(text) as ChannelSettings);
}
