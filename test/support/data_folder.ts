/** A real data folder, opened the way a command opens it when no service runs. */

import { type Opened, openData } from "../../src/app/boot.ts";
import { readConfig } from "../../src/base/config.ts";
import type { Pulse } from "../../src/reports/pulse.ts";
import { acceptPulse } from "../../src/reports/pulse_routes.ts";
import { temporaryFolder } from "./folder.ts";

/** Opens `path` with default settings but for those given. */
export function openFolder(path: string, settings: Readonly<Record<string, string>> = {}): Promise<Opened> {
  return openData(readConfig({ DATA_DIR: path, ...settings }));
}

/** A data folder of its own, opened; it is closed and removed at the end of its scope, or of the test it is `fresh` for. */
export async function openNewFolder(
  settings: Readonly<Record<string, string>> = {},
): Promise<Opened & Disposable & { readonly path: string }> {
  const folder = temporaryFolder();
  const opened = await openFolder(folder.path, settings);
  return Object.assign(opened, {
    path: folder.path,
    [Symbol.dispose]: () => {
      opened.close();
      folder[Symbol.dispose]();
    },
  });
}

/** Accepts one nightly report of a site in an opened folder, received now. */
export function acceptNow({ deps }: Opened, report: Pulse) {
  const receivedAt = deps.clock.now();
  return deps.writer.write((tx) =>
    acceptPulse(tx, { report, body: JSON.stringify(report), receivedAt, newId: deps.ids.uuid }),
  );
}
