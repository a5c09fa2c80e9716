/** The sites whose identifiers lie near one, nearest first; without that one itself. */

import { nearest } from "../base/setting.ts";
import type { Db } from "../store/db_open.ts";
import { listSites } from "./assets.ts";

export function nearSites(db: Db, id: string): string[] {
  const others = listSites(db).flatMap((site) => (site.id === id ? [] : [site.id]));
  return nearest(id, others);
}
