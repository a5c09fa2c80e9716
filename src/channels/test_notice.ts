/** A test of a channel: a real notice, whose outcome makes nothing green but the test itself. */
import type { Tx, Writer } from "../db/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import type { Config } from "../platform/config.ts";
import type { Ids } from "../platform/ids.ts";
import type { Channel, Notice, Sent } from "./contract.ts";
import { recordSend } from "./health.ts";
import { type SendDeps, send } from "./send.ts";

export interface TestDeps extends SendDeps {
  readonly writer: Pick<Writer, "write">;
  readonly ids: Ids;
  readonly config: Pick<Config, "workspace" | "tower">;
}

/** What a test came to. Times are milliseconds since the epoch. */
export interface Tested {
  readonly notice: Notice;
  readonly sent: Sent;
  readonly startedAt: number;
  readonly finishedAt: number;
  /** Whether the outcome was recorded. */
  readonly isMonitored: boolean;
}

/** Sends a test, and records it; `beside` writes what else is to be kept of it, in the same transaction. */
export async function testChannel(
  deps: TestDeps,
  channel: Channel,
  beside: (tx: Tx, tested: Omit<Tested, "isMonitored">) => void = () => {},
): Promise<Tested> {
  const startedAt = deps.clock.now();
  const notice = testNotice(channel, deps.ids.uuid(), startedAt, deps.config.tower.publicUrl);
  const sent = await send(deps, channel, notice);
  const tested = { notice, sent, startedAt, finishedAt: Math.max(startedAt, deps.clock.now()) };
  const isMonitored = await deps.writer.write((tx) => {
    beside(tx, tested);
    const times = { startedAt, observedAt: tested.finishedAt, nextRetryAt: null };
    return recordSend(tx, deps.config.workspace, channel, {
      ...times,
      attempt: `${notice.id}:1`,
      sent,
      isTest: true,
    });
  });
  return { ...tested, isMonitored };
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
