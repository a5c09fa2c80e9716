/** Saves the constants document and kills itself before the step that it is told: run by save_test.ts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConstantsKeeper } from "../../src/constants/mod.ts";
import { migrateStore, openStore, putServiceState, Writer } from "../../src/db/mod.ts";
import { type Files, systemFiles } from "../../src/platform/files.ts";

export const OLD = "[freshness]\nsilent_hours = 30\n";
export const NEW = "[freshness]\nsilent_hours = 50\n";

if (import.meta.main) {
  const [, , folder = "", at = ""] = Bun.argv;
  let step = -1;
  const may = (): void => {
    if (step >= 0 && step++ === Number(at)) process.kill(process.pid, "SIGKILL");
  };
  const door =
    <A extends unknown[], R>(act: (...given: A) => Promise<R>) =>
    (...given: A): Promise<R> => {
      may();
      return act(...given);
    };
  const files: Files = {
    facts: door(systemFiles.facts),
    read: door(systemFiles.read),
    writeNew: door(systemFiles.writeNew),
    rename: door(systemFiles.rename),
    syncFolder: door(systemFiles.syncFolder),
    remove: door(systemFiles.remove),
  };
  const path = join(folder, "constants.toml");
  writeFileSync(path, OLD);
  const store = openStore(join(folder, "tower.db"));
  migrateStore(store);
  const writer = new Writer(store);
  const write: Writer["write"] = (job) => {
    may();
    return writer.write(job);
  };
  const keeper = await ConstantsKeeper.start({
    path,
    files,
    clock: { now: () => 1_000 },
    db: store.db,
    writer: { write },
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
