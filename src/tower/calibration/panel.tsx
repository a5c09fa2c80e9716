/** The calibration panel: how often flow rules were raised beside how often chance alone would have raised them. */
import type { Calibration, CalibrationSpan } from "../../flow/mod.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { NOT_TESTED_WORDS } from "../component/not_tested.ts";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
import { countOf, formatCount, formatDecimal, formatPercent } from "../format.ts";
import { paths } from "../paths.ts";

/** Tests, flags and chance over three spans, why metrics are not tested, and the noisiest sites. */
export function CalibrationPanel({ calibration }: { readonly calibration: Calibration }) {
  const { spans } = calibration;
  if (spans.every(({ tests, notTested }) => tests + notTested === 0)) {
    return (
      <Block heading="Calibration">
        <Empty heading="No test has run yet">
          <p>
            A flow rule runs when a site's nightly report brings a daily count. A metric needs at least four
            weeks of days before it is tested.
          </p>
        </Empty>
      </Block>
    );
  }
  return (
    <>
      <Block heading="Calibration" note="flow rules on all sites, by the day of judging, UTC">
        <Table
          fold
          caption="Calibration"
          columns={[
            { words: "Days, to today" },
            { words: "Tests run", numeric: true },
            { words: "Flags raised", numeric: true },
            { words: "Expected by chance", numeric: true },
            { words: "Not tested", numeric: true },
            { words: "Flags that were tuned", numeric: true },
          ]}
        >
          {spans.map((span) => (
            <Span span={span} />
          ))}
        </Table>
        <p>
          Each test looks for too few and for too many at alpha, so at an alpha of 0.01 two tests in a hundred
          are expected to flag where nothing changes. It is a round figure and no bound: steady metrics of a
          thousand a day were measured at 2.5 to 2.9 in a hundred. Many more flags than that mean that
          something does change, or that counts vary more than the rules assume. A smaller alpha lowers both
          figures.
        </p>
      </Block>
      <div class="halves">
        <Noisiest calibration={calibration} />
        <NotTested calibration={calibration} />
      </div>
    </>
  );
}

function Span({ span }: { readonly span: CalibrationSpan }) {
  const { days, tests, raised, expected, notTested, flags, tuned } = span;
  return (
    <Row>
      <RowHead>{countOf(days, "day")}</RowHead>
      <Cell label="Tests run" numeric>
        {formatCount(tests)}
      </Cell>
      <Cell label="Flags raised" numeric>
        {formatCount(raised)}
      </Cell>
      <Cell label="Expected by chance" numeric>
        about {formatDecimal(expected)}
      </Cell>
      <Cell label="Not tested" numeric>
        {formatCount(notTested)}
      </Cell>
      <Cell label="Flags that were tuned" numeric>
        {flags === 0 ? <span class="dim">–</span> : shareWords(tuned, flags)}
      </Cell>
    </Row>
  );
}

/** Percent-drop is no test of chance, yet it is tuned like the others; so the share is of all flow flags. */
function shareWords(tuned: number, flags: number): string {
  return `${formatCount(tuned)} of ${formatCount(flags)} (${formatPercent((tuned * 100) / flags)})`;
}

function Noisiest({ calibration }: { readonly calibration: Calibration }) {
  const { noisiest, noisiestDays } = calibration;
  return (
    <Block heading="Noisiest sites" note={`most flags raised in ${noisiestDays} days`}>
      {noisiest.length === 0 ? (
        <p>No flow flag was raised in these days.</p>
      ) : (
        <Table
          caption="Noisiest sites"
          columns={[
            { words: "Site" },
            { words: "Raised", numeric: true },
            { words: "By chance", numeric: true },
            { words: "Tests", numeric: true },
          ]}
        >
          {noisiest.map(({ asset, raised, expected, tests }) => (
            <Row>
              <RowHead>
                <a href={paths.siteSettings(asset)}>{asset}</a>
              </RowHead>
              <Cell numeric>{formatCount(raised)}</Cell>
              <Cell numeric>{formatDecimal(expected)}</Cell>
              <Cell numeric>{formatCount(tests)}</Cell>
            </Row>
          ))}
        </Table>
      )}
    </Block>
  );
}

function NotTested({ calibration }: { readonly calibration: Calibration }) {
  const { notTested } = calibration;
  return (
    <Block heading="Metrics that are not tested" note="when they were last judged">
      {notTested.length === 0 ? (
        <p>Every metric was tested when it was last judged.</p>
      ) : (
        <Table
          caption="Metrics that are not tested"
          columns={[{ words: "Because" }, { words: "Metrics", numeric: true }]}
        >
          {notTested.map(({ reason, metrics }) => (
            <Row>
              <RowHead>{NOT_TESTED_WORDS[reason]}</RowHead>
              <Cell numeric>{formatCount(metrics)}</Cell>
            </Row>
          ))}
        </Table>
      )}
    </Block>
  );
}
