import type { Lifecycle } from "../../src/assets/contract.ts";
import { updateAsset } from "../../src/assets/store.ts";
import type { Writer } from "../../src/db/mod.ts";

/** Moves a site to another lifecycle. */
export function setLifecycle(writer: Writer, asset: string, lifecycle: Lifecycle, now = 0): Promise<void> {
  return writer.write((tx) => updateAsset(tx, asset, { lifecycle }, now));
}
