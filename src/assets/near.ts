import type { Db } from "../db/mod.ts";
import { nearest } from "../lib/near.ts";
import { listSites } from "./store.ts";

/** The sites whose identifiers lie near one, nearest first; without that one itself. */
export function nearSites(db: Db, id: string): string[] {
  const others = listSites(db).flatMap((site) => (site.id === id ? [] : [site.id]));
  return nearest(id, others);
}
