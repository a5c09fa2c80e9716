/**
 * A load client of our own: keep-alive connections with one request under way each, bounded in time, loopback only. It runs as a
 * process of its own, so that it can stand on another core than the server, and prints one line of JSON.
 */

import { asClient, runClient, type Times, timesOf } from "./processes.ts";
import { postPacket, RawClient } from "./raw_client.ts";

/** What a run of the client is asked to do; read from standard input as JSON. */
export interface LoadOrder {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Requests are taken in turn. */
  readonly requests: readonly { readonly token: string; readonly body: string }[];
}

/** What it saw. Times are milliseconds. */
export interface LoadResult extends Times {
  readonly perSecond: number;
  /** Answers of the warm-up, too: what the server's CPU time is divided by. */
  readonly all: number;
  /** Answers whose status is not 2xx, and connections that broke. */
  readonly refused: number;
}

/** Runs the client on its own core, when the machine has `taskset` and a second core. */
export const runLoad = (order: LoadOrder): Promise<LoadResult> => runClient(import.meta.path, order);

async function drive(order: LoadOrder): Promise<LoadResult> {
  const packets = order.requests.map(({ token, body }) => postPacket(order.port, order.path, token, body));
  const times: number[] = [];
  let [refused, all, turn] = [0, 0, 0];
  const begin = performance.now() + order.warmUpMs;
  const end = begin + order.measureMs;
  const send = async () => {
    const client = await RawClient.connect(order.port);
    for (let sentAt = performance.now(); sentAt < end; sentAt = performance.now()) {
      const packet = packets[turn++ % packets.length];
      if (packet === undefined) return;
      const { status, ms } = await client.ask(packet, sentAt);
      all++;
      if (sentAt < begin || sentAt + ms > end) continue;
      if (status >= 200 && status < 300) times.push(ms);
      else refused++;
    }
    client.close();
  };
  const connections = Array.from({ length: order.connections }, () => send().catch(() => void refused++));
  await Promise.race([Promise.all(connections), Bun.sleep(order.warmUpMs + order.measureMs + 5_000)]);
  return { ...timesOf(times), perSecond: times.length / (order.measureMs / 1000), all, refused };
}

if (import.meta.main) await asClient(drive);
