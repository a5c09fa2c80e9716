/** What a question to a provider is asked with. */
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { HttpDoor } from "../platform/http_door.ts";
import type { Outcome } from "./contract.ts";
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

/** What opens a credential by its id, for the use at hand. */
export interface SecretOpener {
  open(credential: string): Outcome<Secret>;
}

/** As `providerClient`, with the secret of a stored credential; why it cannot be used where it cannot be opened. */
export function openClient(
  deps: ClientGround & { readonly credentials: SecretOpener },
  of: { readonly credential: string; readonly connectionRevision: string },
  signal: AbortSignal,
): Outcome<ProviderClient> {
  const opened = deps.credentials.open(of.credential);
  if (!opened.ok) return opened;
  const { connectionRevision } = of;
  return { ok: true, value: providerClient(deps, { secret: opened.value, connectionRevision, signal }) };
}
