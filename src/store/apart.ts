import { prepared, statement, type Tx } from "./db_open.ts";
import { isDamage, isStorageFailure } from "./fault.ts";

const begin = statement<never, []>("SAVEPOINT apart");
const release = statement<never, []>("RELEASE apart");
const takeBack = statement<never, []>("ROLLBACK TO apart");
const clientOf = prepared(
  (db) => (db as Tx & { readonly $client: { readonly inTransaction: boolean } }).$client,
);

/**
 * Runs a part of a write in a savepoint of its own, for what must not take the rest with it: where it throws, what it wrote is taken
 * back and the error is handed out. What ends the whole transaction, or means that storage takes nothing more (a full disk), is thrown
 * as it is; damage is not that: it may lie in the part's own table.
 */
export function apart(tx: Tx, part: () => void): { readonly error: unknown } | undefined {
  begin(tx).run();
  try {
    part();
    release(tx).run();
    return undefined;
  } catch (error) {
    if (!clientOf(tx).inTransaction) throw error;
    takeBack(tx).run();
    release(tx).run();
    if (isStorageFailure(error) && !isDamage(error)) throw error;
    return { error };
  }
}
