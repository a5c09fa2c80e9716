/** A site whose reports are archived, as health gathers it: what a test does not say is set up, connected and not paused. */

import { ArchiveFacts, newestOutcomes } from "../../src/archive/report_facts.ts";
import { CAPABILITIES } from "../../src/health/catalogue.ts";
import type { Inventory, KnownParts } from "../../src/integrations/inventory.ts";
import {
  type Projection,
  project,
  projectReports,
  type ReportStates,
} from "../../src/integrations/projection.ts";
import type { TargetState } from "../../src/integrations/target_state.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import type { Db } from "../../src/store/store.ts";
import { partsOf, type Rows } from "./inventory.ts";

export const ARCHIVED_SITE = "harbor.example";
export const ARCHIVED_PROPERTY = "sc-domain:harbor.example";
export const REVISION = "first";

/** What is set up: one site, attached to these providers. */
export function archivedParts(db: Db, providers: readonly Provider[], changes: Rows = {}): KnownParts {
  return partsOf({
    sites: [{ id: ARCHIVED_SITE, url: null, group: null, lifecycle: "live", addedAt: 0, wentLiveAt: null }],
    attachments: providers.map((provider) => ({
      asset: ARCHIVED_SITE,
      provider,
      credential: "account",
      connectionRevision: REVISION,
      property: ARCHIVED_PROPERTY,
      attachedAt: 0,
    })),
    archive: new ArchiveFacts(db).read(true),
    ...changes,
  });
}

/** How its reports stand: together, and each for itself. */
export function reportsStood(
  db: Db,
  parts: Inventory["parts"],
  now: number,
): {
  readonly projection: Projection;
  readonly together: readonly TargetState[];
  readonly each: ReportStates;
} {
  const inventory = { parts, unread: [] };
  const projection = project({
    workspace: "default",
    inventory,
    catalogue: CAPABILITIES,
    silentHoursOf: () => 26,
    now,
  });
  const together = [...projection.groups.values()]
    .flatMap(({ targets }) => targets)
    .filter(({ monitored }) => monitored.capability.ofReports);
  const each = projectReports(projection, (archive, limit) => newestOutcomes(db, archive, limit), {
    asset: ARCHIVED_SITE,
    now,
  });
  return { projection, together, each };
}
