/**
 * The worker of `checkpoint.ts`: looks at the log and makes passive checkpoints, which wait for no reader and no writer. It looks
 * by itself: a look from the main thread would wait there while the file is being synced here.
 */
import { Database } from "bun:sqlite";
import { walBytes } from "./checkpoint.ts";

declare const self: Worker;

/** Log size from which a checkpoint is worth its fsync, in bytes. */
const WORTH_BYTES = 4 * 1024 * 1024;
const PERIOD_MS = 500;

let connection: Database | undefined;

self.onmessage = (event: MessageEvent<"stop" | { readonly path: string }>) => {
  if (event.data === "stop") {
    connection?.close();
    process.exit(0);
  }
  const { path } = event.data;
  const opened = openFor(path);
  connection = opened;
  setInterval(() => {
    if (walBytes(path) >= WORTH_BYTES) opened.run("PRAGMA wal_checkpoint(PASSIVE)");
  }, PERIOD_MS);
};

function openFor(path: string): Database {
  const opened = new Database(path, { readwrite: true, create: false });
  opened.run("PRAGMA busy_timeout = 5000");
  opened.run("PRAGMA synchronous = FULL");
  return opened;
}
