/** Names and freshness against the nightly reports they are made of: what differs, and putting it right. */
import { eq } from "drizzle-orm";
import { type Db, statement, type Tx } from "../db/mod.ts";
import { type NameDifference, nameDifferencesOf } from "./names_store.ts";
import { assetsWithDays } from "./reading_rebuild_store.ts";
import { pulseFreshness } from "./table.ts";

/** A site whose last report is not noted as it was. */
export interface FreshnessDifference {
  readonly asset: string;
  readonly text: string;
}

/** The names of every site that its readings do not lead to, with an undefined after each site. */
export function* nameDifferences(db: Db): Generator<NameDifference | undefined> {
  for (const asset of assetsWithDays(db)) {
    yield* nameDifferencesOf(db, asset);
    yield undefined;
  }
}

// When a report was seen to lie ahead of the clock is in no report: it is no part of what is compared.
const freshnessOf = statement<{ asset: string; received_at: number }, []>(
  `SELECT asset, (SELECT received_at FROM pulse WHERE id = (SELECT max(id) FROM pulse WHERE asset = sites.asset)) AS received_at
   FROM (SELECT DISTINCT asset FROM pulse) sites`,
);

/** Sites whose freshness is not that of their reports. */
export function* freshnessDifferences(db: Db): Generator<FreshnessDifference> {
  const rows = new Map(
    db
      .select({
        asset: pulseFreshness.asset,
        received_at: pulseFreshness.received_at,
      })
      .from(pulseFreshness)
      .all()
      .map((row) => [row.asset, row]),
  );
  for (const due of freshnessOf(db).all()) {
    const row = rows.get(due.asset);
    rows.delete(due.asset);
    if (!Bun.deepEquals(row, due)) {
      yield { asset: due.asset, text: `${due.asset}: its last report is not noted as it was` };
    }
  }
  for (const asset of rows.keys()) yield { asset, text: `${asset}: a last report is noted, but it has none` };
}

/** Makes the freshness of the sites named that of their reports. */
export function mendFreshness(tx: Tx, differences: readonly FreshnessDifference[]): void {
  const due = new Map(
    freshnessOf(tx)
      .all()
      .map((row) => [row.asset, row]),
  );
  for (const { asset } of differences) {
    tx.delete(pulseFreshness).where(eq(pulseFreshness.asset, asset)).run();
    const row = due.get(asset);
    if (row !== undefined) tx.insert(pulseFreshness).values(row).run();
  }
}
