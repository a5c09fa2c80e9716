/** The constants document: every version that took effect, who put one in effect, and the file that mirrors it. */

import { dirname } from "node:path";
import { asc, desc, eq, lt } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type AuditDetail, auditAct } from "../access/audit.ts";
import { type Files, replaceFile, stagedPath, stageFile, unstageFile } from "../base/files.ts";
import { sha256Hex } from "../base/keys.ts";
import { logOf } from "../base/log.ts";
import { StorageUnavailable } from "../base/storage_fault.ts";
import type { Db, Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { type FoundBytes, type GoodDocument, parseConstants, type Refusal } from "./constants_parse.ts";
import { DEFAULT_DOCUMENT, MAX_DOCUMENT_BYTES } from "./constants_schema.ts";

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

// The file that mirrors the constants in effect. A save lets its text wait beside the file, commits its version, and only then puts the
// text in the place of the file. So a save that is rejected was not made, and one that was made reaches its file at once, at the next look
// or at the next start: what waits beside the file belongs to a save that was made where it is the text in effect.

/** The constants that every rule uses now. */
export interface ConstantsInEffect extends GoodDocument {
  /** Id of the recorded version. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly tookEffectAt: number;
  readonly author: string;
}

/** What a mirror needs from outside. */
export interface MirrorDeps {
  /** `$DATA_DIR/constants.toml`. */
  readonly path: string;
  readonly files: Files;
  readonly db: Db;
  readonly writer: Pick<Writer, "write">;
}

/** A file with when it changed. */
interface FoundFile extends FoundBytes {
  readonly changedAt: number;
}

const MODE = 0o600;

export class FileMirror {
  readonly #deps: MirrorDeps;
  #isBehind = false;

  constructor(deps: MirrorDeps) {
    this.#deps = deps;
  }

  /** Continues the write of a version in effect that did not reach its file; what waits for any other is taken away. */
  async resume({ digest }: { readonly digest: string }): Promise<void> {
    const { files, path } = this.#deps;
    const waiting = await files.read(stagedPath(path), MAX_DOCUMENT_BYTES + 1).catch(() => undefined);
    this.#isBehind = waiting !== undefined && sha256Hex(waiting) === digest;
    if (!this.#isBehind) await unstageFile(files, path);
  }

  /** Whether what is in effect is still to be written. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Reads the file. */
  async read(): Promise<{ readonly found: FoundFile } | { readonly refusal: Refusal }> {
    const { files, path } = this.#deps;
    try {
      const changedAt = await files.changedAt(path);
      if (changedAt === undefined) return refusal("missing", "is missing");
      const bytes = await files.read(path, MAX_DOCUMENT_BYTES + 1);
      return { found: { changedAt, bytes, digest: sha256Hex(bytes) } };
    } catch {
      return refusal("unreadable", "cannot be read");
    }
  }

  /** Writes a text where there is no file. Rejects with `StorageUnavailable`. */
  async fill(text: string): Promise<void> {
    const finding = await this.read();
    if ("found" in finding || finding.refusal.reason !== "missing") return;
    const { files, path } = this.#deps;
    await orUnavailable(replaceFile(files, path, new TextEncoder().encode(text), MODE));
  }

  /** Commits a version ahead of its file: all of it or nothing. */
  async commit(text: string, record: (tx: Tx) => ConstantsInEffect): Promise<ConstantsInEffect> {
    const { files, path, writer } = this.#deps;
    await orUnavailable(this.#stage(text));
    try {
      const saved = await writer.write(record);
      this.#isBehind = true;
      return saved;
    } catch (error) {
      await unstageFile(files, path);
      throw error;
    }
  }

  /**
   * Lets the file follow what was committed. Says whether the file can be judged: where it cannot be written, the next look tries again.
   * A file that changed after the save is a later edit, and goes before.
   */
  async catchUp({ text, digest }: Pick<GoodDocument, "text" | "digest">): Promise<boolean> {
    if (!this.#isBehind) return true;
    const { files, path } = this.#deps;
    const finding = await this.read();
    if ("refusal" in finding && finding.refusal.reason !== "missing") return false;
    const file = "found" in finding ? finding.found : undefined;
    try {
      const waiting = await files.changedAt(stagedPath(path));
      if (file !== undefined && waiting !== undefined && file.changedAt > waiting) {
        await unstageFile(files, path);
      } else {
        if (file?.digest !== digest) {
          if (waiting === undefined) await this.#stage(text);
          await files.rename(stagedPath(path), path);
        }
        await files.syncFolder(dirname(path));
      }
      this.#isBehind = false;
      return true;
    } catch (error) {
      const words = "a saved constants document is in effect, but its file could not be written yet";
      logOf("constants").warn(words, { reason: String(error) });
      return false;
    }
  }

  #stage(text: string): Promise<void> {
    const { files, path } = this.#deps;
    return stageFile(files, path, new TextEncoder().encode(text), MODE);
  }
}

function refusal(reason: "missing" | "unreadable", state: string): { readonly refusal: Refusal } {
  const problem = { line: 1, key: "", rule: reason, message: `the file ${state}` };
  return { refusal: { reason, problems: [problem], more: 0 } };
}

async function orUnavailable(step: Promise<void>): Promise<void> {
  try {
    await step;
  } catch (cause) {
    throw new StorageUnavailable("the constants document could not be written", { cause });
  }
}
