/** The calibration panel: how often flow rules were raised beside how often chance alone would have raised them. */
import type { Calibration, CalibrationSpan } from "../../flow/mod.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { NOT_TESTED_WORDS } from "../component/not_tested.ts";
import { DataTable } from "../component/table.tsx";
import { Marked } from "../component/term.tsx";
import { countOf, formatCount, formatDecimal, formatPercent } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";

const HOW_MANY =
  "Each test looks for too few and for too many at alpha, so at an alpha of 0.01 two tests in a hundred are expected to flag where nothing changes. It is a round figure and no bound: steady metrics of a thousand a day were measured at 2.5 to 2.9 in a hundred. Many more flags than that can mean that something does change, or that counts vary more than the rules assume. A smaller alpha lowers both figures.";

/** Tests, flags and chance over three spans, why metrics are not tested, and the noisiest sites. */
export function CalibrationPanel({ calibration }: { readonly calibration: Calibration }) {
  const { spans } = calibration;
  if (spans.every(({ tests, notTested }) => tests + notTested === 0)) {
    return (
      <Block heading="Flow rules">
        <Empty heading="No test has run yet">
          <p>
            A flow rule runs when a site's nightly report brings a daily count, or a provider tells one that
            is settled. A metric needs at least four weeks of days before it is tested.
          </p>
        </Empty>
      </Block>
    );
  }
  return (
    <>
      <Block
        heading="Flow rules"
        note="on all sites, sent metrics and provider figures, by the day of judging, UTC"
      >
        <DataTable
          fold
          caption="Calibration"
          items={spans}
          columns={[
            { words: "Days, to today", names: true, cell: ({ days }) => countOf(days, "day") },
            { words: "Tests run", label: true, numeric: true, cell: ({ tests }) => formatCount(tests) },
            { words: "Flags raised", label: true, numeric: true, cell: ({ raised }) => formatCount(raised) },
            {
              words: <Marked>Expected by chance</Marked>,
              label: "Expected by chance",
              numeric: true,
              cell: ({ expected }) => `about ${formatDecimal(expected)}`,
            },
            {
              words: <Marked>Not tested</Marked>,
              label: "Not tested",
              numeric: true,
              cell: ({ notTested }) => formatCount(notTested),
            },
            { words: "Flags that were tuned", label: true, numeric: true, cell: shareWords },
          ]}
        />
        <p>
          <Marked>{HOW_MANY}</Marked>
        </p>
      </Block>
      <div class="halves">
        <Noisiest calibration={calibration} />
        <NotTested calibration={calibration} />
      </div>
    </>
  );
}

/** Percent-drop is no test of chance, yet it is tuned like the others; so the share is of all flow flags. */
function shareWords({ tuned, flags }: CalibrationSpan): Child {
  if (flags === 0) return <span class="dim">–</span>;
  return `${formatCount(tuned)} of ${formatCount(flags)} (${formatPercent((tuned * 100) / flags)})`;
}

function Noisiest({ calibration }: { readonly calibration: Calibration }) {
  const { noisiest, noisiestDays } = calibration;
  return (
    <Block heading="Noisiest sites" note={`most flags raised in ${noisiestDays} days`}>
      <DataTable
        caption="Noisiest sites"
        items={noisiest}
        columns={[
          {
            words: "Site",
            names: true,
            cell: ({ asset }) => <a href={paths.siteSettings(asset)}>{asset}</a>,
          },
          { words: "Raised", numeric: true, cell: ({ raised }) => formatCount(raised) },
          { words: "By chance", numeric: true, cell: ({ expected }) => formatDecimal(expected) },
          { words: "Tests", numeric: true, cell: ({ tests }) => formatCount(tests) },
        ]}
        empty={<p>No flow flag was raised in these days.</p>}
      />
    </Block>
  );
}

function NotTested({ calibration }: { readonly calibration: Calibration }) {
  const { notTested } = calibration;
  return (
    <Block heading="Metrics that are not tested" note="when they were last judged">
      <DataTable
        caption="Metrics that are not tested"
        items={notTested}
        columns={[
          { words: "Because", names: true, cell: ({ reason }) => NOT_TESTED_WORDS[reason] },
          { words: "Metrics", numeric: true, cell: ({ metrics }) => formatCount(metrics) },
        ]}
        empty={<p>Every metric was tested when it was last judged.</p>}
      />
    </Block>
  );
}
