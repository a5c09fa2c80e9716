/** A real process, killed at any moment between a flag and its receipt, with a real receiver. */

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { freshlySeeded } from "../support/random_counts.ts";
import { bareEnvironment } from "../support/service.ts";

/** Few in an ordinary run; `CRASH_KILLS=300` is what the promise asks for. */
const KILLS = Number(Bun.env["CRASH_KILLS"] ?? 3);
const CHILD = join(import.meta.dir, "..", "support", "notice_child.ts");

test(
  `no notice is lost and none is sent again after its receipt: ${KILLS} kills`,
  async () => {
    using folder = temporaryFolder();
    const random = freshlySeeded("kills between a flag and its receipt");
    const received: { readonly id: string; readonly flags: readonly string[] }[] = [];
    const withReceipt = new Set<string>();
    const repeated: string[] = [];
    let kill: ((when: "before" | "after") => void) | undefined;
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const { id, flags } = (await request.json()) as { id: string; flags: { message: string }[] };
        if (withReceipt.has(id)) repeated.push(id);
        received.push({ id, flags: flags.map(({ message }) => message) });
        kill?.("before");
        setTimeout(() => kill?.("after"), 0);
        return new Response(null, { status: 204 });
      },
    });
    const raised = new Set<string>();
    const rows = () => {
      using db = new Database(join(folder.path, "tower.db"), { readonly: true });
      return db
        .query<{ id: string; receipt: string | null; attempts: number }, []>(
          "SELECT id, receipt, attempts FROM notice",
        )
        .all();
    };
    for (let run = 0; run <= KILLS; run++) {
      const isLast = run === KILLS;
      const words = [CHILD, folder.path, `${server.url}hook`, String(run), ...(isLast ? ["drain"] : [])];
      const child = Bun.spawn([process.execPath, ...words], {
        env: bareEnvironment(),
        stdout: "pipe",
        stderr: "pipe",
      });
      const errors = new Response(child.stderr).text();
      // As a request arrives, as it was answered, or at any moment.
      const when = isLast ? "never" : (["before", "after", "any"] as const)[run % 3];
      kill = (at) => (at === when ? child.kill("SIGKILL") : undefined);
      let said = "";
      for await (const chunk of child.stdout) {
        const isReady = said === "";
        said += new TextDecoder().decode(chunk);
        if (isReady && when === "any") setTimeout(() => child.kill("SIGKILL"), random() * 60);
      }
      const code = await child.exited;
      if (isLast ? code !== 0 : child.signalCode !== "SIGKILL") throw new Error(await errors);
      for (const line of said.split("\n").slice(0, -1)) if (line !== "ready") raised.add(line);
      for (const { id, receipt } of rows()) if (receipt !== null) withReceipt.add(id);
    }
    const delivered = new Map<string, Set<string>>();
    for (const { id, flags } of received)
      for (const flag of flags) delivered.set(flag, new Set(delivered.get(flag)).add(id));
    expect([...raised].filter((flag) => !delivered.has(flag))).toStrictEqual([]);
    expect([...delivered].filter(([, ids]) => ids.size > 1)).toStrictEqual([]);
    expect(repeated).toStrictEqual([]);
    const sentTimes = (id: string) => received.filter((one) => one.id === id).length;
    expect(
      rows().filter(({ id, receipt, attempts }) => receipt === null || sentTimes(id) > attempts),
    ).toStrictEqual([]);
    process.stdout.write(
      `${KILLS} kills: ${raised.size} flags, ${withReceipt.size} notices, ${received.length} arrived\n`,
    );
  },
  300_000 + KILLS * 10_000,
);
