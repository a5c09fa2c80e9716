import { Block } from "../component/block.tsx";
import { Facts } from "../component/facts.tsx";
import { Moment } from "../component/time.tsx";
import type { Allowance, Limit } from "./allowance.ts";

/** What providers let Tower ask, as far as their answers of today tell. */
export function AllowanceBlock(props: { readonly allowances: readonly Allowance[]; readonly now: number }) {
  const { allowances, now } = props;
  return (
    <Block id="allowance" heading="Provider allowance" note="today, UTC">
      <Facts
        facts={allowances.map(({ words, limits }) => [
          words,
          limits.length === 0
            ? "No limit met today"
            : limits.map((limit, place) => (
                <>
                  {place === 0 ? null : "; "}
                  <LimitWords limit={limit} now={now} />
                </>
              )),
        ])}
      />
      <p class="note">Tower waits by itself. Allowances refill with time; retrying does not restore them.</p>
    </Block>
  );
}

function LimitWords({ limit, now }: { readonly limit: Limit; readonly now: number }) {
  const { since, until, holds, isBudget } = limit;
  const what = isBudget ? "Used up" : "Limited";
  if (holds) {
    return (
      <b>
        {what} since <Moment at={since} now={now} />
        {until === undefined ? null : (
          <>
            ; not asked before <Moment at={until} now={now} />
          </>
        )}
      </b>
    );
  }
  return (
    <>
      {what} <Moment at={since} now={now} />
      {until === undefined ? null : (
        <>
          {" "}
          to <Moment at={until} now={now} />
        </>
      )}
    </>
  );
}
