import type { Lifecycle } from "../assets/contract.ts";
import { isRetired } from "../assets/mod.ts";
import type { Attachment } from "../credentials/contract.ts";
import { listAttachmentsOf } from "../credentials/mod.ts";
import type { Db } from "../db/mod.ts";
import type { LiveSource } from "./contract.ts";

/** The analytics property that a site's traffic is asked of; `retired` for a site that nobody watches, undefined where none is attached. */
export function trafficSource(db: Db, asset: string): LiveSource | "retired" | undefined {
  if (isRetired(db, asset)) return "retired";
  return listAttachmentsOf(db, asset).find(({ provider }) => provider === "analytics");
}

/** The same, for whoever has read the site and its attachments; null where none is attached. */
export function sourceAmong(
  lifecycle: Lifecycle,
  attachments: readonly Attachment[],
): LiveSource | "retired" | null {
  if (lifecycle === "retired") return "retired";
  return attachments.find(({ provider }) => provider === "analytics") ?? null;
}
