/** The worker of `checkpoint.ts`: one passive checkpoint per message; it never waits for readers or the writer. */
import { Database } from "bun:sqlite";

declare const self: Worker;

let connection: Database | undefined;

self.onmessage = (event: MessageEvent<"stop" | { readonly path: string }>) => {
  if (event.data === "stop") {
    connection?.close();
    process.exit(0);
  }
  connection ??= openFor(event.data.path);
  connection.run("PRAGMA wal_checkpoint(PASSIVE)");
  self.postMessage("done");
};

function openFor(path: string): Database {
  const opened = new Database(path, { readwrite: true, create: false });
  opened.run("PRAGMA busy_timeout = 5000");
  opened.run("PRAGMA synchronous = FULL");
  return opened;
}
