import { Block } from "../component/block.tsx";
import { Facts } from "../component/facts.tsx";
import { countOf, formatCount, formatDecimal } from "../format.ts";
import { paths } from "../paths.ts";

/** What the rules came to, and what waits for them. */
export interface RuleFacts {
  readonly days: number;
  readonly tests: number;
  readonly notTested: number;
  readonly raised: number;
  readonly expected: number;
  /** Nightly reports that wait to be judged. */
  readonly waiting: number;
}

/** The tests of rules, beside what chance alone would raise. */
export function RulesBlock({ facts }: { readonly facts: RuleFacts }) {
  const { days, tests, notTested, raised, expected, waiting } = facts;
  return (
    <Block id="rules" heading="Tests of rules" note={`the last ${days} days`}>
      <Facts
        facts={[
          ["Tests run", tests === 0 ? <span class="dim">none yet</span> : formatCount(tests)],
          ["Not tested", notTested === 0 ? "none" : formatCount(notTested)],
          [
            "Flags raised",
            tests === 0
              ? null
              : `${formatCount(raised)}, about ${formatDecimal(expected)} expected by chance`,
          ],
          ["Waiting to be judged", waiting === 0 ? "none" : countOf(waiting, "nightly report")],
        ]}
      />
      <p class="note">
        <a href={paths.calibration}>Calibration</a>
      </p>
    </Block>
  );
}
