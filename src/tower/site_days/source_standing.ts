/** Where a site's figures of a provider come from, and how that goes. */
import type { Attachment } from "../../credentials/contract.ts";
import type { Db } from "../../db/mod.ts";
import type { Provider } from "../../provider/contract.ts";
import { lastTimeZone, type PullStanding, pullStanding } from "../../signals/mod.ts";

/** A provider that the site is attached to. */
export interface SourceStanding extends PullStanding {
  /** The provider's own id of the property. */
  readonly property: string;
  /** The calendar that its days are of; undefined where it does not say. */
  readonly timeZone: string | undefined;
}

/** The providers that a site is attached to, each with how its pulls go. */
export function readStandings(
  db: Db,
  attachments: readonly Attachment[],
): ReadonlyMap<Provider, SourceStanding> {
  return new Map(
    attachments.map(({ asset, provider, property, connectionRevision }) => {
      const of = { asset, provider, connectionRevision, property };
      return [provider, { property, timeZone: lastTimeZone(db, of), ...pullStanding(db, of) }];
    }),
  );
}
