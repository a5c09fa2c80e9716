/** What a question to a provider is asked with. */
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { HttpDoor } from "../platform/http_door.ts";
import type { GoogleTokens } from "./google/tokens.ts";
import type { Secret } from "./secret.ts";

export interface ProviderClient {
  readonly http: HttpDoor;
  readonly tokens: GoogleTokens;
  /** Base addresses of the providers. */
  readonly addresses: Config["providers"];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Gives up what is under way; nothing more is sent then. */
  readonly signal: AbortSignal;
  readonly secret: Secret;
  /** The connection that the secret is of: a token of one is never used for another. */
  readonly connectionRevision: string;
}

/** What the service has of it, whoever is asked. */
export interface ClientGround {
  readonly http: HttpDoor;
  readonly googleTokens: GoogleTokens;
  readonly config: Pick<Config, "providers">;
  readonly clock: Clock;
}

/** A client for one connection, for as long as `signal` lets it. */
export function providerClient(
  { http, googleTokens, config, clock }: ClientGround,
  of: Pick<ProviderClient, "secret" | "connectionRevision" | "signal">,
): ProviderClient {
  return {
    ...of,
    http,
    tokens: googleTokens,
    addresses: config.providers,
    now: () => clock.now(),
  };
}
