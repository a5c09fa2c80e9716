/** What a page and the frame around it both show, read once for each request. */

import type { Db } from "../../db/mod.ts";
import { tallyInbox } from "../../flags/mod.ts";
import type { Clock } from "../../platform/clock.ts";
import { listFreshness } from "../../pulse/mod.ts";

function oncePerRequest<Value>(read: (db: Db, now: number) => Value) {
  const held = new WeakMap<Request, { readonly value: Value }>();
  return (request: Request, db: Db, now: number): Value => {
    const known = held.get(request) ?? { value: read(db, now) };
    held.set(request, known);
    return known.value;
  };
}

const moments = new WeakMap<Request, number>();

/** When a request is answered, in milliseconds since the epoch: one moment for the page and the frame around it. */
export function momentOf(request: Request, clock: Clock): number {
  const moment = moments.get(request) ?? clock.now();
  moments.set(request, moment);
  return moment;
}

/** The flags of all sites, counted. An act counts them after it has written. */
export const flagTally = oncePerRequest((db, now) => tallyInbox(db, now));
/** When each site was last heard. */
export const lastHeard = oncePerRequest(listFreshness);
