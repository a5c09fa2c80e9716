/** A process that raises flags and sends notices until it is killed, or until nothing waits: `notice_child.ts <folder> <url> <run> [drain]`. */

import { insertOpenFlag } from "../../src/flags/store.ts";
import { listChannels, saveChannel } from "../../src/notices/channels.ts";
import { runNotices } from "../../src/notices/notices.ts";
import { waitingChannels } from "../../src/notices/outbox.ts";
import { RULES } from "../notices/world.ts";
import { openFolder } from "./data_folder.ts";
import { newFlag } from "./make/flag.ts";

const [folder = "", url = "", run = "0", drain] = Bun.argv.slice(2);
const opened = await openFolder(folder, { OUTBOUND_ALLOWED_HOSTS: new URL(url).host });
// Each process is long after the one before: what that one had claimed is taken up again.
const clock = { now: () => Date.now() + Number(run) * 300_000 };
const deps = { ...opened.deps, clock, follower: { settle: async () => {} } };
const by = { actor: "test", now: clock.now() };
if (listChannels(deps.store.db).length === 0)
  await saveChannel(
    deps,
    undefined,
    { name: "ops", rules: RULES, settings: { kind: "webhook", url, secret: null } },
    by,
  );
process.stdout.write("ready\n");
for (let count = 0; ; count++) {
  if (drain === undefined) {
    const id = `${run}-${count}`;
    const flag = newFlag({ asset: `site-${count % 3}` as never, subject: id, message: id });
    await deps.writer.write((tx) => insertOpenFlag(tx, id, flag, clock.now(), "rule"));
    process.stdout.write(`${id}\n`);
  }
  await runNotices(deps, new AbortController().signal);
  if (drain !== undefined && waitingChannels(deps.store.db).all().length === 0) process.exit(0);
}
