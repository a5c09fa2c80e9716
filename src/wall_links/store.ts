import { and, asc, desc, eq, isNull } from "drizzle-orm";
import type { Db, Tx } from "../db/mod.ts";
import { wallLink } from "./table.ts";

/** A link as it is kept: never its text. Times are milliseconds since the epoch. */
export interface StoredWallLink {
  readonly id: string;
  readonly name: string;
  readonly digest: string;
  readonly createdAt: number;
  readonly createdBy: string;
  /** When a screen last used it; null for never. */
  readonly lastUsedAt: number | null;
}

const columns = {
  id: wallLink.id,
  name: wallLink.name,
  digest: wallLink.digest,
  createdAt: wallLink.created_at,
  createdBy: wallLink.created_by,
  lastUsedAt: wallLink.last_used_at,
};

/** The links in force, the newest first. */
export function listWallLinks(db: Db): StoredWallLink[] {
  return db
    .select(columns)
    .from(wallLink)
    .where(isNull(wallLink.revoked_at))
    .orderBy(desc(wallLink.created_at), asc(wallLink.id))
    .all();
}

/** Whether a link in force has this name. */
export function isNameTaken(db: Db, name: string): boolean {
  return (
    db
      .select({ id: wallLink.id })
      .from(wallLink)
      .where(and(eq(wallLink.name, name), isNull(wallLink.revoked_at)))
      .all().length > 0
  );
}

/** Inserts a link by its digest. */
export function insertWallLink(tx: Tx, link: Omit<StoredWallLink, "lastUsedAt">): void {
  tx.insert(wallLink)
    .values({
      id: link.id,
      name: link.name,
      digest: link.digest,
      created_at: link.createdAt,
      created_by: link.createdBy,
    })
    .run();
}

/** Marks a link as revoked; its name and digest, or undefined when it is unknown or was revoked before. */
export function markWallLinkRevoked(
  tx: Tx,
  id: string,
  at: number,
  by: string,
): Pick<StoredWallLink, "name" | "digest"> | undefined {
  return tx
    .update(wallLink)
    .set({ revoked_at: at, revoked_by: by })
    .where(and(eq(wallLink.id, id), isNull(wallLink.revoked_at)))
    .returning({ name: wallLink.name, digest: wallLink.digest })
    .all()[0];
}

/** Writes down when a link was last used. */
export function updateWallLinkUse(tx: Tx, id: string, at: number): void {
  tx.update(wallLink).set({ last_used_at: at }).where(eq(wallLink.id, id)).run();
}
