import { type Db, statement } from "../db/mod.ts";

const counted = statement<{ packs: number }, []>("SELECT count(*) AS packs FROM pull_attempt_pack");

/** How many packs hold settled attempts. */
export function countAttemptPacks(db: Db): number {
  return counted(db).first()?.packs ?? 0;
}
