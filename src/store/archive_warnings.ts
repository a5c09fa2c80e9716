/** Kinds of file systems that answer over a network, by the number that Linux gives them. */

import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Config } from "../base/config.ts";
import { isLoopback } from "../base/hosts.ts";

const OVER_A_NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x01021997, "9P"],
  [0x65735546, "FUSE"],
  [0x00c36400, "Ceph"],
]);

/** What an operator should know of the place of the archive, in sentences; nothing is made there, and nothing is asked of a bucket. */
export async function archiveWarnings({
  rawSignals,
  s3,
}: Pick<Config, "rawSignals" | "s3">): Promise<string[]> {
  if (s3 !== undefined) return bucketWarnings(s3.endpoint);
  return [...(await modeWarnings(rawSignals)), ...(await networkWarnings(rawSignals))];
}

function bucketWarnings(endpoint: string): string[] {
  const { protocol, hostname } = new URL(endpoint);
  if (protocol === "https:" || isLoopback(hostname)) return [];
  return [
    `what is archived travels in the clear to ${hostname}: give S3_ENDPOINT an https address, or keep the network between to yourself`,
  ];
}

async function modeWarnings(path: string): Promise<string[]> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined || (facts.mode & 0o077) === 0) return [];
  return [`others on this machine may look into the archive at ${path}: close it by chmod 700 ${path}`];
}

/** Of the folder, or of the nearest one above that is there. */
async function networkWarnings(path: string): Promise<string[]> {
  const { type } = (await statfs(path).catch(() => undefined)) ?? {};
  if (type === undefined) {
    const above = dirname(path);
    return above === path ? [] : networkWarnings(above);
  }
  // Told as a signed number by some systems.
  const kind = OVER_A_NETWORK.get(Number(type) >>> 0);
  return kind === undefined
    ? []
    : [
        `the archive at ${path} lies on a network file system (${kind}), which may call safe what is not: better a bucket (RAW_SIGNALS=s3://…), or a disk of this machine`,
      ];
}
