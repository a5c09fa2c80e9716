/** What stands on the disk, in bytes; undefined where it is not known. */

import { byteWords, countWords } from "../../base/text.ts";
import type { LastBackup } from "../../keep/backup.ts";
import { formatCount } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { Moment } from "../kit/proof.tsx";
import { Facts } from "../kit/term.tsx";
import { paths } from "../paths.ts";

export interface StorageFacts {
  readonly database: number | undefined;
  readonly log: number;
  readonly diskFree: number | undefined;
  /** Whether writes are refused now. */
  readonly refusing: boolean;
  /** Packs of reports and of attempts. */
  readonly packs: { readonly reports: number; readonly attempts: number };
  /** Objects of the archive, and their bytes as they are stored. */
  readonly archive: { readonly objects: number; readonly storedBytes: number };
  /** The last backup that was made while the service ran. */
  readonly lastBackup: LastBackup | undefined;
}

/** The room that all of it takes. */
export function StorageBlock({ facts }: { facts: StorageFacts }) {
  const { database, log, diskFree, refusing, packs, archive, lastBackup } = facts;
  return (
    <Block
      id="storage"
      heading="Storage"
      note={refusing ? <StateMark state="failing">nothing can be stored</StateMark> : undefined}
    >
      <Facts
        facts={[
          ["Database", bytesOrUnknown(database)],
          ["Write-ahead log", byteWords(log)],
          ["Free on its disk", bytesOrUnknown(diskFree)],
          ["Packs", `${formatCount(packs.reports)} of reports, ${formatCount(packs.attempts)} of attempts`],
          [
            "Archive",
            <>
              {countWords(archive.objects, "object")}, {byteWords(archive.storedBytes)}{" "}
              <a href={paths.archive}>Archive</a>
            </>,
          ],
          [
            "Last backup",
            lastBackup === undefined ? (
              <span class="dim">none known: one that was made while Tower did not run is not counted</span>
            ) : (
              <>
                <Moment at={lastBackup.at} />
                <ArchiveOfBackup {...lastBackup} />
              </>
            ),
          ],
        ]}
      />
    </Block>
  );
}

/** What of the archive went along with it. */
function ArchiveOfBackup({ lacking }: LastBackup) {
  if (lacking === undefined) return <>, without the objects of the archive</>;
  if (lacking === 0) return null;
  return (
    <>
      {" "}
      <StateMark state="failing">{`${countWords(lacking, "object")} of the archive could not be copied`}</StateMark>
    </>
  );
}

function bytesOrUnknown(bytes: number | undefined) {
  return bytes === undefined ? <span class="dim">not known</span> : byteWords(bytes);
}
