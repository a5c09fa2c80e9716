/** What a report says otherwise than the revision before it. */
import { type FigureChange, isSame, type NamesChange, type PulseDifference } from "../../pulse/mod.ts";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { countOf } from "../format.ts";
import { MOST_ROWS, sent } from "./sent_pulse.tsx";

function Figures(props: { readonly caption: string; readonly changes: readonly FigureChange[] }) {
  const { caption, changes } = props;
  if (changes.length === 0) return null;
  return (
    <DataTable
      caption={caption}
      showCaption
      items={changes.slice(0, MOST_ROWS)}
      columns={[
        { words: "Figure", names: true, class: "mono wrap", cell: ({ name }) => <Told>{name}</Told> },
        { words: "Before", numeric: true, class: "dim", cell: ({ before }) => sent(before) },
        { words: "Here", numeric: true, cell: ({ after }) => sent(after) },
      ]}
    />
  );
}

function Names({ words, change }: { readonly words: string; readonly change: NamesChange }) {
  const lines = [
    ...change.added.map((name) => ["added", name] as const),
    ...change.removed.map((name) => ["no longer sent", name] as const),
  ];
  if (lines.length === 0) return null;
  return (
    <ul class="plain">
      {lines.slice(0, MOST_ROWS).map(([what, name]) => (
        <li>
          {words} {what}: <Told class="wrap">{name}</Told>
        </li>
      ))}
    </ul>
  );
}

/** `isWhole` where everything that was sent was compared; of a codebase report only its measures are. */
export function Difference(props: { readonly difference: PulseDifference; readonly isWhole: boolean }) {
  const { difference, isWhole } = props;
  const { metrics, pages, capabilities, flags, unchanged } = difference;
  const more = Math.max(0, metrics.length - MOST_ROWS) + Math.max(0, pages.length - MOST_ROWS);
  return (
    <div class="stack tight">
      {isSame(difference) ? (
        <p>{isWhole ? "Nothing differs in what was sent." : "No figure differs."}</p>
      ) : null}
      <Figures caption="Figures that differ" changes={metrics} />
      <Figures caption="Negative events that differ, by page" changes={pages} />
      <Names words="Capability" change={capabilities} />
      <Names words="Flag" change={flags} />
      <p class="note">
        {countOf(unchanged, "figure")} unchanged.
        {more === 0 ? null : ` ${countOf(more, "more difference is", "more differences are")} not listed.`}
        {isWhole ? null : " Findings, tools and notes are not compared here."}
      </p>
    </div>
  );
}
