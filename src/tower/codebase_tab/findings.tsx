/** The findings of the latest report. An omitted list is Not measured; an empty one means nothing found. */
import type { CodebaseFindings, FindingList } from "../../codebase/mod.ts";
import { Block } from "../component/block.tsx";
import { NotMeasured } from "../component/not_measured.tsx";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
import { Code, Told } from "../component/text.tsx";
import { formatCount, formatNarrow } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";

function List<T>(props: {
  readonly heading: string;
  readonly list: FindingList<T>;
  readonly nothing: string;
  readonly note?: string;
  readonly children: (items: readonly T[]) => Child;
}) {
  const { list } = props;
  return (
    <Block heading={props.heading} note={list.listed && list.items.length > 0 ? props.note : undefined}>
      {list.listed ? (
        list.items.length === 0 ? (
          <p>{props.nothing}</p>
        ) : (
          props.children(list.items)
        )
      ) : (
        <div class="said">
          <NotMeasured reason={list.reason} />
        </div>
      )}
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

function Duplicates({ list }: { readonly list: CodebaseFindings["duplicates"] }) {
  return (
    <List
      heading="Repeated blocks"
      list={list}
      nothing="Nothing repeated found."
      note={noteOf(list, 20, "blocks")}
    >
      {(items) => (
        <Table caption="Repeated blocks" columns={[{ words: "Lines", numeric: true }, { words: "Where" }]}>
          {items.map((block) => (
            <Row>
              <Cell numeric>{formatNarrow(block.lines)}</Cell>
              <Cell>
                <BlockPlaces block={block} />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </List>
  );
}

function noteOf<T>(list: FindingList<T>, bound: number, what: string): string {
  if (!list.listed) return "";
  return list.items.length < bound
    ? `${formatCount(list.items.length)} listed`
    : `a report lists ${bound} ${what} at most`;
}

function Functions({ list }: { readonly list: CodebaseFindings["complexFunctions"] }) {
  return (
    <List
      heading="Hard-to-change functions"
      list={list}
      nothing="No function with a complexity above 15 found."
      note="complexity above 15"
    >
      {(items) => (
        <Table
          caption="Hard-to-change functions"
          columns={[
            { words: "Function" },
            { words: "Complexity", numeric: true },
            { words: "Lines", numeric: true },
          ]}
        >
          {items.map((found) => (
            <Row>
              <RowHead>
                <Code>{found.name}</Code>
                <small class="block-sm">
                  <Code>{`${found.path}:${found.line}`}</Code>
                </small>
              </RowHead>
              <Cell numeric>{formatNarrow(found.complexity)}</Cell>
              <Cell numeric>{formatNarrow(found.length)}</Cell>
            </Row>
          ))}
        </Table>
      )}
    </List>
  );
}

function Unused({ list }: { readonly list: CodebaseFindings["unused"] }) {
  return (
    <List heading="Unused code" list={list} nothing="Nothing unused found." note={noteOf(list, 50, "items")}>
      {(items) => (
        <Table caption="Unused code" columns={[{ words: "Kind" }, { words: "Where" }]}>
          {items.map((item) => (
            <Row>
              <Cell class="kind">
                <Told class="wrap">{item.kind}</Told>
              </Cell>
              <Cell>
                <Code>{item.path}</Code>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </List>
  );
}

function LargestFiles({ list }: { readonly list: CodebaseFindings["largestFiles"] }) {
  return (
    <List heading="Largest files" list={list} nothing="No file with code found." note="lines of code">
      {(items) => {
        const most = Math.max(1, ...items.map((file) => file.code_lines));
        return (
          <Table
            class="bars"
            caption="Largest files"
            columns={[
              { words: "File" },
              { words: "Share of the largest", unseen: true },
              { words: "Lines of code", numeric: true },
            ]}
          >
            {items.map((file) => (
              <Row>
                <RowHead>
                  <Code>{file.path}</Code>
                </RowHead>
                <Cell class="meter-cell">
                  <svg class="meter" aria-hidden="true">
                    <rect class="t" width="100%" height="8" />
                    <rect width={`${Number(((file.code_lines / most) * 100).toFixed(2))}%`} height="8" />
                  </svg>
                </Cell>
                <Cell numeric>{formatNarrow(file.code_lines)}</Cell>
              </Row>
            ))}
          </Table>
        );
      }}
    </List>
  );
}

function Languages({ list }: { readonly list: CodebaseFindings["byLanguage"] }) {
  return (
    <List heading="Languages" list={list} nothing="No language found.">
      {(items) => (
        <Table
          caption="Languages"
          columns={[
            { words: "Language" },
            { words: "Files", numeric: true },
            { words: "Lines of code", numeric: true },
          ]}
        >
          {items.map((row) => (
            <Row>
              <RowHead>
                <Told class="wrap">{row.language}</Told>
              </RowHead>
              <Cell numeric>{formatNarrow(row.files)}</Cell>
              <Cell numeric>{formatNarrow(row.code_lines)}</Cell>
            </Row>
          ))}
        </Table>
      )}
    </List>
  );
}

/** All five lists. */
export function Findings({ findings }: { readonly findings: CodebaseFindings }) {
  return (
    <>
      <Duplicates list={findings.duplicates} />
      <Functions list={findings.complexFunctions} />
      <Unused list={findings.unused} />
      <LargestFiles list={findings.largestFiles} />
      <Languages list={findings.byLanguage} />
    </>
  );
}
