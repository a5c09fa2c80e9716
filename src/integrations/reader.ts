import { type ConstantsKeeper, silentHours } from "../constants/mod.ts";
import type { Store } from "../db/mod.ts";
import type { Config } from "../platform/config.ts";
import type { HealthView } from "./contract.ts";
import { readInventory } from "./inventory.ts";
import { project } from "./project.ts";

/** What reading health needs: stored evidence, and nothing that could ask anybody. */
export interface HealthReaderDeps {
  readonly store: Store;
  readonly config: Pick<Config, "serviceAsset" | "workspace">;
  readonly constants: Pick<ConstantsKeeper, "current">;
}

/** Reads the health of every integration from what is stored. Opens no connection, starts nothing and writes nothing. */
export class HealthReader {
  readonly #deps: HealthReaderDeps;

  constructor(deps: HealthReaderDeps) {
    this.#deps = deps;
  }

  /** How everything stands at a moment (milliseconds since the epoch); of one site where it is named. Never throws. */
  read(now: number, asset?: string): HealthView {
    const { store, config, constants } = this.#deps;
    const silentMsOf = (site: string) => silentHours(constants.current().constants, site) * 3_600_000;
    const inventory = readInventory(store.db, {
      serviceAsset: config.serviceAsset,
      now,
    });
    return project({
      workspace: config.workspace,
      inventory,
      silentMsOf,
      now,
      asset,
    });
  }
}
