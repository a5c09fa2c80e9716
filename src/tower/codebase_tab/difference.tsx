import type { ComplexFunction, Duplicate, FindingsDifference, ListDifference } from "../../codebase/mod.ts";
import { Block } from "../component/block.tsx";
import { NotMeasured } from "../component/not_measured.tsx";
import { Code } from "../component/text.tsx";
import { countOf, formatNarrow } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { BlockPlaces } from "./findings.tsx";

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

function Lists<T>(props: {
  readonly heading: string;
  readonly one: string;
  readonly many: string;
  readonly difference: ListDifference<T> | null;
  readonly show: (item: T) => Child;
}) {
  const { difference, one, many } = props;
  if (difference === null) {
    return (
      <div>
        <h3>{props.heading}</h3>
        <NotMeasured reason="One of the two reports carries no such list." />
      </div>
    );
  }
  const { fresh, gone } = difference;
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
      {difference.cut && fresh.length + gone.length > 0 ? (
        <p class="note">One of the lists is full, so some may only have moved beyond its end.</p>
      ) : null}
    </div>
  );
}

function showBlock(block: Duplicate): Child {
  return (
    <>
      {countOf(block.lines, "line")} in
      <BlockPlaces block={block} />
    </>
  );
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
      </div>
    </Block>
  );
}
