import type { Config } from "../../platform/config.ts";
import { bracketed, isLoopback, isWildcard } from "../../platform/host_name.ts";
import { addressesBoundTo } from "../../platform/own_addresses.ts";
import type { Destination } from "./commands.ts";

/**
 * Where a site sends to: the published address of the ingest; else this machine's own, as other computers reach it where the ingest
 * answers them, with the port that it got. What a container calls its address no other computer reaches.
 */
export function destinationsOf(
  { ingest: { host, publicUrl }, container }: Pick<Config, "ingest" | "container">,
  port: () => number,
  addresses: (host: string) => readonly string[] = addressesBoundTo,
): (asset: string) => Destination {
  const isLocal = isLoopback(host) || isWildcard(host);
  const at = (name: string) => `http://${bracketed(name)}:${port()}`;
  return (asset) => {
    const here = at(isLocal ? "127.0.0.1" : host);
    const [elsewhere] = container === undefined ? addresses(host) : [];
    const isOnlyHere = isLoopback(host) || (isWildcard(host) && elsewhere === undefined);
    return {
      asset,
      ingest: publicUrl ?? (elsewhere === undefined ? here : at(elsewhere)),
      here,
      container: container ?? null,
      token: null,
      loopback: publicUrl === undefined && isOnlyHere,
    };
  };
}
