/** A provider's client as the service makes it, pointed at simulators. */

import { readConfig } from "../../src/base/config.ts";
import type { HttpClient } from "../../src/base/http_client.ts";
import type { Simulators } from "../../src/demo/simulator/simulators.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { type ProviderClient, providerClient } from "../../src/providers/client.ts";
import { parseServiceAccount } from "../../src/providers/given_file.ts";
import { GoogleTokens } from "../../src/providers/google.ts";
import { parseWebmasterKey, type Secret, type SecretRead } from "../../src/providers/sealing.ts";
import type { FakeClock } from "./clock.ts";
import { promptHttp } from "./http.ts";

export interface ClientChange {
  readonly http?: HttpClient;
  readonly signal?: AbortSignal;
  readonly keyFile?: string;
  readonly connectionRevision?: string;
}

/** A client for the simulators' account, with tokens of its own. */
export async function simulatedClient(
  simulators: Simulators,
  clock: FakeClock,
  provider: Provider,
  change: ClientChange = {},
): Promise<ProviderClient> {
  const config = readConfig(simulators.settings);
  const { keyFile = simulators.serviceAccount(), connectionRevision = "one" } = change;
  const secret: SecretRead<Secret> =
    provider === "webmaster-tools"
      ? parseWebmasterKey(simulators.webmasterKey())
      : await parseServiceAccount(keyFile, config.providers);
  if (!secret.ok) throw new Error("the simulators' own credential is refused");
  return providerClient(
    { config, clock, http: change.http ?? promptHttp(clock), googleTokens: new GoogleTokens() },
    { secret: secret.value, connectionRevision, signal: change.signal ?? new AbortController().signal },
  );
}
