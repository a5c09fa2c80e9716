/** The stored days of a metric under the thresholds in effect and the proposed ones. */
import type { NotTestedReason } from "../../flow/mod.ts";
import { RULES } from "../../rules/mod.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
import { Day } from "../component/time.tsx";
import { countOf, formatDecimal, formatNarrow, formatRatio } from "../format.ts";
import type { MetricPreview, PreviewDay, PreviewFlag } from "./metric_preview.ts";

/** Both previews of a metric. */
export interface MetricHistory {
  readonly kind: "metric";
  readonly inEffect: MetricPreview;
  /** Undefined while nothing is proposed. */
  readonly proposed: MetricPreview | undefined;
  readonly days: readonly PreviewDay[];
}

/** Why days were not tested, in words that follow a count of days. */
export const NOT_TESTED_WORDS: Readonly<Record<NotTestedReason, string>> = {
  missing_day: "a day is missing",
  provisional_day: "a day is provisional",
  excluded_day: "a day is left out",
  too_little_history: "too little history",
  too_few_events: "too few events",
  failed: "the rule failed",
  too_few_events_for_spread: "too few events for its dispersion",
};

/** The figures of both previews, and the days that raised a flag in either. */
export function MetricHistoryBlock({
  history,
  now,
}: {
  readonly history: MetricHistory;
  readonly now: number;
}) {
  const { inEffect, proposed, days } = history;
  return (
    <>
      <Block
        heading="On the stored days"
        note={
          <>
            <Day day={inEffect.from} now={now} /> to <Day day={inEffect.to} now={now} />, as they are stored
            today
          </>
        }
      >
        <Table
          caption="On the stored days"
          columns={[
            { words: "Figure" },
            { words: "In effect", numeric: true },
            ...(proposed === undefined ? [] : [{ words: "Proposed", numeric: true }]),
          ]}
        >
          {FIGURES.map(([words, figure]) => (
            <Row>
              <RowHead>{words}</RowHead>
              <Cell numeric>{figure(inEffect)}</Cell>
              {proposed === undefined ? null : <Cell numeric>{figure(proposed)}</Cell>}
            </Row>
          ))}
        </Table>
        <p class="note">{notTestedWords(proposed ?? inEffect)}</p>
      </Block>
      <Block heading="Days with a flag" note="newest first; each reading is judged anew">
        {days.length === 0 ? (
          <Empty heading="No day would have raised a flag">
            <p>
              Neither with the thresholds in effect{proposed === undefined ? "" : " nor the proposed ones"}.
            </p>
          </Empty>
        ) : (
          <Table
            fold
            caption="Days with a flag"
            columns={[
              { words: "Day" },
              { words: "In effect" },
              ...(proposed === undefined ? [] : [{ words: "Proposed" }]),
            ]}
          >
            {days.map((day) => (
              <Row>
                <RowHead>
                  <Day day={day.day} now={now} />
                </RowHead>
                <Cell label="In effect">
                  <Raised flag={day.inEffect} />
                </Cell>
                {proposed === undefined ? null : (
                  <Cell label="Proposed">
                    <Raised flag={day.proposed} />
                  </Cell>
                )}
              </Row>
            ))}
          </Table>
        )}
      </Block>
    </>
  );
}

const FIGURES: readonly (readonly [words: string, figure: (preview: MetricPreview) => string])[] = [
  ["Flags", ({ raised }) => formatDecimal(raised.length)],
  ["Flags expected by chance", ({ expectedByChance }) => formatRatio(expectedByChance)],
  ["Days tested", ({ tests }) => formatDecimal(tests)],
  [
    "Days not tested",
    ({ notTested }) => formatDecimal(Object.values(notTested).reduce((sum, days) => sum + days, 0)),
  ],
];

function notTestedWords(preview: MetricPreview): string {
  const reasons = Object.entries(preview.notTested) as [NotTestedReason, number][];
  if (reasons.length === 0) return "Every day was tested.";
  return `Not tested: ${reasons.map(([reason, days]) => `${countOf(days, "day")}, ${NOT_TESTED_WORDS[reason]}`).join("; ")}.`;
}

function Raised({ flag }: { readonly flag: PreviewFlag | undefined }) {
  if (flag === undefined) return <span class="dim">no flag</span>;
  const { rule, count, expected, windowDays } = flag;
  return (
    <>
      {RULES[rule].short}: {formatNarrow(count)} seen, {formatNarrow(expected)} expected in{" "}
      {countOf(windowDays, "day")}
    </>
  );
}
