import type { Dismissal } from "../../codebase/mod.ts";
import { entryOf } from "../../lib/entry_of.ts";
import { Block } from "../component/block.tsx";
import { DataTable } from "../component/table.tsx";
import { Code, Told } from "../component/text.tsx";
import { countOf, formatNarrow } from "../format.ts";

const KIND_WORDS: Readonly<Record<string, string>> = {
  path: "Files",
  "unused-file": "Unused file",
  "unused-export": "Unused export",
  duplicate: "Repeated block",
  "complex-function": "Hard-to-change function",
};

/** An entry that leaves files out counts files; every other one counts findings. */
const FILES = "path";

/**
 * What the repository's own list leaves out of the figures above, with its reasons. An entry that left nothing out is told as well: it
 * may be for what is gone.
 */
export function Dismissed({ entries }: { readonly entries: readonly Dismissal[] }) {
  if (entries.length === 0) return null;
  const stale = entries.filter(({ count }) => count === 0).length;
  return (
    <Block heading="Left out by the repository" note={leftOut(entries)}>
      <details class="items">
        <summary>
          {countOf(entries.length, "entry", "entries")} of <Code>.tower-measure</Code>
          {stale === 0 ? null : `, ${formatNarrow(stale)} matched nothing`}
        </summary>
        <DataTable
          caption="Left out by the repository"
          items={entries}
          columns={[
            { words: "What and why", names: true, cell: (entry) => <What entry={entry} /> },
            { words: "Left out", numeric: true, cell: ({ count }) => formatNarrow(count) },
          ]}
        />
      </details>
    </Block>
  );
}

function leftOut(entries: readonly Dismissal[]): string {
  const sum = (ofFiles: boolean) =>
    entries.reduce((total, { kind, count }) => ((kind === FILES) === ofFiles ? total + count : total), 0);
  const [files, findings] = [sum(true), sum(false)];
  const words = [
    files === 0 ? [] : [countOf(files, "file")],
    findings === 0 && files > 0 ? [] : [countOf(findings, "finding")],
  ].flat();
  return `${words.join(" and ")} left out`;
}

function What({ entry: { kind, path, name, reason, count } }: { readonly entry: Dismissal }) {
  return (
    <>
      <Told class="wrap">{entryOf(KIND_WORDS, kind) ?? kind}</Told>
      <span class="block-sm">
        {name === undefined ? null : (
          <>
            <Code>{name}</Code> in{" "}
          </>
        )}
        <Code>{path}</Code>
      </span>
      <small class="block-sm">
        <Told class="wrap">{reason}</Told>
      </small>
      {count === 0 ? <small class="block-sm">It matched nothing.</small> : null}
    </>
  );
}
