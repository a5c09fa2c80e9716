/** Checks everything in a database file off the event loop, so that reports are taken and answered meanwhile. */

import type { MacKey } from "../base/keys.ts";
import { askWorker } from "../base/worker.ts";
import type { CheckRequest } from "./check_worker.ts";
import type { Finding } from "./everything.ts";

export function checkOnWorker(
  path: string,
  auditKey: MacKey | undefined,
  { rawSignals, s3 }: CheckRequest["archive"],
): Promise<Finding[]> {
  const request: CheckRequest = { path, auditKey: auditKey?.forWorker(), archive: { rawSignals, s3 } };
  return askWorker<Finding[]>(new URL("./check_worker.ts", import.meta.url), request);
}
