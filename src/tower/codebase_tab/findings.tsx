/** The findings of the latest report. An omitted list is Not measured; an empty one means nothing found. */
import type { CodebaseFindings, FindingList } from "../../codebase/mod.ts";
import { Block } from "../component/block.tsx";
import { Meter } from "../component/meter.tsx";
import { NotMeasured } from "../component/not_measured.tsx";
import { type ColumnOf, DataTable } from "../component/table.tsx";
import { Code, Told } from "../component/text.tsx";
import { formatCount, formatNarrow } from "../format.ts";

/** One list as a table under its heading, which is the table's caption too. */
function List<T>(props: {
  readonly heading: string;
  readonly list: FindingList<T>;
  readonly nothing: string;
  readonly note?: string;
  readonly class?: string;
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
    </Block>
  );
}

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

/** All five lists. */
export function Findings({ findings }: { readonly findings: CodebaseFindings }) {
  const { duplicates, complexFunctions, unused, largestFiles, byLanguage } = findings;
  return (
    <>
      <List
        heading="Repeated blocks"
        list={duplicates}
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
        nothing="Nothing unused found."
        note={noteOf(unused, 50, "items")}
        columns={() => [
          { words: "Kind", class: "kind", cell: ({ kind }) => <Told class="wrap">{kind}</Told> },
          { words: "Where", cell: ({ path }) => <Code>{path}</Code> },
        ]}
      />
      <List
        heading="Largest files"
        list={largestFiles}
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
