/** How a site stands, in one line: whether it reports, what fails, and what stands out most. */
import type { Lifecycle } from "../../assets/contract.ts";
import { isSilent } from "../../freshness/mod.ts";
import type { ListedFlag } from "../component/listed_flags.tsx";
import { Told } from "../component/text.tsx";
import { Age, Moment } from "../component/time.tsx";
import { formatCount } from "../format.ts";
import { paths } from "../paths.ts";
import type { LaneGroup } from "../site_days/lane.ts";
import { HALF_WORDS } from "../site_days/named.ts";

export interface StandingInput {
  readonly lifecycle: Lifecycle;
  readonly wentLiveAt?: number | undefined;
  /** When the last nightly report came; undefined before the first. */
  readonly receivedAt: number | undefined;
  readonly silentHours: number;
  /** When the last codebase report was made. */
  readonly codeAt: number | undefined;
  readonly groups: readonly LaneGroup[];
  /** The worst open flags, and how many are open. */
  readonly flags: readonly ListedFlag[];
  readonly open: number;
}

/** The line over everything else. */
export function Standing({ site, now }: { readonly site: StandingInput; readonly now: number }) {
  return (
    <p class="lede" id="standing">
      <Reporting site={site} now={now} /> <Failing groups={site.groups} />
      <StandsOut site={site} now={now} />
    </p>
  );
}

function isSilentNow(
  { lifecycle, receivedAt, silentHours, wentLiveAt }: StandingInput,
  now: number,
): boolean {
  return (
    lifecycle === "live" && receivedAt !== undefined && isSilent({ wentLiveAt, receivedAt, silentHours }, now)
  );
}

function Reporting({ site, now }: { readonly site: StandingInput; readonly now: number }) {
  const { lifecycle, receivedAt, codeAt, groups } = site;
  if (lifecycle === "retired") return <>Retired: nothing is expected of it any more.</>;
  if (receivedAt === undefined) {
    if (lifecycle === "pre-launch") return <>Not launched: no nightly report is expected yet.</>;
    if (codeAt !== undefined) {
      return (
        <>
          No nightly report yet; the latest codebase report was made <Age at={codeAt} now={now} />.
        </>
      );
    }
    return groups.some(({ finalTo }) => finalTo !== undefined) ? (
      <>The site sent nothing yet; what stands here is told by providers.</>
    ) : (
      <>Nothing was received yet.</>
    );
  }
  return isSilentNow(site, now) ? (
    <>
      <b>
        Silent since <Moment at={receivedAt} now={now} />
      </b>
      .
    </>
  ) : (
    <>
      Reporting: the last nightly report came <Age at={receivedAt} now={now} />.
    </>
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

function StandsOut({ site, now }: { readonly site: StandingInput; readonly now: number }) {
  const { flags, open, lifecycle, receivedAt } = site;
  const [worst] = flags;
  if (worst === undefined) {
    if (receivedAt === undefined || lifecycle === "retired") return null;
    // What was not heard of was not judged either, and the flag about the silence stands on the service's own site: no all-clear.
    return <>{isSilentNow(site, now) ? "Nothing was judged since." : "No flag is open."}</>;
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
