/** What the archive holds, and where. */

import type { ArchiveTotal } from "../../archive/archive_tally.ts";
import { byteWords, countWords as countOf } from "../../base/text.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS } from "../../providers/adapter.ts";
import { formatCount } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { Code } from "../kit/links.tsx";
import { type Column, List } from "../kit/list.tsx";
import { Marked } from "../kit/term.tsx";

/** Where objects lie, as a person may read it. */
export interface Place {
  readonly kind: "directory" | "s3";
  /** A path, or `s3://bucket/prefix`; never a secret. */
  readonly where: string;
}

export function HeldBlock({ totals, place }: { totals: readonly ArchiveTotal[]; place: Place }) {
  return (
    <Block id="held" heading="What is held" note="over all sites, since the first run">
      <div class="stack tight">
        <p>
          <Marked>{heldWords(totals)}</Marked>
        </p>
        <List
          of="What the archive holds, by provider"
          items={totals}
          empty={null}
          columns={[
            ["Provider", ({ provider }) => PROVIDER_WORDS[provider]],
            counted("Attempts", ({ attempts }) => formatCount(attempts)),
            counted("Objects", ({ objects }) => formatCount(objects)),
            counted("As they came", ({ bytes }) => byteWords(bytes)),
            counted("As stored", ({ storedBytes }) => byteWords(storedBytes)),
            counted("Came again", ({ repeated }) => formatCount(repeated)),
            counted("Spared by that", ({ sparedStoredBytes }) => byteWords(sparedStoredBytes)),
          ]}
        />
        <p class="note">
          The objects lie in the {place.kind === "s3" ? "bucket" : "directory"} <Code>{place.where}</Code>,
          each under the SHA-256 of its bytes. <Code>bun run tower archive verify</Code> reads every one of
          them again and names what is wrong.
        </p>
      </div>
    </Block>
  );
}

const counted = (words: string, cell: (total: ArchiveTotal) => string): Column<ArchiveTotal> => [
  words,
  cell,
  { numeric: true, class: "nowrap" },
];

/** "1,204 objects hold 3.1 GiB of answers in 410 MiB; 2,310 answers came again and were not stored twice (820 MiB spared)." */
export function heldWords(totals: readonly ArchiveTotal[]): string {
  const sum = (of: (total: ArchiveTotal) => number) => totals.reduce((all, total) => all + of(total), 0);
  const [objects, repeated] = [sum((of) => of.objects), sum((of) => of.repeated)];
  if (objects === 0) return "No object is stored yet.";
  const bytes = byteWords(sum((of) => of.bytes));
  const stored = byteWords(sum((of) => of.storedBytes));
  const held = `${countOf(objects, "object")} ${objects === 1 ? "holds" : "hold"} ${bytes} of answers in ${stored}`;
  if (repeated === 0) return `${held}.`;
  const spared = byteWords(sum((of) => of.sparedStoredBytes));
  return `${held}; ${countOf(repeated, "answer")} said what an object holds already and ${repeated === 1 ? "was" : "were"} not stored again, which spares ${spared}.`;
}
