/** What a page and the frame around it both show, read once for each request. */

import type { Db } from "../../db/mod.ts";
import { type InboxTally, inboxTally, tallySites } from "../../flags/mod.ts";
import type { HealthReader, HealthView } from "../../integrations/mod.ts";
import { listMonitoringFailures, type MonitoringFailure } from "../../monitoring/mod.ts";
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

/** What is open on each site. An act counts after it has written. */
export const siteTallies = oncePerRequest(tallySites);
/** What is open on all sites together. */
export function flagTally(request: Request, db: Db, now: number): InboxTally {
  return inboxTally(siteTallies(request, db, now).values());
}

/** What should be watched and is not. */
export const unwatched = oncePerRequest((db) => listMonitoringFailures(db));

const ofSites = new WeakMap<Request, { readonly asset: string; readonly failures: MonitoringFailure[] }>();

/** The same of the one site that a page is about. */
export function unwatchedOf(request: Request, db: Db, asset: string): readonly MonitoringFailure[] {
  const known = ofSites.get(request);
  if (known?.asset === asset) return known.failures;
  const failures = listMonitoringFailures(db, { asset });
  ofSites.set(request, { asset, failures });
  return failures;
}

/** When each site was last heard. */
export const lastHeard = oncePerRequest(listFreshness);

const views = new WeakMap<Request, HealthView>();

/** How every integration stands: all of it, for the page and the frame around it. */
export function healthView(request: Request, reader: HealthReader, now: number): HealthView {
  const view = views.get(request) ?? reader.read(now);
  views.set(request, view);
  return view;
}
