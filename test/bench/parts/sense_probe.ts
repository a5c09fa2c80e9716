/**
 * The client of `bench sense` and `bench archive`: one small nightly report every few milliseconds, whatever became of the one before, until its input
 * ends. A process of its own; prints one line of JSON.
 */

import { onCore, type Times, timesOf } from "./processes.ts";

/** Where to, and how often. */
export interface ProbeOrder {
  readonly url: string;
  readonly token: string;
  readonly asset: string;
  readonly everyMs: number;
}

/** Milliseconds from sending to the whole answer. */
export interface Probed extends Times {
  readonly refused: number;
}

/** Probes for as long as the work takes, and at least `leastMs`. */
export async function probing<T>(
  order: ProbeOrder,
  leastMs: number,
  work: () => Promise<T>,
): Promise<readonly [T, Probed]> {
  const child = Bun.spawn([...onCore(1), process.execPath, import.meta.path, JSON.stringify(order)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const [done] = await Promise.all([work(), Bun.sleep(leastMs)]);
  child.stdin.end();
  return [done, JSON.parse(await new Response(child.stdout).text()) as Probed];
}

async function probe({ url, token, asset, everyMs }: ProbeOrder): Promise<Probed> {
  let isOver = false;
  void (async () => {
    for await (const _ of Bun.stdin.stream());
    isOver = true;
  })();
  const times: number[] = [];
  let refused = 0;
  const under: Promise<void>[] = [];
  const body = JSON.stringify({
    asset,
    generatedAt: new Date().toISOString(),
    metrics: { signups: { last24h: 12 }, orders: { last24h: 3, total: 900 } },
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  for (let at = performance.now(); !isOver; at += everyMs) {
    under.push(
      (async () => {
        const begun = performance.now();
        const answer = await fetch(`${url}/api/pulse`, { method: "POST", headers, body });
        await answer.arrayBuffer();
        times.push(performance.now() - begun);
        if (!answer.ok) refused++;
      })(),
    );
    await Bun.sleep(Math.max(0, at + everyMs - performance.now()));
  }
  await Promise.all(under);
  // The first ones find nothing compiled, on either side.
  return { ...timesOf(times.slice(20)), refused };
}

if (import.meta.main) console.log(JSON.stringify(await probe(JSON.parse(Bun.argv[2] ?? "{}") as ProbeOrder)));
