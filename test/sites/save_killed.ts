/** Saves the constants document and kills itself before the step that it is told: run by save_test.ts. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConstantsStore } from "../../src/sites/constants_store.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore, putServiceState } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { stepDoors } from "../support/step_doors.ts";

export const OLD = "[freshness]\nsilent_hours = 30\n";
export const NEW = "[freshness]\nsilent_hours = 50\n";

if (import.meta.main) {
  const [, , folder = "", at = ""] = Bun.argv;
  let step = -1;
  const may = (): void => {
    if (step >= 0 && step++ === Number(at)) process.kill(process.pid, "SIGKILL");
  };
  const path = join(folder, "constants.toml");
  writeFileSync(path, OLD);
  const store = openStore(join(folder, "tower.db"));
  migrateStore(store);
  const doors = stepDoors(new Writer(store), may);
  const keeper = await ConstantsStore.start({
    path,
    ...doors,
    clock: { now: () => 1_000 },
    db: store.db,
  });
  step = 0;
  await keeper.save(
    NEW,
    { author: "operator:ada", also: (tx, version) => putServiceState(tx, "also", String(version), 1_000) },
    keeper.document().digest,
  );
  process.stdout.write("saved");
  process.exit(0);
}
