import { anchorAudit, appendAudit, keyAudit } from "../audit/mod.ts";
import type { Store, Tx, Writer } from "../db/mod.ts";
import { KEY_BYTES } from "../lib/key_text.ts";
import type { Config } from "../platform/config.ts";
import { type Files, replaceFile } from "../platform/files.ts";
import type { Ids } from "../platform/ids.ts";
import { InstallationKeys, keyPath, readKeyFile } from "../platform/keys.ts";
import { keyBeforePath } from "../platform/secrets.ts";
import type { By } from "./add.ts";
import { readRow } from "./credentials.ts";
import { accountCode, type SealDeps, sealed } from "./edit.ts";
import { listSealedTexts, resealTexts } from "./sealed_texts.ts";
import { findOfAccount, listRows, updateRow } from "./store.ts";

/** What a change of the key works with. */
interface RotateDeps {
  readonly config: Pick<Config, "credentialsKey" | "dataDir">;
  readonly store: Store;
  readonly writer: Writer;
  readonly keys: InstallationKeys;
  readonly ids: Ids;
  readonly files: Files;
}

/** What a change of the key came to. */
type Rotated =
  | {
      readonly ok: true;
      /** Ids of the keys. */
      readonly before: string;
      readonly now: string;
      readonly resealed: number;
      readonly unreadable: readonly string[];
      /** Where the key before lies; undefined where it was dropped. */
      readonly kept: string | undefined;
    }
  /** The key is a setting's; or it is lost; or its file holds another one by now; or it is being changed just now. */
  | { readonly ok: false; readonly why: "setting" | "lost" | "changed" | "busy" };

/** Keys that are being changed: of two at once, the second would not know what the first has sealed. */
const underWay = new WeakSet<InstallationKeys>();

/**
 * Makes a new key for a data folder that keeps its own, and seals everything with it. In this order, so that a kill at any step
 * leaves what the next start takes up (`takeUpCredentials`): the key before lies beside, durable; the new one is the folder's,
 * durable; one transaction seals every row anew and fixes the audit with the new key. The key before goes only when it is asked for
 * and no row names it: backups made until now are proven, and their credentials read, by that key alone.
 */
export async function rotateKey(
  deps: RotateDeps,
  by: By,
  asked: { readonly drop: boolean },
): Promise<Rotated> {
  const { keys } = deps;
  if (underWay.has(keys)) return { ok: false, why: "busy" };
  underWay.add(keys);
  try {
    return await rotateNow(deps, by, asked);
  } finally {
    underWay.delete(keys);
  }
}

async function rotateNow(
  deps: RotateDeps,
  { actor, now }: By,
  { drop }: { readonly drop: boolean },
): Promise<Rotated> {
  const { config, store, writer, keys, ids, files } = deps;
  const path = keyPath(config.dataDir);
  if (config.credentialsKey !== undefined) return { ok: false, why: "setting" };
  if (keys.isStandIn) return { ok: false, why: "lost" };
  if (readKeyFile(path)?.id !== keys.id) return { ok: false, why: "changed" };
  const before = keys.id;
  const beside = keyBeforePath(config.dataDir, before);
  const next = new InstallationKeys(ids.bytes(KEY_BYTES));
  next.alsoOpen(keys);
  await replaceFile(files, beside, keys.fileBytes(), 0o600);
  await replaceFile(files, path, next.fileBytes(), 0o600);
  // From here on rows may be sealed with either: a commit that is told as failed may have reached the disk.
  keys.alsoOpen(next);
  const done = await writer
    .write((tx) => {
      const resealed = resealAll(tx, { keys: next, ids });
      keyAudit(store.main, next.forPurpose("audit"));
      anchorAudit(tx, now);
      appendAudit(tx, {
        at: now,
        actor,
        act: "credentials-key.rotate",
        target: `key:${next.id}`,
        detail: {
          key_before: before,
          resealed: resealed.resealed,
          unreadable: [...resealed.unreadable],
        },
      });
      return resealed;
    })
    .catch((error: unknown) => {
      keyAudit(store.main, keys.forPurpose("audit"));
      throw error;
    });
  keys.turnTo(next);
  const isFree = [...listRows(store.db), ...listSealedTexts(store.db)].every(
    ({ key_id }) => key_id !== before,
  );
  if (drop && isFree) {
    await files.remove(beside);
    await files.syncFolder(config.dataDir);
  }
  const kept = drop && isFree ? undefined : beside;
  return { ok: true, before, now: next.id, ...done, kept };
}

/** What sealing anew came to, in credentials and other sealed texts. */
interface Resealed {
  readonly resealed: number;
  /** Those that no key which is here opens; they stay as they are. */
  readonly unreadable: readonly string[];
}

/** Seals with the key in force whatever is sealed with one before it. No edit: neither the secret nor what is said of it changes. */
export function resealAll(tx: Tx, deps: SealDeps): Resealed {
  let resealed = 0;
  const unreadable: string[] = [];
  for (const row of listRows(tx)) {
    const secret = readRow(deps.keys, row);
    if (secret === undefined) unreadable.push(row.id);
    if (secret === undefined || row.key_id === deps.keys.id) continue;
    const code = accountCode(deps.keys, secret);
    // While its key was away the same account may have been stored anew: that one keeps the code.
    const owner = findOfAccount(tx, row.kind, code);
    const account = owner === undefined || owner.id === row.id ? code : row.account;
    updateRow(tx, sealed(deps, { ...row, account }, secret));
    resealed++;
  }
  const texts = resealTexts(tx, deps);
  return { resealed: resealed + texts.resealed, unreadable: [...unreadable, ...texts.unreadable] };
}
