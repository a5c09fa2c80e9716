import { dirname, resolve } from "node:path";
import { backUp, besideIn, type LastBackup, noteBackup } from "../backup/mod.ts";
import { isStorageFailure, storageFault } from "../db/mod.ts";
import { byteWords } from "../lib/byte_words.ts";
import { countText } from "../lib/number_text.ts";
import { countWords } from "../lib/plural.ts";
import { findKeys, keyPath } from "../platform/keys.ts";
import { objectsText, progressWords, rowsText } from "./backup_words.ts";
import { type ReadOnlyCommand, type ReadOnlyDeps, readOnlyCommand, refused } from "./contract.ts";

/** `backup`. */
export const backup: ReadOnlyCommand = readOnlyCommand({
  name: "backup",
  summary: "copy the database and the archive, while the service runs",
  takes: ["<file>"],
  lasts: true,
  about: [
    "Copies the database into a new file while the service goes on: one consistent moment, checked, sealed with a digest and with this installation's key, and on the disk before the file gets its name. Nothing is overwritten. The file is for tower restore.",
    "The reports of the archive that it names go into the folder tower-archive beside it, which all backups of a folder share: what is there is not copied again. Where one is damaged or missing in the archive, the backup is made all the same; the object is named, and the exit code is 1.",
    "The key itself is not in it: keep that apart from the backups. On another machine tower restore needs it, to tell a backup of yours from one that somebody made. The constants document is in the backup, with its earlier versions.",
  ],
  options: {
    "without-objects": {
      says: "leaves the archive out, for one that lies safe elsewhere (a bucket with versions); the file says so, and tower restore needs the archive as it is",
    },
  },
  run: async (given, { args: [file = ""], options, cwd = ".", tell, signal }) => {
    const deps = given.keys?.isStandIn === true ? { ...given, keys: undefined } : given;
    const target = resolve(cwd, file);
    const startedAt = deps.clock.now();
    const result = await backUp(deps, {
      source: deps.store.path,
      target,
      archive: options["without-objects"] === true ? undefined : deps.config,
      onProgress: (progress) => tell?.(progressWords(progress)),
      signal,
    });
    if (!result.ok) return refused(`no backup was made: ${result.reason}`);
    const { bytes, rows, objects, ms, faults } = result;
    const isWhole = objects.lacking === 0;
    const stdout = [
      target,
      `${byteWords(bytes)}, ${(ms / 1000).toFixed(1)} s, checked${isWhole ? "" : ", NOT WHOLE"}`,
      rowsText(rows),
      objectsText(objects, besideIn(dirname(target))),
      "constants.toml: in it, with its earlier versions",
      `credentials key${deps.keys === undefined ? "" : ` (${deps.keys.id})`}: NOT in it; keep ${keyPlace(deps)} apart from the backups`,
    ];
    const warnings = [
      ...(deps.keys === undefined
        ? ["no key is here: nothing in this backup proves that it is of this installation"]
        : []),
      ...keyWarnings(deps),
      ...(await noteMade(deps, {
        at: startedAt,
        lacking: objects.leftOut ? undefined : objects.lacking,
      })),
      ...faults.map((fault) => `in the data, and so in the backup: ${fault}`),
      ...(isWhole
        ? []
        : [
            `the backup is not whole: of ${countWords(objects.named, "object")} that its manifest names, ${countText(objects.lacking)} could not be copied; the database and the others are safe, and the next backup tries again`,
            ...objects.faults,
          ]),
    ];
    return { exitCode: isWhole ? 0 : 1, stdout: stdout.join("\n"), stderr: warnings.join("\n") };
  },
});

/** Lets a running service tell when its data was last backed up; a full disk must not make a backup look like none. */
async function noteMade({ writer }: ReadOnlyDeps, made: LastBackup): Promise<string[]> {
  try {
    await writer?.write((tx) => noteBackup(tx, made));
    return [];
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
    return [`when it was made could not be noted for /metrics: ${storageFault(error)}`];
  }
}

/** A running service seals with the key it started with: whoever keeps the file's key must hear that it is another by now. */
function keyWarnings({ config, keys }: ReadOnlyDeps): string[] {
  const kept = findKeys(config)?.id;
  if (keys === undefined || kept === keys.id) return [];
  return [
    `${keyPath(config.dataDir)} ${kept === undefined ? "holds no key any more" : `holds another key by now (${kept})`}: what proves this backup is the key that the service started with (${keys.id}); put that one back before the service stops`,
  ];
}

function keyPlace({ config }: ReadOnlyDeps): string {
  return config.credentialsKey === undefined
    ? resolve(config.dataDir, "credentials.key")
    : "the CREDENTIALS_KEY setting";
}
