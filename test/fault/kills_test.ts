/** Few in an ordinary run; `CRASH_KILLS=300` does more. */

import { afterAll, describe, expect, test } from "bun:test";
import { temporaryFolder } from "../support/folder.ts";
import { freshlySeeded } from "../support/random_counts.ts";
import { startService } from "../support/service.ts";
import { judgeFolder, Storm } from "../support/storm.ts";
import { until } from "../support/until.ts";

const KILLS = Number(Bun.env["CRASH_KILLS"] ?? 3);

const KINDS: readonly string[] = ["acknowledged", "annotation", "codebase", "constants", "pulse", "token"];

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

describe("kill -9 under every kind of write (reliability D1, D4)", () => {
  test(
    `after ${KILLS} kills nothing acknowledged is missing, each codebase report has the results of its five rules, and what follows from each report was done exactly once`,
    async () => {
      const storm = new Storm({ dataDir: folder.path, acts: true });
      const kinds = () => [...new Set<string>(storm.acks.map(({ kind }) => kind))].sort();
      const random = freshlySeeded("moments of the kills");
      for (let kill = 0; kill <= KILLS; kill++) {
        const service = await startService(storm.settings);
        try {
          if (kill === 0) await storm.begin(service);
          else {
            const raging = storm.rage(service);
            // The first time every kind of write is under way; later it may hit a service that has hardly begun.
            if (kill === 1)
              await until(
                async () => kinds(),
                ({ length }) => length === KINDS.length,
              );
            await Bun.sleep(40 + random() * 260);
            await service.end("SIGKILL");
            await raging;
          }
        } finally {
          await service.end("SIGKILL");
        }
        const { lost, faults } = await judgeFolder(folder.path, storm.acks);
        expect({ kill, lost: lost.slice(0, 3), faults: faults.slice(0, 5) }).toEqual({
          kill,
          lost: [],
          faults: [],
        });
      }
      expect(kinds()).toEqual([...KINDS]);
      process.stdout.write(`${KILLS} kills: ${storm.acks.length} acknowledged, 0 lost\n`);
    },
    300_000 + KILLS * 8_000,
  );
});
