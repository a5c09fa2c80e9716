import { type Config, isLoopback } from "../../platform/config.ts";
import type { Destination } from "./commands.ts";

const WILDCARDS: readonly string[] = ["0.0.0.0", "::", "[::]"];

/** Where a site sends to: the published address of the ingest, or this machine's with the port that it got. */
export function destinationsOf(
  { host, publicUrl }: Config["ingest"],
  port: () => number,
): (asset: string) => Destination {
  const isLocal = isLoopback(host) || WILDCARDS.includes(host);
  return (asset) => ({
    asset,
    ingest: publicUrl ?? `http://${isLocal ? "127.0.0.1" : host}:${port()}`,
    token: null,
    loopback: publicUrl === undefined && isLoopback(host),
  });
}
