/** A test of a channel: a real notice, whose outcome makes nothing green but the test itself. */
import type { Notice } from "../channels/contract.ts";
import { type SendDeps, send } from "../channels/send.ts";
import type { Channel } from "../channels/store.ts";
import type { Writer } from "../db/mod.ts";
import { channelScope, recordResult, resultOf } from "../health/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import type { Config } from "../platform/config.ts";
import type { Ids } from "../platform/ids.ts";
import { insertNotice } from "./outbox_store.ts";

export interface TestDeps extends SendDeps {
  readonly writer: Pick<Writer, "write">;
  readonly ids: Ids;
  readonly config: Pick<Config, "workspace" | "tower">;
}

/** Sends a test, and stores and records how it ended: it says nothing of real ones. `isMonitored` is false where its health was not recorded. */
export async function testChannel(deps: TestDeps, channel: Channel) {
  const { ids, clock, config, writer } = deps;
  const startedAt = clock.now();
  const notice = testNotice(channel, ids.uuid(), startedAt, config.tower.publicUrl);
  const sent = await send(deps, channel, notice);
  const observedAt = Math.max(startedAt, clock.now());
  const { id, type } = notice;
  const of = { id, type, channel: channel.id, channel_kind: channel.kind };
  const times = { created_at: startedAt, due_at: startedAt, last_attempt_at: startedAt };
  const ended = sent.ok
    ? ({ outcome: "delivered", delivered_at: observedAt, receipt: sent.receipt } as const)
    : ({ outcome: "failed", code: sent.code } as const);
  const attempt = { attempt: `${id}:1`, startedAt, observedAt };
  const isMonitored = await writer.write((tx) => {
    insertNotice(tx, { ...of, ...times, ...ended, attempts: 1 });
    return recordResult(
      tx,
      channelScope(config.workspace, channel, true),
      attempt,
      resultOf(sent.ok ? undefined : sent),
    );
  });
  return { id, sent, isMonitored };
}

function testNotice(
  { id: channel, name }: Channel,
  id: string,
  now: number,
  tower: string | undefined,
): Notice {
  const lines = [
    `Test from Tower: the channel "${name}" works.`,
    "Nothing happened. Notices about your sites will arrive here.",
    ...(tower === undefined ? [] : [`Change what this channel sends: ${tower}/settings/notices#${channel}`]),
  ];
  return {
    id,
    type: "test",
    at: formatInstant(now),
    asset: null,
    subject: "Tower: test notice",
    text: lines.join("\n"),
    html: lines.map((line) => `<p>${Bun.escapeHTML(line)}</p>`).join(""),
    flags: [],
  };
}
