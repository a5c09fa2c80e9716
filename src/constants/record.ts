import { type AuditDetail, appendAudit } from "../audit/mod.ts";
import type { Db, Tx } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import type { Constants } from "./contract.ts";
import { DEFAULT_DOCUMENT } from "./document.ts";
import { parseConstants } from "./parse.ts";
import type { GoodDocument } from "./read_document.ts";
import { appendVersion, findLatestVersion, findVersion, listVersions } from "./store.ts";

/** Author of a version that came from a text editor. */
export const FILE_AUTHOR = "file";
/** Author of a version that the service itself put in effect: the defaults, or an earlier good one. */
export const SERVICE_AUTHOR = "tower";

/** The constants that every rule uses now. */
export interface ConstantsInEffect {
  readonly constants: Constants;
  readonly text: string;
  /** SHA-256 of the text, in lower-case hexadecimal. */
  readonly digest: string;
  /** Id of the recorded version. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly tookEffectAt: number;
  readonly author: string;
}

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
export function takeUp(tx: Tx, good: GoodDocument, author: string, now: number): ConstantsInEffect {
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
  appendAudit(tx, {
    at: by.at,
    actor: by.actor,
    act: `constants.${act}`,
    target: "constants",
    detail: by.detail,
  });
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
