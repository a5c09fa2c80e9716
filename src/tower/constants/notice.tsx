import type { MonitoringFailure } from "../../monitoring/mod.ts";
import { Callout } from "../component/callout.tsx";
import { Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { paths } from "../paths.ts";

/** Says, where people look at flags and sites, that the rules do not judge by what stands in the constants document. */
export function ConstantsNotice(props: {
  /** Undefined while nothing is wrong. */
  readonly failure: MonitoringFailure | undefined;
  readonly now: number;
}) {
  const { failure, now } = props;
  if (failure === undefined) return null;
  return (
    <Callout tone="failing" id="constants-notice">
      <p>
        <Told>{failure.reason}</Told> So since <Moment at={failure.since} now={now} />.{" "}
        <a href={paths.constants}>Open the constants document</a>
      </p>
    </Callout>
  );
}
