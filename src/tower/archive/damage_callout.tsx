import { type Damage, FAULT_WORDS } from "../../archive/mod.ts";
import { Callout } from "../component/callout.tsx";
import { Code } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { countOf } from "../format.ts";
import { attemptsHref } from "./query.ts";

/** Names the objects that are not as they were stored. Nothing while all that were looked at are whole. */
export function DamageCallout(props: {
  readonly damage: readonly Damage[];
  readonly count: number;
  readonly now: number;
}) {
  const { damage, count, now } = props;
  if (count === 0) return null;
  const more = count - damage.length;
  return (
    <Callout tone="failing" role="status" id="damage">
      <p>
        <b>
          {countOf(count, "object")} {count === 1 ? "is" : "are"} damaged or missing.
        </b>{" "}
        None of them is served or read. Put them back from a backup and run{" "}
        <Code>bun run tower archive verify</Code>; a report that is fetched again is stored anew by itself.
      </p>
      <ul>
        {damage.map(({ sha256, fault, foundAt }) => (
          <li>
            <a class="mono wrap" href={attemptsHref({ object: sha256 })}>
              {sha256}
            </a>{" "}
            {FAULT_WORDS[fault]}, found <Moment at={foundAt} now={now} />
          </li>
        ))}
        {more > 0 ? <li>{countOf(more, "more object")}.</li> : null}
      </ul>
    </Callout>
  );
}
