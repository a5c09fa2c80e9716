/** Tokens in the links that open the Wall, and nothing else, on a screen where nobody signs in; only their digest is kept. */

import { and, asc, desc, eq, isNull } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { codePoints } from "../base/contract.ts";
import type { Core } from "../store/core.ts";
import type { Db } from "../store/store.ts";
import type { By } from "./access.ts";
import { issuedColumns, issueToken, TokenBook } from "./tokens.ts";

export const kioskToken = sqliteTable("wall_link", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  digest: text("digest").notNull().unique(),
  ...issuedColumns,
});

/** The links to the Wall that are in force: the key id, which stands in a link's text, and what the operator who made it calls it. */
export type KioskTokenBook = TokenBook<Pick<typeof kioskToken.$inferSelect, "id" | "digest" | "name">>;

/** A link of this name is in force: two of one name could not be told apart when one of them is to be revoked. */
export class NameTaken extends Error {}

/** The longest name of a link, in characters. */
export const LONGEST_NAME = 64;

/** The name that a text stands for: words on one line, in NFC, so that two that look alike cannot both exist; undefined when it is none. */
export function linkNameOf(typed: string): string | undefined {
  const name = typed.normalize("NFC").trim();
  return /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name) && codePoints(name) <= LONGEST_NAME ? name : undefined;
}

const inForce = isNull(kioskToken.revoked_at);

/** The links in force, the newest first. Times are milliseconds since the epoch; of a link that no screen used, the last use is null. */
export function listKioskTokens(db: Db) {
  const {
    id,
    name,
    digest,
    created_at: createdAt,
    created_by: createdBy,
    last_used_at: lastUsedAt,
  } = kioskToken;
  const links = db.select({ id, name, digest, createdAt, createdBy, lastUsedAt }).from(kioskToken);
  return links.where(inForce).orderBy(desc(createdAt), asc(id)).all();
}

/** Loads every link in force. */
export function loadKioskTokens(db: Db): KioskTokenBook {
  return new TokenBook("wall", listKioskTokens(db));
}

/** Makes a link that opens the Wall and nothing else. Its text is answered, to be shown once. Rejects with `NameTaken`. */
export function makeKioskToken(
  deps: Pick<Core, "writer" | "ids"> & { readonly kioskTokens: KioskTokenBook },
  name: string,
  by: By,
): Promise<{ readonly id: string; readonly token: string }> {
  return issueToken(deps, deps.kioskTokens, by, {
    target: name,
    store: (tx, made) => {
      const same = tx.select({ id: kioskToken.id }).from(kioskToken);
      if (same.where(and(eq(kioskToken.name, name), inForce)).get() !== undefined) throw new NameTaken(name);
      tx.insert(kioskToken)
        .values({ ...made, name })
        .run();
      return false;
    },
    known: (made) => ({ ...made, name }),
  });
}
