/** The constants document: its default text, every version that took effect, and who put one in effect. */

import { asc, desc, eq, lt } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type AuditDetail, auditAct } from "../access/audit.ts";
import { sha256Hex } from "../base/keys.ts";
import type { Db, Tx } from "../store/store.ts";
import { type GoodDocument, parseConstants } from "./constants_parse.ts";
import { DEFAULT_DOCUMENT } from "./constants_schema.ts";
import type { ConstantsInEffect } from "./file_mirror.ts";

/** Every version of the constants document that took effect, whole, with who wrote it. Append-only. */
export const constantsVersion = sqliteTable("constants_version", {
  id: integer("id").primaryKey(),
  took_effect_at: integer("took_effect_at").notNull(),
  author: text("author").notNull(),
  digest: text("digest").notNull(),
  document: text("document").notNull(),
});

/** A version of the document that took effect. */
export type ConstantsVersion = typeof constantsVersion.$inferSelect;

/** Appends a version and gives its id; ids grow with time. */
export function appendVersion(tx: Tx, version: Omit<ConstantsVersion, "id">): number {
  const id = tx.insert(constantsVersion).values(version).returning({ id: constantsVersion.id }).all()[0]?.id;
  if (id === undefined) throw new Error("the appended constants version has no id");
  return id;
}

/** The version in effect, if any took effect yet. */
function findLatestVersion(db: Db): ConstantsVersion | undefined {
  return db.select().from(constantsVersion).orderBy(desc(constantsVersion.id)).limit(1).all()[0];
}

/** One version by id. */
export function findVersion(db: Db, id: number): ConstantsVersion | undefined {
  return db.select().from(constantsVersion).where(eq(constantsVersion.id, id)).limit(1).all()[0];
}

/** A version without its text, which may be large. */
export type ConstantsVersionSummary = Omit<ConstantsVersion, "document">;

/** Versions, newest first, older than `before` when given, at most `limit`. */
export function listVersions(db: Db, limit: number, before?: number): ConstantsVersionSummary[] {
  const { id, took_effect_at, author, digest } = constantsVersion;
  return db
    .select({ id, took_effect_at, author, digest })
    .from(constantsVersion)
    .where(before === undefined ? undefined : lt(constantsVersion.id, before))
    .orderBy(desc(constantsVersion.id))
    .limit(limit)
    .all();
}

/** Versions whose document is not the one that its digest was taken of. */
export function documentFaults(db: Db): string[] {
  const { id, digest, document } = constantsVersion;
  return db
    .select({ id, digest, document })
    .from(constantsVersion)
    .orderBy(asc(id))
    .all()
    .filter((version) => sha256Hex(version.document) !== version.digest)
    .map((version) => `constants_version, row ${version.id}: its document is not the one of its digest`);
}

/** Author of a version that came from a text editor. */
export const FILE_AUTHOR = "file";
/** Author of a version that the service itself put in effect: the defaults, or an earlier good one. */
export const SERVICE_AUTHOR = "tower";

/** The document as the latest recorded version, when it is that. */
export function findInEffect(db: Db, good: GoodDocument): ConstantsInEffect | undefined {
  const latest = findLatestVersion(db);
  if (latest?.digest !== good.digest) return undefined;
  return { ...good, version: latest.id, tookEffectAt: latest.took_effect_at, author: latest.author };
}

/** Records that a document takes effect. The one that already is the latest version is not recorded again. */
function recordVersion(tx: Tx, good: GoodDocument, author: string, now: number): ConstantsInEffect {
  const standing = findInEffect(tx, good);
  if (standing !== undefined) return standing;
  const version = appendVersion(tx, {
    took_effect_at: now,
    author,
    digest: good.digest,
    document: good.text,
  });
  return { ...good, version, tookEffectAt: now, author };
}

/** Who saves, with what belongs into the same transaction. */
export interface Saver {
  readonly author: string;
  /** What the audit row says beside the version. */
  readonly detail?: AuditDetail;
  readonly also?: (tx: Tx, version: number) => void;
}

/** Records what an operator saved: the version, its audit row, and what belongs to the act. */
export function recordSave(tx: Tx, good: GoodDocument, by: Saver, now: number): ConstantsInEffect {
  const saved = recordVersion(tx, good, by.author, now);
  const detail = { version: saved.version, ...by.detail };
  auditConstants(tx, "save", { at: now, actor: by.author, detail });
  by.also?.(tx, saved.version);
  return saved;
}

/** Records that a document takes effect that nobody saved in the Tower, with an audit row where it is a new version. */
export function putInEffect(tx: Tx, good: GoodDocument, author: string, now: number): ConstantsInEffect {
  const standing = findInEffect(tx, good);
  if (standing !== undefined) return standing;
  const taken = recordVersion(tx, good, author, now);
  const actor = author === SERVICE_AUTHOR ? "service" : author;
  auditConstants(tx, "change", { at: now, actor, detail: { version: taken.version } });
  return taken;
}

/** Appends what happened to the document to the audit. */
export function auditConstants(
  tx: Tx,
  act: "save" | "change" | "refuse" | "recover",
  by: { readonly at: number; readonly actor: string; readonly detail: AuditDetail },
): void {
  auditAct(tx, { actor: by.actor, now: by.at }, `constants.${act}`, "constants", by.detail);
}

/** How many recorded versions are tried for one that is still good: an update of Tower may judge more strictly. */
const MAX_TRIED_VERSIONS = 20;

/** The newest recorded version that may still take effect, else the defaults. */
export function lastGoodDocument(db: Db): GoodDocument {
  for (const { id } of listVersions(db, MAX_TRIED_VERSIONS)) {
    const version = findVersion(db, id);
    const parsed = version === undefined ? undefined : parseConstants(version.document);
    if (version !== undefined && parsed?.ok) {
      return { text: version.document, digest: version.digest, constants: parsed.constants };
    }
  }
  const parsed = parseConstants(DEFAULT_DOCUMENT);
  if (!parsed.ok) throw new Error("the default constants document is not valid");
  return { text: DEFAULT_DOCUMENT, digest: sha256Hex(DEFAULT_DOCUMENT), constants: parsed.constants };
}
