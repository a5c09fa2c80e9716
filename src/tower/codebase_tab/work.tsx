import type { Figure } from "../../codebase/mod.ts";
import { Block } from "../component/block.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Before, Remarks, ToolOf, Value } from "./figure_table.tsx";

/** The figures of the work of 30 days and of the packages; `since` is the day of the comparison report. */
export function WorkBlock(props: { readonly work: readonly Figure[]; readonly since: string | null }) {
  const { work, since } = props;
  return (
    <Block heading="Work and packages">
      <DataTable
        caption="Work and packages"
        items={work}
        columns={[
          { words: "Figure", names: true, cell: (figure) => <WorkName figure={figure} since={since} /> },
          {
            words: since === null ? "Value" : "Latest",
            numeric: true,
            cell: ({ unit, latest }) => <Value unit={unit} reading={latest} />,
          },
          since === null
            ? null
            : {
                words: since,
                numeric: true,
                class: "dim",
                cell: ({ unit, before }) =>
                  before === null ? null : <Before unit={unit} reading={before} />,
              },
        ]}
      />
    </Block>
  );
}

function WorkName({ figure, since }: { readonly figure: Figure; readonly since: string | null }) {
  const { label, latest } = figure;
  return (
    <>
      {label}
      {figure.tool === null ? null : (
        <small class="block-sm">
          <ToolOf figure={figure} />
        </small>
      )}
      {latest.measured ? null : (
        <small class="block-sm">
          <Told>{latest.reason}</Told>
        </small>
      )}
      <Remarks remarks={figure.remarks} />
      <Remarks remarks={figure.remarksBefore} from={`Report of ${since ?? "a month before"}`} />
    </>
  );
}
