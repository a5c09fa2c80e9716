/** How a site stands, in one line: whether it reports, what fails, and what stands out most. */

import type { HeldFlag } from "../../flags/queries.ts";
import { formatCount } from "../format.ts";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import type { ListedFlag } from "../kit/listed_flags.tsx";
import { Age, Moment } from "../kit/proof.tsx";
import type { SiteStanding } from "../kit/site_state.tsx";
import { paths } from "../paths.ts";
import { HALF_WORDS } from "./lanes.ts";
import type { LaneGroup } from "./site_days.tsx";

export interface StandingInput {
  readonly standing: SiteStanding;
  /** The flag about its silence. */
  readonly silenceFlag?: HeldFlag | undefined;
  /** When the last codebase report was made. */
  readonly codeAt: number | undefined;
  readonly groups: readonly LaneGroup[];
  /** The worst open flags, and how many are open. */
  readonly flags: readonly ListedFlag[];
  readonly open: number;
}

/** The line over everything else. */
export function Standing({ site }: { readonly site: StandingInput }) {
  return (
    <p class="lede" id="standing">
      <Reporting site={site} /> <Failing groups={site.groups} />
      <StandsOut site={site} />
    </p>
  );
}

function Reporting({ site }: { readonly site: StandingInput }) {
  const { now } = here();
  const { state, receivedAt, pausedUntil } = site.standing;
  const last = receivedAt === null ? null : <LastReport at={receivedAt} />;
  switch (state) {
    case "retired":
      return <>Retired: nothing is expected of it any more.</>;
    case "paused":
      return pausedUntil === null ? (
        <>Paused by an operator: no nightly report is expected until it is resumed.</>
      ) : (
        <>
          Paused: no nightly report is expected before <Moment at={pausedUntil} />.
        </>
      );
    case "pre_launch":
      return last === null ? (
        <>Not launched: no nightly report is expected yet.</>
      ) : (
        <>Not launched; {last}.</>
      );
    case "never_reported":
      return <NothingYet site={site} />;
    case "silent":
      return (
        <b>
          Silent since <Moment at={receivedAt ?? now} />.
        </b>
      );
    case "reporting":
      return <>Reporting: {last}.</>;
  }
}

function LastReport({ at }: { readonly at: number }) {
  return (
    <>
      the last nightly report came <Age at={at} />
    </>
  );
}

function NothingYet({ site: { codeAt, groups } }: { readonly site: StandingInput }) {
  if (codeAt !== undefined) {
    return (
      <>
        No nightly report yet; the latest codebase report was made <Age at={codeAt} />.
      </>
    );
  }
  return groups.some(({ finalTo }) => finalTo !== undefined) ? (
    <>The site sent nothing yet; what stands here is told by providers.</>
  ) : (
    <>Nothing was received yet.</>
  );
}

/** Providers whose figures are not collected; since when and why stands over their charts. */
function Failing({ groups }: { readonly groups: readonly LaneGroup[] }) {
  const failing = groups.filter(({ standing }) => standing?.failingSince !== undefined);
  if (failing.length === 0) return null;
  return (
    <>
      {failing.map(({ half }, place) => (
        <>
          {place === 0 ? "" : place === failing.length - 1 ? " and " : ", "}
          <a href={`#source-${half}`}>{place === 0 ? HALF_WORDS[half] : HALF_WORDS[half].toLowerCase()}</a>
        </>
      ))}{" "}
      {failing.length === 1 ? "fails" : "fail"}.{" "}
    </>
  );
}

function StandsOut({ site }: { readonly site: StandingInput }) {
  const { flags, open, standing } = site;
  const [worst] = flags;
  if (worst === undefined) {
    if (standing.state === "silent") return <Unjudged flag={site.silenceFlag} />;
    if (standing.receivedAt === null || standing.state === "retired") return null;
    return <>No flag is open.</>;
  }
  const more = open - 1;
  return (
    <>
      What stands out most:{" "}
      <a href={paths.flag(worst.id)}>
        <Told>{worst.message}</Told>
      </a>
      {more > 0 ? (
        <span class="dim">
          ; {more === 1 ? "one more flag is" : `${formatCount(more)} more flags are`} open
        </span>
      ) : null}
    </>
  );
}

/** What was not heard of was not checked either: no all-clear. */
function Unjudged({ flag }: { readonly flag: HeldFlag | undefined }) {
  return <>Nothing has been checked since. {flag && <a href={paths.flag(flag.id)}>View flag</a>}</>;
}
