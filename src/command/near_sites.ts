/** Sites whose names lie near one that was typed. */
import { nearSites } from "../assets/mod.ts";
import type { Db } from "../db/mod.ts";
import { shown } from "../lib/command_line.ts";
import { didYouMean } from "../lib/near.ts";

/** Where an id that is about to be added is like one that is there, the line that says so: it may be a typo. */
export function likeKnownSites(db: Db, id: string): string[] {
  const near = nearSites(db, id);
  return near.length === 0
    ? []
    : [`It is like ${near.join(", ")}: was another meant, tower asset remove ${id} takes it back.`];
}

/** The refusal of an id that no site has. */
export function noSite(db: Db, id: string): string {
  return `there is no site ${shown(id)}${didYouMean(nearSites(db, id))}`;
}
