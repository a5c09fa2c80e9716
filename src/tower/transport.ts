/** How a browser reached the Tower, which decides what its session cookie may be. */

/** Over https; over plain http on this machine, where browsers treat it as secure; or over plain http. */
export type Transport = "https" | "loopback" | "plain";

/** What tells the transport of a request. */
export interface TransportFacts {
  readonly host: string;
  /** The published address, if any. */
  readonly published: string | undefined;
  /** `X-Forwarded-Proto`, when the peer is believed. */
  readonly forwardedProto: string | null;
}

/** The transport of a request. */
export function transportOf({ host, published, forwardedProto }: TransportFacts): Transport {
  if (forwardedProto === "https") return "https";
  if (published?.startsWith("https://") === true && new URL(published).host === host) return "https";
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(host) ? "loopback" : "plain";
}
