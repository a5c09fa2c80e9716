import { countWords as countOf } from "../../base/text.ts";
import type {
  ComplexFunction,
  Duplicate,
  FindingsDifference,
  ListDifference,
  ToolsOfBoth,
  Unused,
} from "../../reports/codebase_difference.ts";
import { formatNarrow } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { Code, NotMeasured, Told } from "../kit/links.tsx";
import { BlockPlaces, UnusedPlace } from "./findings.tsx";

function Items<T>(props: {
  readonly words: string;
  readonly items: readonly T[];
  readonly show: (item: T) => Child;
}) {
  if (props.items.length === 0) return null;
  return (
    <details class="items">
      <summary>{props.words}</summary>
      <ul>
        {props.items.map((item) => (
          <li>{props.show(item)}</li>
        ))}
      </ul>
    </details>
  );
}

/** What has to be known of the tool before two of its lists are held against each other. */
const TOOLS_WORDS: Readonly<Record<ToolsOfBoth, string | null>> = {
  same: null,
  updated: "The tool that finds them was updated in between, so a part of this may be its own.",
  unknown:
    "One of the two reports does not name the tool that finds them, so a part of this may be the tools' own.",
};

function Lists<T>(props: {
  readonly heading: string;
  readonly one: string;
  readonly many: string;
  readonly difference: ListDifference<T> | null;
  readonly show: (item: T) => Child;
}) {
  const { difference } = props;
  if (difference === null) {
    return (
      <div>
        <h3>{props.heading}</h3>
        <NotMeasured reason="One of the two reports carries no such list." />
      </div>
    );
  }
  const { fresh, gone, byFile = false } = difference;
  const [one, many] = byFile ? ["file", "files"] : [props.one, props.many];
  return (
    <div>
      <h3>{props.heading}</h3>
      {fresh.length + gone.length === 0 ? <p>The same {many} are listed in both.</p> : null}
      <Items
        words={`${countOf(fresh.length, one, many)} listed now and not then`}
        items={fresh}
        show={props.show}
      />
      <Items
        words={`${countOf(gone.length, one, many)} listed then and not now`}
        items={gone}
        show={props.show}
      />
      {byFile ? (
        <p class="note">Not both reports name what is unused in a file, so files are compared.</p>
      ) : null}
      {TOOLS_WORDS[difference.tools] === null || fresh.length + gone.length === 0 ? null : (
        <p class="note">{TOOLS_WORDS[difference.tools]}</p>
      )}
      {difference.cut && fresh.length + gone.length > 0 ? (
        <p class="note">One of the lists is full, so some may only have moved beyond its end.</p>
      ) : null}
    </div>
  );
}

function showBlock(block: Duplicate): Child {
  return (
    <>
      {isOneLength(block) ? null : "up to "}
      {countOf(longestOf(block), "line")} in
      <BlockPlaces block={block} />
    </>
  );
}

/** Whether every place is as long as the block, as far as the report says. */
function isOneLength({ lines, files }: Duplicate): boolean {
  return files.every((file) => file.lines === undefined || file.lines === lines);
}

/** A sender may count a block shorter than one of its places. */
function longestOf({ lines, files }: Duplicate): number {
  return Math.max(lines, ...files.map((file) => file.lines ?? 0));
}

function showFunction(found: ComplexFunction): Child {
  return (
    <>
      <Code>{found.name}</Code>, complexity {formatNarrow(found.complexity)}
      <div>
        <Code>{`${found.path}:${found.line}`}</Code>
      </div>
    </>
  );
}

function showUnused(found: Unused): Child {
  return (
    <>
      <Told class="wrap">{found.kind}</Told>
      <div>
        <UnusedPlace found={found} />
      </div>
    </>
  );
}

/** What is listed now and was not in the comparison report, and the other way round. */
export function Difference({
  difference,
  since,
}: {
  readonly difference: FindingsDifference;
  readonly since: string;
}) {
  return (
    <Block heading="Since the comparison report" note={`of ${since}`}>
      <div class="stack tight">
        <Lists
          heading="Repeated blocks"
          one="block"
          many="blocks"
          difference={difference.duplicates}
          show={showBlock}
        />
        <Lists
          heading="Hard-to-change functions"
          one="function"
          many="functions"
          difference={difference.complexFunctions}
          show={showFunction}
        />
        <Lists
          heading="Unused code"
          one="item"
          many="items"
          difference={difference.unused}
          show={showUnused}
        />
      </div>
    </Block>
  );
}
