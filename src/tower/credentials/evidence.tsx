import { failureWords } from "../../health/mod.ts";
import type { AccountProvider } from "../../provider/contract.ts";
import { PROVIDER_WORDS } from "../component/provider_words.ts";
import { Moment } from "../component/time.tsx";
import type { AccountStanding } from "./standing.ts";

/** How an account stands with each of its providers. That it is stored says nothing of it. */
export function Evidence(props: {
  readonly standings: readonly { readonly provider: AccountProvider; readonly standing: AccountStanding }[];
  readonly now: number;
}) {
  const { standings, now } = props;
  return (
    <>
      {standings.map(({ provider, standing }) => (
        <span class="block-sm">
          {standings.length === 1 ? null : <>{PROVIDER_WORDS[provider]}: </>}
          <StandingWords standing={standing} now={now} />
        </span>
      ))}
    </>
  );
}

export function StandingWords({
  standing,
  now,
}: {
  readonly standing: AccountStanding;
  readonly now: number;
}) {
  if (standing.state === "never") return <span class="nm">Never tested</span>;
  const at = <Moment at={standing.at} now={now} />;
  if (standing.state === "usable") return <>asked {at}: usable</>;
  if (standing.state !== "refused") {
    return <span class="bad">asked {at}: signed in, and may see no property</span>;
  }
  const { category, code, nextRetryAt } = standing;
  return (
    <span class="bad">
      asked {at}: refused. {category === null ? "No reason is known." : failureWords({ category, code }).why}
      {nextRetryAt === null || nextRetryAt <= now ? null : (
        <>
          {" "}
          Tower asks by itself again from <Moment at={nextRetryAt} now={now} /> on.
        </>
      )}
    </span>
  );
}
