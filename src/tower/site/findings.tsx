/** The findings of the latest report. An omitted list is Not measured; an empty one means nothing found. */

import { capital, countWords as countOf } from "../../base/text.ts";
import type { Unused } from "../../reports/codebase_difference.ts";
import type { Figure } from "../../reports/codebase_figures.ts";
import type { CodebaseFindings, FindingList } from "../../reports/codebase_view.ts";
import { formatCount, formatNarrow } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { Code, type ColumnOf, DataTable, NotMeasured, Told } from "../kit/links.tsx";
import { Meter } from "../kit/plot.tsx";
import { Remarks } from "./figure_table.tsx";

/** One list as a table under its heading, which is the table's caption too. */
function List<T>(props: {
  readonly heading: string;
  readonly list: FindingList<T>;
  readonly nothing: string;
  readonly note?: string;
  readonly class?: string;
  /** The figure that counts what is listed: what is said beside it holds for the list as well. */
  readonly figure: Figure | undefined;
  readonly columns: (items: readonly T[]) => readonly ColumnOf<T>[];
}) {
  const { heading, list } = props;
  if (!list.listed) {
    return (
      <Block heading={heading}>
        <div class="said">
          <NotMeasured reason={list.reason} />
        </div>
      </Block>
    );
  }
  const { items } = list;
  return (
    <Block heading={heading} note={items.length === 0 ? undefined : props.note}>
      <DataTable
        class={props.class}
        caption={heading}
        items={items}
        columns={props.columns(items)}
        empty={<p>{props.nothing}</p>}
      />
      <Besides figure={props.figure} />
    </Block>
  );
}

/** What a list leaves out, as far as its report says so: a list of nothing would otherwise say more than was looked at. */
function Besides({ figure }: { readonly figure: Figure | undefined }) {
  if (figure === undefined) return null;
  const unlisted = figure.details.filter(({ key, reading }) => LISTED.has(key) && !reading.measured);
  if (figure.remarks.length + unlisted.length === 0) return null;
  return (
    <div class="besides">
      {unlisted.map((detail) => (
        <small class="reason">{capital(detail.many)}: Not measured</small>
      ))}
      <Remarks remarks={figure.remarks} about={figure.label} />
    </div>
  );
}

/** Measures that one list shares with another, so that one of them may be absent while the list is there. */
const LISTED: ReadonlySet<string> = new Set(["unused_files", "unused_exports"]);

type ItemOf<K extends keyof CodebaseFindings> = CodebaseFindings[K] extends FindingList<infer T> ? T : never;

/** Places of a block that are seen at once; the rest is one click away, so that many copies do not push the page apart. */
const PLACES_SHOWN = 3;

/** Where a repeated block lies. */
export function BlockPlaces({ block }: { readonly block: ItemOf<"duplicates"> }) {
  const { files } = block;
  const shown = files.length <= PLACES_SHOWN + 1 ? files.length : PLACES_SHOWN;
  return (
    <>
      <Places files={files.slice(0, shown)} />
      {shown === files.length ? null : (
        <details>
          <summary class="note">and {formatCount(files.length - shown)} more</summary>
          <Places files={files.slice(shown)} />
        </details>
      )}
    </>
  );
}

function Places({ files }: { readonly files: ItemOf<"duplicates">["files"] }) {
  return (
    <>
      {files.map((file) => (
        <div>
          <Code>{`${file.path}:${file.startLine}`}</Code>
          {file.lines === undefined ? null : <small class="nowrap dim"> {countOf(file.lines, "line")}</small>}
        </div>
      ))}
    </>
  );
}

function noteOf<T>(list: FindingList<T>, bound: number, what: string): string {
  if (!list.listed) return "";
  return list.items.length < bound
    ? `${formatCount(list.items.length)} listed`
    : `a report lists ${bound} ${what} at most`;
}

/** All five lists, each with what is said beside its figure. */
export function Findings(props: {
  readonly findings: CodebaseFindings;
  readonly figures: readonly Figure[];
}) {
  const { findings, figures } = props;
  const figure = (id: string) => figures.find((known) => known.id === id);
  const { duplicates, complexFunctions, unused, largestFiles, byLanguage } = findings;
  return (
    <>
      <List
        heading="Repeated blocks"
        list={duplicates}
        figure={figure("repeated")}
        nothing="Nothing repeated found."
        note={noteOf(duplicates, 20, "blocks")}
        columns={() => [
          { words: "Lines", numeric: true, cell: ({ lines }) => formatNarrow(lines) },
          { words: "Where", cell: (block) => <BlockPlaces block={block} /> },
        ]}
      />
      <List
        heading="Hard-to-change functions"
        list={complexFunctions}
        figure={figure("complex")}
        nothing="No function with a complexity above 15 found."
        note="complexity above 15"
        columns={() => [
          { words: "Function", names: true, cell: (found) => <FunctionName found={found} /> },
          { words: "Complexity", numeric: true, cell: ({ complexity }) => formatNarrow(complexity) },
          { words: "Lines", numeric: true, cell: ({ length }) => formatNarrow(length) },
        ]}
      />
      <List
        heading="Unused code"
        list={unused}
        figure={figure("unused")}
        nothing="Nothing unused found."
        note={noteOf(unused, 50, "items")}
        columns={() => [
          { words: "Kind", class: "kind", cell: ({ kind }) => <Told class="wrap">{kind}</Told> },
          { words: "Where", cell: (found) => <UnusedPlace found={found} /> },
        ]}
      />
      <List
        heading="Largest files"
        list={largestFiles}
        figure={figure("lines")}
        nothing="No file with code found."
        note="lines of code"
        class="bars"
        columns={(items) => {
          const most = Math.max(1, ...items.map((file) => file.code_lines));
          return [
            { words: "File", names: true, cell: ({ path }) => <Code>{path}</Code> },
            {
              words: "Share of the largest",
              unseen: true,
              class: "meter-cell",
              cell: ({ code_lines }) => <Meter share={code_lines / most} />,
            },
            { words: "Lines of code", numeric: true, cell: ({ code_lines }) => formatNarrow(code_lines) },
          ];
        }}
      />
      <List
        heading="Languages"
        list={byLanguage}
        figure={figure("lines")}
        nothing="No language found."
        columns={() => [
          { words: "Language", names: true, cell: ({ language }) => <Told class="wrap">{language}</Told> },
          { words: "Files", numeric: true, cell: ({ files }) => formatNarrow(files) },
          { words: "Lines of code", numeric: true, cell: ({ code_lines }) => formatNarrow(code_lines) },
        ]}
      />
    </>
  );
}

/** What is unused: a named piece with its place, or a file. */
export function UnusedPlace({ found: { path, name, line } }: { readonly found: Unused }) {
  const place = line === undefined ? path : `${path}:${line}`;
  if (name === undefined) return <Code>{place}</Code>;
  return (
    <>
      <Code>{name}</Code>
      <small class="block-sm">
        <Code>{place}</Code>
      </small>
    </>
  );
}

function FunctionName({ found }: { readonly found: ItemOf<"complexFunctions"> }) {
  return (
    <>
      <Code>{found.name}</Code>
      <small class="block-sm">
        <Code>{`${found.path}:${found.line}`}</Code>
      </small>
    </>
  );
}
