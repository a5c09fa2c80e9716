import type { MonitoringFailure } from "../../monitoring/mod.ts";
import { formatCount } from "../format.ts";
import { paths } from "../paths.ts";
import { Callout } from "./callout.tsx";
import { monitoringWords } from "./monitoring_words.ts";
import { Told } from "./text.tsx";
import { Moment } from "./time.tsx";

/** Most failures named; System health has all of them. */
const MOST_NAMED = 5;

/** What should be watched on a page and is not; nothing while all of it is. */
export function MonitoringNotice(props: {
  readonly failures: readonly MonitoringFailure[];
  readonly now: number;
}) {
  const { failures, now } = props;
  const more = failures.length - MOST_NAMED;
  if (failures.length === 0) return null;
  return (
    <Callout tone="unknown" id="not-watched">
      <p>
        <b>Not everything here is watched.</b> This is not an all-clear.{" "}
        <a href={paths.health}>System health</a>
      </p>
      <ul>
        {failures.slice(0, MOST_NAMED).map((failure) => (
          <li>
            <FailureLine failure={failure} now={now} />
          </li>
        ))}
        {more > 0 ? <li>And {formatCount(more)} more.</li> : null}
      </ul>
    </Callout>
  );
}

/** One failure: what is not watched and why, since when, what is missing and what to do. */
function FailureLine({ failure, now }: { readonly failure: MonitoringFailure; readonly now: number }) {
  const { what, lacks, action, link } = monitoringWords(failure);
  return (
    <>
      <Told class="wrap">{what}</Told>, since <Moment at={failure.since} now={now} />:{" "}
      <Told class="wrap">{failure.reason}</Told> {lacks} {action} <a href={link.href}>{link.words}</a>
    </>
  );
}
