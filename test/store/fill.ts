/** Writes until the system refuses: run by write_test.ts under a limit on the size of files. */

import { isStorageFailure } from "../../src/base/storage_fault.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";

const store = openStore(Bun.argv[2] ?? "");
migrateStore(store);
const writer = new Writer(store);
const lines: string[] = [];

for (let i = 0; i < 200 && !lines.at(-1)?.startsWith("refused"); i++) {
  const batch = ["a", "b", "c"].map((part) => `${String(i).padStart(3, "0")}${part}`);
  const results = await Promise.allSettled(
    batch.map((name) =>
      writer.write(() => {
        store.raw.run("INSERT INTO service_state (name, value, changed_at) VALUES (?, ?, 0)", [
          name,
          "x".repeat(3_000),
        ]);
      }),
    ),
  );
  for (const [index, result] of results.entries()) {
    if (result.status === "fulfilled") lines.push(`stored ${batch[index]}`);
  }
  const refused = results.find((result) => result.status === "rejected");
  if (refused?.status === "rejected") {
    lines.push(
      isStorageFailure(refused.reason) ? "refused StorageUnavailable" : `refused ${String(refused.reason)}`,
    );
  }
}
process.stdout.write(`${lines.join("\n")}\n`);
process.exit(0);
