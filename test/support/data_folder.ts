/** A real data folder, opened the way a command opens it when no service runs. */

import { type Opened, openData } from "../../src/app/boot.ts";
import { readConfig } from "../../src/base/config.ts";
import type { Pulse } from "../../src/reports/pulse_contract.ts";
import { acceptPulse } from "../../src/reports/pulse_routes.ts";

/** Opens `path` with default settings but for those given. */
export function openFolder(path: string, settings: Readonly<Record<string, string>> = {}): Promise<Opened> {
  return openData(readConfig({ DATA_DIR: path, ...settings }));
}

/** Accepts one nightly report of a site in an opened folder, received now. */
export function acceptNow({ deps }: Opened, report: Pulse) {
  const receivedAt = deps.clock.now();
  return deps.writer.write((tx) =>
    acceptPulse(tx, { report, body: JSON.stringify(report), receivedAt, newId: deps.ids.uuid }),
  );
}
