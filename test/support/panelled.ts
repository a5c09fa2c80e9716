/** A service with search result panels beside a simulated DataForSEO. */

import { readCredentialFile } from "../../src/providers/given_file.ts";
import { addCredential } from "../../src/signals/credential_changes.ts";
import { addPanel, type NewPanel, PANELS, type Panel } from "../../src/signals/panels.ts";
import { type Pulled, pulledTower } from "./pulled.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const SITE = "harbor.example";

export interface Panelled extends Pulled {
  add(asked?: Partial<NewPanel>): Promise<Panel>;
  /** Runs the job; the answer is its report. */
  ask(): Promise<Readonly<Record<string, number>>>;
  /** Paid questions that the simulator saw. */
  questions(): number;
  runs(): Promise<Readonly<Record<string, unknown>>[]>;
  /** Current rows of the ledger: period and cents, oldest first. */
  booked(): [period: string, cents: number][];
  /** The health of each panel. */
  states(): string[];
}

export async function panelledTower(options: Parameters<typeof pulledTower>[0] = {}): Promise<Panelled> {
  const pulled = await pulledTower(options);
  const { tower, clock, simulators } = pulled;
  const { deps } = tower;
  const by = () => ({ actor: "test", now: clock.now() });
  const read = await readCredentialFile("serp", simulators.serpLogin(), deps.config.providers);
  if (!read.ok) throw new Error(read.faults.join());
  await addCredential(deps, { provider: "serp", secret: read.secret, label: undefined }, by());
  return {
    ...pulled,
    add: async (asked = {}) => {
      const usual = {
        asset: SITE,
        keyword: "harbour tours",
        location: 2840,
        language: "en",
        device: "desktop",
      };
      const panel = { ...usual, depth: 20, every: 1, ...asked } as NewPanel;
      const added = await addPanel(deps, panel, by());
      if (typeof added === "string") throw new Error(added);
      return added;
    },
    ask: async () => (await deps.jobs.run("panels", "command")).reports,
    questions: () => simulators.log.filter(({ operation }) => operation === "live").length,
    runs: () => pulled.list(`/api/assets/${SITE}/panels`),
    booked: () =>
      deps.store.raw
        .query<{ period: string; amount: number }, []>(
          `SELECT period, amount FROM ledger_entry e WHERE source = 'dataforseo' AND currency = 'USD'
             AND NOT EXISTS (SELECT 1 FROM ledger_entry later WHERE later.corrects = e.id) ORDER BY period`,
        )
        .all()
        .map(({ period, amount }) => [period, amount]),
    states: () =>
      deps.health
        .read(clock.now())
        .capabilities.filter(({ capability }) => capability === PANELS)
        .flatMap(({ targets }) => targets.map(({ state, category }) => `${state} ${category}`)),
  };
}
