import { type Lane, lanesOf, type SiteDays } from "../site_days/lane.ts";
import type { FigureTest } from "./tests.ts";
import { WindowsLane } from "./windows_lane.tsx";

/** Under the chart of one metric: the windows of the first condition, and those of the second where it needed longer ones. */
export function TestedWindows(props: {
  readonly site: SiteDays;
  readonly tests: ReadonlyMap<Lane["key"], FigureTest>;
  readonly now: number;
}) {
  const { site, tests, now } = props;
  const [only] = lanesOf(site);
  if (site.query.metric === null || only === undefined) return null;
  const verdict = tests.get(only.key)?.words;
  if (verdict?.state !== "tested") return null;
  const { flow } = verdict;
  const { second } = flow;
  return (
    <>
      <WindowsLane heading="Windows" test={flow} days={site.days} now={now} />
      {second.state === "judged" && second.windowDays > flow.windowDays ? (
        <WindowsLane heading="Second windows" test={second} days={site.days} now={now} />
      ) : null}
    </>
  );
}
