/** The stored reports under the codebase thresholds in effect and the proposed ones. */
import type { UtcDay } from "../../lib/utc_day.ts";
import { Block } from "../component/block.tsx";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Day } from "../component/time.tsx";
import { formatCount } from "../format.ts";
import type { RulePreview } from "./codebase_preview.ts";

/** The previews of some rules. */
export interface CodebaseHistory {
  readonly kind: "codebase";
  readonly previews: readonly RulePreview[];
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly hasProposal: boolean;
}

/** Reports listed for each rule. */
const MOST_LISTED = 20;

/** How often each rule fires over the stored reports, and at which. */
export function CodebaseHistoryBlocks({
  history,
  now,
}: {
  readonly history: CodebaseHistory;
  readonly now: number;
}) {
  const { previews, hasProposal } = history;
  return (
    <>
      <Block
        heading="Over the stored reports"
        note={
          <>
            <Day day={history.from} now={now} /> to <Day day={history.to} now={now} />, the current report of
            each day
          </>
        }
      >
        <Table
          caption="Over the stored reports"
          columns={[
            { words: "Rule" },
            { words: "Reports judged", numeric: true },
            { words: "Raised now", numeric: true },
            ...(hasProposal ? [{ words: "Proposed", numeric: true }] : []),
          ]}
        >
          {previews.map((preview) => (
            <Row>
              <RowHead class="mono">{preview.rule}</RowHead>
              <Cell numeric>{formatCount(preview.judged)}</Cell>
              <Cell numeric>{formatCount(preview.inEffect)}</Cell>
              {hasProposal ? <Cell numeric>{formatCount(preview.proposed)}</Cell> : null}
            </Row>
          ))}
        </Table>
      </Block>
      {previews
        .filter(({ fired, inEffect, proposed }) => {
          const isTouched = previews.length === 1 || !hasProposal || inEffect !== proposed;
          return fired.length > 0 && isTouched;
        })
        .map((preview) => (
          <FiredReports preview={preview} hasProposal={hasProposal} now={now} />
        ))}
    </>
  );
}

function FiredReports({
  preview,
  hasProposal,
  now,
}: {
  readonly preview: RulePreview;
  readonly hasProposal: boolean;
  readonly now: number;
}) {
  const heading = `Reports that raise ${preview.rule}`;
  return (
    <Block
      heading={heading}
      note={
        preview.fired.length > MOST_LISTED
          ? `the newest ${MOST_LISTED} of ${formatCount(preview.fired.length)}`
          : "newest first"
      }
    >
      <Table
        fold
        caption={heading}
        columns={[
          { words: "Report" },
          { words: "Alert" },
          { words: "In effect" },
          ...(hasProposal ? [{ words: "Proposed" }] : []),
        ]}
      >
        {preview.fired.slice(0, MOST_LISTED).map((fired) => (
          <Row>
            <RowHead class="nowrap">
              <Day day={fired.date} now={now} />
            </RowHead>
            <Cell class="all">
              <Told>{fired.message}</Told>
            </Cell>
            <Cell label="In effect">{raisedWords(fired.inEffect)}</Cell>
            {hasProposal ? <Cell label="Proposed">{raisedWords(fired.proposed)}</Cell> : null}
          </Row>
        ))}
      </Table>
    </Block>
  );
}

function raisedWords(isRaised: boolean) {
  return isRaised ? "raised" : <span class="dim">no alert</span>;
}
