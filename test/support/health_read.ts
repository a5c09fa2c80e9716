/** Asks a service for its health as a program does. */

import type { TestTower } from "./test_tower.ts";

/** A target of the payload. */
export interface ToldTarget {
  readonly asset: string | null;
  readonly target: string | null;
  readonly family: string | null;
  readonly connection_revision: string | null;
  readonly state: string;
  readonly category: string | null;
  readonly last_attempt_started_at: string | null;
  readonly last_success_started_at: string | null;
  readonly covered_date: string | null;
  readonly due_at: string | null;
  readonly next_retry_at: string | null;
  readonly next_retry_reason: string | null;
  readonly action: { readonly code: string; readonly text: string };
  readonly counts: Readonly<Record<string, number>> | null;
}

/** The payload. */
export interface ToldHealth {
  readonly observed_at: string | null;
  readonly workspace: string;
  readonly coverage: {
    readonly state: string;
    readonly reason: string | null;
    readonly configured: number;
    readonly monitored: number;
    readonly unmonitored: number;
    readonly more: { readonly archive: number; readonly operations: number };
  };
  readonly summary: Readonly<Record<string, number>>;
  readonly capabilities: readonly {
    readonly capability: string;
    readonly label: string;
    readonly provider: string;
    readonly kind: string;
    readonly state: string;
    readonly affected_assets: readonly string[];
    readonly targets: readonly ToldTarget[];
  }[];
  readonly events: readonly {
    readonly id: string;
    readonly at: string;
    readonly capability: string;
    readonly asset: string | null;
    readonly target: string | null;
    readonly family: string | null;
    readonly change: string;
    readonly category: string;
  }[];
  readonly monitoring: readonly Readonly<Record<string, string | null>>[];
}

/** Asks over HTTP, as an operator whom a proxy names. */
export function askHealth(
  tower: TestTower,
  { search = "", headers = {} }: { readonly search?: string; readonly headers?: Record<string, string> } = {},
): Promise<Response> {
  return tower.ask(`/api/integrations/health${search}`, { headers });
}

/** The payload, of one site where it is named. */
export async function readHealth(tower: TestTower, asset?: string): Promise<ToldHealth> {
  const answer = await askHealth(tower, { search: asset === undefined ? "" : `?asset=${asset}` });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as ToldHealth;
}

/** The one target of a capability, of a site where it is named. */
export function targetIn(health: ToldHealth, capability: string, asset?: string): ToldTarget {
  const targets = health.capabilities
    .filter((one) => one.capability === capability)
    .flatMap((one) => one.targets)
    .filter((one) => asset === undefined || one.asset === asset);
  const [target] = targets;
  if (target === undefined || targets.length > 1) {
    throw new Error(`${capability} has ${targets.length} targets: ${JSON.stringify(health)}`);
  }
  return target;
}
