import type { CodebaseView } from "../../codebase/mod.ts";
import type { Streak } from "../../refusals/mod.ts";
import { formatUnit } from "../codebase_tab/unit.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { Facts } from "../component/facts.tsx";
import { NotMeasured } from "../component/not_measured.tsx";
import { Age, Day } from "../component/time.tsx";
import { RefusedNote } from "../nightly/refused.tsx";
import { paths } from "../paths.ts";

/** What the overview shows of the code. */
export type LatestCode = Pick<CodebaseView, "sentence" | "latest" | "figures">;

/** The sentence on the code, and the figures of its latest report. */
export function LatestCodebase(props: {
  readonly asset: string;
  /** Undefined while the site has sent no codebase report. */
  readonly codebase: LatestCode | undefined;
  readonly refused: Streak | undefined;
  readonly now: number;
}) {
  const { asset, codebase, refused, now } = props;
  if (codebase === undefined) {
    return (
      <Block heading="Latest codebase report">
        <div class="stack tight">
          <RefusedNote asset={asset} streak={refused} since={false} now={now} />
          <Empty heading="No codebase report yet">
            <p>Its figures show here and on the Codebase tab.</p>
            <a class="btn" href={`${paths.siteSending(asset)}#codebase`}>
              Show the command
            </a>
          </Empty>
        </div>
      </Block>
    );
  }
  return (
    <Block
      heading="Latest codebase report"
      note={<Age at={codebase.latest.generatedAt} now={now} />}
      tools={<a href={paths.codebase(asset)}>All figures</a>}
    >
      <div class="stack tight">
        <RefusedNote asset={asset} streak={refused} since now={now} />
        <p>{codebase.sentence}</p>
        <Facts
          marked
          facts={[
            ["Day", <Day day={codebase.latest.date} now={now} />],
            ...codebase.figures.map(
              (figure) =>
                [
                  figure.label,
                  figure.latest.measured ? formatUnit(figure.unit, figure.latest.value) : <NotMeasured />,
                ] as const,
            ),
          ]}
        />
      </div>
    </Block>
  );
}
