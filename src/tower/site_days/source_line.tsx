/** What is said once over the charts of a half: whose figures they are, to which day they are final, and how their pulls go. */
import { SENT } from "../../rules/mod.ts";
import { Glyph } from "../component/glyph.tsx";
import { Reason } from "../component/reason.tsx";
import { Told } from "../component/text.tsx";
import { Day, Moment } from "../component/time.tsx";
import { paths } from "../paths.ts";
import type { LaneGroup, SiteDays } from "./lane.ts";
import { HALF_WORDS } from "./named.ts";
import type { SourceStanding } from "./source_standing.ts";

export function GroupLine(props: {
  readonly group: LaneGroup;
  readonly site: Pick<SiteDays, "asset" | "offset">;
  readonly now: number;
}) {
  const { group, site, now } = props;
  const { asset, offset } = site;
  const { half, finalTo, standing } = group;
  return (
    <p class="source" id={`source-${half}`}>
      <b>{HALF_WORDS[half]}</b>{" "}
      {finalTo === undefined ? (
        <span>no final day yet</span>
      ) : (
        <span>
          {half === "codebase" ? "latest report" : "final to"} <Day day={finalTo} now={now} />
        </span>
      )}
      {half === SENT && offset !== 0 ? (
        <span> each on the day before its report, which it mostly counts</span>
      ) : null}
      {standing === undefined ? null : (
        <Collected standing={standing} isKnown={group.lanes.length > 0} now={now} />
      )}
      {half === SENT || half === "codebase" || standing !== undefined ? null : (
        <span>
          no longer connected: <a href={`${paths.siteSettings(asset)}#sources`}>attach a property</a>
        </span>
      )}
      {standing?.failingSince === undefined ? null : <Failing standing={standing} now={now} />}
    </p>
  );
}

function Collected(props: {
  readonly standing: SourceStanding;
  /** Whether figures are there, which then came before the property was attached or the account replaced. */
  readonly isKnown: boolean;
  readonly now: number;
}) {
  const { standing, isKnown, now } = props;
  const { latest, reportedAt, property } = standing;
  if (latest === undefined && !isKnown) return <span>not asked for yet</span>;
  if (latest === undefined) {
    return (
      <span>
        <Told class="wrap dim">{property}</Told> was not asked yet as it is connected now; the figures were
        collected before
      </span>
    );
  }
  return (
    <>
      {reportedAt === undefined ? null : (
        <span>
          {" "}
          collected <Moment at={reportedAt} now={now} />
        </span>
      )}{" "}
      <Told class="wrap dim">{property}</Told>
    </>
  );
}

/** Since when a provider's figures are not collected, why, and what to do. */
export function Failing({ standing, now }: { readonly standing: SourceStanding; readonly now: number }) {
  const { latest, failingSince } = standing;
  if (latest === undefined || failingSince === undefined) return null;
  return (
    <span class="state" data-state="failing">
      <Glyph name="s-failing" />
      <span>
        <b>
          Fails since <Moment at={failingSince} now={now} />
        </b>
        . <Reason category={latest.category ?? "monitoring_failure"} />
        {latest.nextRetryAt === null || latest.nextRetryAt <= now ? null : (
          <>
            {" "}
            Next try <Moment at={latest.nextRetryAt} now={now} />.
          </>
        )}
      </span>
    </span>
  );
}

/** Providers that the site has no connection to: said once, with the one next step. */
export function Unconnected({ site }: { readonly site: SiteDays }) {
  const { unconnected, query } = site;
  if (unconnected.length === 0 || query.metric !== null || query.q !== "") return null;
  const names = unconnected.map((half) => HALF_WORDS[half].toLowerCase());
  const list = names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return (
    <p class="note">
      Not connected: {list}. <a href={`${paths.siteSettings(site.asset)}#sources`}>Connect an account</a> and
      their figures stand here, on the same days.
    </p>
  );
}
