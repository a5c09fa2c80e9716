/** A codebase report as it was sent: its figures with what stands beside them, its findings and what it was measured with. */
import type { ReportView } from "../../codebase/mod.ts";
import { Dismissed } from "../codebase_tab/dismissed.tsx";
import { FigureTable } from "../codebase_tab/figure_table.tsx";
import { Findings } from "../codebase_tab/findings.tsx";
import { Commit, MeasuredWith } from "../codebase_tab/measured_with.tsx";
import { WorkBlock } from "../codebase_tab/work.tsx";
import { Block } from "../component/block.tsx";
import { Told } from "../component/text.tsx";
import type { Child } from "../jsx/jsx-runtime.ts";

/** The commit of a report, for its facts. */
export function commitFact({ repository }: ReportView): readonly (readonly [string, Child])[] {
  if (repository?.commit === undefined) return [["Commit", <span class="nm">Not sent</span>]];
  return [
    [
      "Commit",
      <>
        <Commit repository={repository} />
        {repository.ref === undefined ? null : (
          <>
            {" "}
            on <Told class="wrap">{repository.ref}</Told>
          </>
        )}
      </>,
    ],
  ];
}

/** What the report says by itself: nothing here is compared with another report. */
export function SentCodebase({ view, now }: { readonly view: ReportView; readonly now: number }) {
  return (
    <>
      <Block heading="Figures">
        <FigureTable caption="Figures of the report" figures={view.figures} beside={null} />
      </Block>
      <div class="columns">
        <Findings findings={view.findings} figures={view.figures} />
        <Dismissed entries={view.dismissed} />
        <WorkBlock work={view.work} since={null} />
        <MeasuredWith report={view} now={now} />
      </div>
    </>
  );
}
