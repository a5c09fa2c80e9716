import type { Db, Writer } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import type { Constants } from "./contract.ts";
import { DEFAULT_DOCUMENT } from "./document.ts";
import { parseConstants } from "./parse.ts";
import type { GoodDocument } from "./read_document.ts";
import { appendVersion, findLatestVersion, findVersion, listVersions } from "./store.ts";

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

/** Records that a document takes effect. The one that already is the latest version is not recorded again. */
export function recordVersion(
  writer: Pick<Writer, "write">,
  good: GoodDocument,
  author: string,
  now: number,
): Promise<ConstantsInEffect> {
  return writer.write((tx) => {
    const latest = findLatestVersion(tx);
    if (latest?.digest === good.digest) {
      return { ...good, version: latest.id, tookEffectAt: latest.took_effect_at, author: latest.author };
    }
    const version = appendVersion(tx, {
      took_effect_at: now,
      author,
      digest: good.digest,
      document: good.text,
    });
    return { ...good, version, tookEffectAt: now, author };
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
