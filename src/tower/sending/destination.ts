import { type Config, isLoopback } from "../../platform/config.ts";
import type { Destination } from "./commands.ts";

const WILDCARDS: readonly string[] = ["0.0.0.0", "::", "[::]"];

/** Where a site sends to: the published address of the ingest, or this machine's with the port that it got. */
export function destinationsOf(
  { ingest: { host, publicUrl }, container }: Pick<Config, "ingest" | "container">,
  port: () => number,
): (asset: string) => Destination {
  const isLocal = isLoopback(host) || WILDCARDS.includes(host);
  return (asset) => {
    const here = `http://${isLocal ? "127.0.0.1" : host}:${port()}`;
    return {
      asset,
      ingest: publicUrl ?? here,
      here,
      container: container ?? null,
      token: null,
      loopback: publicUrl === undefined && isLoopback(host),
    };
  };
}
