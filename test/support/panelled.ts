/** A service with search result panels beside a simulated DataForSEO. */

import { readCredentialFile } from "../../src/providers/given_file.ts";
import { addCredential } from "../../src/signals/credential_changes.ts";
import { addPanel, type NewPanel, PANELS } from "../../src/signals/panels.ts";
import { pulledTower } from "./pulled.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const SITE = "harbor.example";

export async function panelledTower(options: Parameters<typeof pulledTower>[0] = {}) {
  const pulled = await pulledTower(options);
  const { tower, clock, simulators } = pulled;
  const { deps } = tower;
  const by = () => ({ actor: "test", now: clock.now() });
  const read = await readCredentialFile("serp", simulators.serpLogin(), deps.config.providers);
  if (!read.ok) throw new Error(read.faults.join());
  await addCredential(deps, { provider: "serp", secret: read.secret, label: undefined }, by());
  return {
    ...pulled,
    add: async (asked: Partial<NewPanel> = {}) => {
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
    /** Runs the job; the answer is its report. */
    ask: async () => (await deps.jobs.run("panels", "command")).reports,
    /** Paid questions that the simulator saw. */
    questions: () => simulators.log.filter(({ operation }) => operation === "live").length,
    runs: () => pulled.list<Readonly<Record<string, unknown>>>(`/api/assets/${SITE}/panels`),
    /** Current rows of the ledger: period and cents, oldest first. */
    booked: () =>
      deps.store.raw
        .query<{ period: string; amount: number }, []>(
          `SELECT period, amount FROM ledger_entry e WHERE source = 'dataforseo' AND currency = 'USD'
             AND NOT EXISTS (SELECT 1 FROM ledger_entry later WHERE later.corrects = e.id) ORDER BY period`,
        )
        .all()
        .map(({ period, amount }): [string, number] => [period, amount]),
    /** The health of each panel. */
    states: () =>
      deps.health
        .read(clock.now())
        .capabilities.filter(({ capability }) => capability === PANELS)
        .flatMap(({ targets }) => targets.map(({ state, category }) => `${state} ${category}`)),
  };
}
