/** Moves a site to another lifecycle. */

import { type Lifecycle, updateAsset } from "../../src/sites/sites.ts";
import type { Writer } from "../../src/store/writer.ts";

export function setLifecycle(writer: Writer, asset: string, lifecycle: Lifecycle, now = 0): Promise<void> {
  return writer.write((tx) => updateAsset(tx, asset, { lifecycle }, now));
}
