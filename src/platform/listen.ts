import type { Server } from "bun";
import type { Edge } from "./edge.ts";
import { bracketed, isWildcard, unbracketed } from "./host_name.ts";

/** A listener that accepts connections. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  /** `http://host:port`, with a loopback name where the bound address is a wildcard. */
  readonly url: string;
  /** Requests under way. */
  pending(): number;
  /**
   * Takes the address anew and closes every connection it had, those under way after `graceMs`: the one way to be rid of
   * connections on which nothing was ever sent.
   */
  renew(graceMs: number): Promise<void>;
  /** Stops accepting and waits for the requests under way, at most `withinMs`. */
  stop(withinMs: number): Promise<void>;
}

/**
 * Bun's own cap on a body. It answers with an empty body, so it stands far above the caps of the routes, which answer with a
 * problem document and never read past their bound.
 */
const BACKSTOP_BYTES = 1024 * 1024 * 1024;

/** Between two looks while a listener is renewed, in milliseconds. */
const RENEW_TURN_MS = 50;

/** Starts a listener. Throws when the address is taken. */
export function listen(edge: Edge, host: string, port: number): Listening {
  let server = open(edge, host, port);
  let stopped = false;
  const bound = server.port ?? port;
  const reopen = () => {
    try {
      server = open(edge, host, bound);
      return true;
    } catch {
      return false;
    }
  };
  return {
    host,
    port: bound,
    url: `http://${reachable(host)}:${bound}`,
    pending: () => server.pendingRequests,
    renew: async (graceMs) => {
      const old = server;
      void old.stop();
      let isOpen = reopen();
      // Bun ends a server that has stopped in a later turn only, so that its connections can be closed then and not at once.
      const end = performance.now() + graceMs;
      do await Bun.sleep(RENEW_TURN_MS);
      while (isOpen && old.pendingRequests > 0 && performance.now() < end);
      void old.stop(true);
      // Without a descriptor to listen with, the address is taken as soon as there is one again.
      for (; !isOpen && !stopped; isOpen = reopen()) await Bun.sleep(RENEW_TURN_MS);
    },
    stop: async (withinMs) => {
      stopped = true;
      const force = setTimeout(() => void server.stop(true), withinMs);
      await server.stop();
      clearTimeout(force);
    },
  };
}

function open(edge: Edge, host: string, port: number): Server<undefined> {
  return Bun.serve({
    hostname: unbracketed(host),
    port,
    maxRequestBodySize: BACKSTOP_BYTES,
    idleTimeout: 60,
    development: false,
    // Two services that shared a port would each get some of what is sent, and neither would know. Bun shares it unless it is told.
    reusePort: false,
    fetch: (request, self) => edge(request, () => self.requestIP(request)?.address ?? ""),
    error: () => new Response(null, { status: 500 }),
  });
}

function reachable(host: string): string {
  if (!isWildcard(host)) return bracketed(host);
  return host === "0.0.0.0" ? "127.0.0.1" : "[::1]";
}
