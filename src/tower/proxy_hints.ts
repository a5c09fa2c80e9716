/**
 * What a reverse proxy's settings lack, told to the log when a request shows it: without a word the proxy would look as if it worked, and
 * every operator as if they sat on it.
 */
import type { Logger } from "@logtape/logtape";

/** The most peers told of: anybody may send a header. */
const MOST_PEERS = 10;

export interface ProxyHints {
  /** A forwarding header came from a peer that is not listed. */
  unlisted(peer: string): void;
  /** A listed peer sent none, so that everybody behind it counts as one. */
  silent(peer: string): void;
  /** The trusted header came from a believed peer without the secret. */
  unproved(peer: string): void;
}

/** Tells each thing once for a peer. */
export function proxyHints(log: Pick<Logger, "warn">): ProxyHints {
  const told = new Set<string>();
  const once = (words: string, peer: string) => {
    const key = `${words} ${peer}`;
    if (told.has(key) || told.size >= MOST_PEERS) return;
    told.add(key);
    log.warn(words, { peer });
  };
  return {
    unlisted: (peer) =>
      once(
        "X-Forwarded-For came from an address that TRUSTED_PROXIES does not name, and was not believed",
        peer,
      ),
    silent: (peer) =>
      once(
        "a proxy of TRUSTED_PROXIES sent no X-Forwarded-For: everybody behind it counts as one address",
        peer,
      ),
    unproved: (peer) =>
      once("the trusted header came without TRUSTED_PROXY_SECRET, and was not believed", peer),
  };
}
