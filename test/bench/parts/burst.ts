/**
 * The client of `bench nightly` for all that is not full load: single answers in peace, a burst of reports, and single answers while
 * its reports are judged. A process of its own, so that it stands on another core than the server; prints one line of JSON.
 */

import { asClient, runClient, type Times, timesOf } from "./processes.ts";
import { getPacket, postPacket, RawClient } from "./raw_client.ts";

/** What to do; read from standard input as JSON. */
export interface BurstOrder {
  /** Where reports go. */
  readonly port: number;
  readonly path: string;
  /** Where `/readyz` tells how many wait to be judged; absent at a yardstick, which judges nothing. */
  readonly towerPort?: number;
  /** The single reports: a small one, sent every `everyMs`. */
  readonly probe: { readonly token: string; readonly body: string };
  readonly everyMs: number;
  readonly quietMs: number;
  /** Sent once each, over `connections`. */
  readonly burst: readonly { readonly token: string; readonly body: string }[];
  readonly connections: number;
  /** Longest wait until all is judged. */
  readonly patienceMs: number;
}

export interface BurstResult {
  readonly quiet: Times;
  readonly burst: Times;
  /** From the first request of the burst to its last answer. */
  readonly burstMs: number;
  /** From there until nothing waits; undefined when patience ended, or nothing is judged. */
  readonly judgedMs?: number;
  /** What still waited when the burst's last answer came. */
  readonly waiting: number;
  /** Single reports while the burst is judged, and what the Tower answered meanwhile. */
  readonly judging: Times;
  readonly pages: Readonly<Record<string, Times>>;
  readonly refused: number;
}

/** Small answers of the Tower that are asked for while the burst is judged, in turn. */
const PAGES = ["/healthz", "/readyz", "/sign-in"] as const;
/** Asked once a second, which is more often than in life: it reads every site. */
const SCRAPE = "/metrics";
const SCRAPE_MS = 1_000;

export const runBurst = (order: BurstOrder): Promise<BurstResult> => runClient(import.meta.path, order);

async function drive(order: BurstOrder): Promise<BurstResult> {
  let refused = 0;
  const judge = ({ status }: { readonly status: number }) => {
    if (status < 200 || status > 299) refused++;
  };
  const single = await RawClient.connect(order.port);
  const probe = postPacket(order.port, order.path, order.probe.token, order.probe.body);

  /** One report every so often while `goesOn`; one that is late because the one before hung is timed from when it was due. */
  const probing = async (goesOn: () => boolean): Promise<number[]> => {
    const times: number[] = [];
    let due = performance.now();
    for (let since = due; goesOn(); ) {
      const answer = await single.ask(probe, since);
      judge(answer);
      times.push(answer.ms);
      due += order.everyMs;
      const early = due - performance.now();
      if (early > 0) {
        await Bun.sleep(early);
        due = performance.now();
      }
      since = due;
    }
    return times;
  };

  // The first answers compile what they run.
  for (let i = 0; i < 50; i++) await single.ask(probe);
  const quietUntil = performance.now() + order.quietMs;
  const quiet = timesOf(await probing(() => performance.now() < quietUntil));

  const packets = order.burst.map(({ token, body }) => postPacket(order.port, order.path, token, body));
  const clients = await Promise.all(
    Array.from({ length: order.connections }, () => RawClient.connect(order.port)),
  );
  const begun = performance.now();
  const took: number[] = [];
  let next = 0;
  await Promise.all(
    clients.map(async (client) => {
      for (let packet = packets[next++]; packet !== undefined; packet = packets[next++]) {
        const answer = await client.ask(packet);
        judge(answer);
        took.push(answer.ms);
      }
    }),
  );
  const answered = performance.now();
  const burst = timesOf(took);
  const burstMs = answered - begun;
  for (const client of clients) client.close();
  if (order.towerPort === undefined) {
    return { quiet, burst, burstMs, waiting: 0, judging: quiet, pages: {}, refused };
  }

  const pages = new Map<string, number[]>([...PAGES, SCRAPE].map((path) => [path, []]));
  let scraped = 0;
  const tower = await RawClient.connect(order.towerPort);
  const readyz = getPacket(order.towerPort, "/readyz");
  let [waiting, judgedMs]: [number | undefined, number | undefined] = [undefined, undefined];
  const end = answered + order.patienceMs;
  const probed = probing(() => judgedMs === undefined && performance.now() < end);
  for (let turn = 0; judgedMs === undefined && performance.now() < end; turn++) {
    const answer = await tower.ask(readyz);
    const left = (JSON.parse(answer.body) as { reports_waiting: number }).reports_waiting;
    waiting ??= left;
    // A single report may wait at any moment.
    if (left <= 1) judgedMs = performance.now() - answered;
    const isScrape = performance.now() - scraped > SCRAPE_MS;
    const path = isScrape ? SCRAPE : (PAGES[turn % PAGES.length] ?? "/healthz");
    if (isScrape) scraped = performance.now();
    if (left > 1) pages.get(path)?.push((await tower.ask(getPacket(order.towerPort, path))).ms);
    await Bun.sleep(2);
  }
  const judging = timesOf(await probed);
  return {
    quiet,
    burst,
    burstMs,
    ...(judgedMs === undefined ? {} : { judgedMs }),
    waiting: waiting ?? 0,
    judging,
    pages: Object.fromEntries([...pages].map(([path, times]) => [path, timesOf(times)])),
    refused,
  };
}

if (import.meta.main) await asClient(drive);
