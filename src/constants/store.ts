import { asc, desc, eq, lt } from "drizzle-orm";
import type { Db, Tx } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import { constantsVersion } from "./table.ts";
import { markFaults } from "./unwritten.ts";

/** A version of the document that took effect. */
export type ConstantsVersion = typeof constantsVersion.$inferSelect;

/** Most versions in one list. */
const MAX_LISTED_VERSIONS = 500;

/** Appends a version and gives its id; ids grow with time. */
export function appendVersion(tx: Tx, version: Omit<ConstantsVersion, "id">): number {
  const id = tx.insert(constantsVersion).values(version).returning({ id: constantsVersion.id }).all()[0]?.id;
  if (id === undefined) throw new Error("the appended constants version has no id");
  return id;
}

/** The version in effect, if any took effect yet. */
export function findLatestVersion(db: Db): ConstantsVersion | undefined {
  return db.select().from(constantsVersion).orderBy(desc(constantsVersion.id)).limit(1).all()[0];
}

/** One version by id. */
export function findVersion(db: Db, id: number): ConstantsVersion | undefined {
  return db.select().from(constantsVersion).where(eq(constantsVersion.id, id)).limit(1).all()[0];
}

/** A version without its text, which may be large. */
export type ConstantsVersionSummary = Omit<ConstantsVersion, "document">;

/** Versions, newest first, older than `before` when given, at most `limit` (and never more than 500). */
export function listVersions(db: Db, limit: number, before?: number): ConstantsVersionSummary[] {
  const { id, took_effect_at, author, digest } = constantsVersion;
  return db
    .select({ id, took_effect_at, author, digest })
    .from(constantsVersion)
    .where(before === undefined ? undefined : lt(constantsVersion.id, before))
    .orderBy(desc(constantsVersion.id))
    .limit(Math.min(limit, MAX_LISTED_VERSIONS))
    .all();
}

/** Versions whose document is not the one that its digest was taken of, and a mark that cannot be read. */
export function documentFaults(db: Db): string[] {
  const { id, digest, document } = constantsVersion;
  const changed = db
    .select({ id, digest, document })
    .from(constantsVersion)
    .orderBy(asc(id))
    .all()
    .filter((version) => sha256Hex(version.document) !== version.digest)
    .map((version) => `constants_version, row ${version.id}: its document is not the one of its digest`);
  return [...changed, ...markFaults(db)];
}
