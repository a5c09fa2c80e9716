/**
 * One power cut under the real service, on a file system of its own: storm, cut, back up, count. What it loses is whatever the
 * kernel had not been told to sync; a drive that lies about its own cache is not modelled.
 */

import { join } from "node:path";
import { type Kind, mountNew, settle } from "./loop_mount.ts";
import { type Service, startService } from "./service.ts";
import { judgeFolderApart, Storm } from "./storm.ts";

/** The smallest image that each file system is made on, in megabytes. */
const MEGABYTES: Readonly<Record<"ext4" | "xfs", number>> = { ext4: 128, xfs: 320 };

/** Cuts the power once: `firstStart` somewhere in the first start and the seconds after it, else under a storm of writes. */
export async function cutOnce(
  kind: Exclude<Kind, "tmpfs">,
  { firstStart, afterMs }: { readonly firstStart: boolean; readonly afterMs: number },
) {
  await using mounted = await mountNew(kind, MEGABYTES[kind]);
  await settle(mounted.path);
  const dataDir = join(mounted.path, "data");
  const storm = new Storm({ dataDir, acts: !firstStart });
  const starting = startService(storm.settings);
  let raging: Promise<void> | undefined;
  let service: Service | undefined;
  const up = starting.then(async (started) => {
    service = started;
    await storm.begin(started).catch(() => undefined);
    raging = storm.rage(started);
  });
  up.catch(() => undefined);
  if (!firstStart) await up;
  await Bun.sleep(afterMs);
  const before = storm.acks.length;
  mounted.cut();
  storm.end();
  // A start that the cut caught ends by itself: every call on the disk fails.
  service ??= await starting.catch(() => undefined);
  await service?.end("SIGKILL");
  await raging;
  await up.catch(() => undefined);
  await mounted.remount();

  let dead: string | undefined;
  try {
    const again = await startService(storm.settings);
    if (!(await fetch(`${again.towerUrl}/readyz`)).ok) dead = "not ready";
    await again.end("SIGTERM");
  } catch (error) {
    dead = String(error);
  }
  if (dead !== undefined) return { acknowledged: before, lost: 0, lostWhile: 0, faults: [], dead };
  const { lost, faults } = await judgeFolderApart(dataDir, storm.acks);
  const acknowledged = new Set(storm.acks.slice(0, before).map((ack) => JSON.stringify(ack)));
  const lostBefore = lost.filter((ack) => acknowledged.has(JSON.stringify(ack))).length;
  return {
    /** Acknowledged before the cut; none of these may be lost. */
    acknowledged: before,
    lost: lostBefore,
    /** Acknowledged while the cut was being made and lost: printed, not judged. */
    lostWhile: lost.length - lostBefore,
    faults,
    /** Why the service did not come up again; undefined when it did. */
    dead,
  };
}

/** A cut under a writer without syncs: when nothing is lost, the harness does not bite. */
export async function cutControl(kind: Exclude<Kind, "tmpfs">, afterMs: number) {
  await using mounted = await mountNew(kind, MEGABYTES[kind]);
  await settle(mounted.path);
  const writer = Bun.spawn([process.execPath, join(import.meta.dir, "careless_writer.ts"), mounted.path], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  let said = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of writer.stdout) said += decoder.decode(chunk, { stream: true });
  })();
  for (let tries = 0; said === "" && tries < 1_000; tries++) await Bun.sleep(5);
  await Bun.sleep(afterMs);
  const acknowledged = said.split("\n").slice(0, -1);
  mounted.cut();
  writer.kill("SIGKILL");
  await writer.exited;
  await reading;
  await mounted.remount();
  const { countLeft } = await import("./careless_writer.ts");
  const written = { row: 0, file: 0 };
  for (const line of acknowledged) written[line.startsWith("row") ? "row" : "file"]++;
  const left = countLeft(mounted.path, acknowledged);
  return {
    /** Committed with `synchronous=NORMAL`. */
    rows: { written: written.row, lost: written.row - left.rows },
    /** Written and renamed without a sync. */
    files: { written: written.file, lost: written.file - left.files },
  };
}
