/** How a site stands as a sender of reports, as shape, colour and word; and what was refused meanwhile. */
import { type HeldFlag, snoozeRuns } from "../../flags/mod.ts";
import type { SiteState } from "../../freshness/mod.ts";
import type { Streak } from "../../refusals/mod.ts";
import type { Child } from "../jsx/child.ts";
import { paths } from "../paths.ts";
import { Callout } from "./callout.tsx";
import { Glyph } from "./glyph.tsx";
import { StreakWords } from "./streak.tsx";
import { Unseen } from "./text.tsx";
import { Moment } from "./time.tsx";

/** A site's state with what it is made of. Times are milliseconds since the epoch. */
export interface SiteStanding {
  readonly state: SiteState;
  /** When the last nightly report was received; null before the first. */
  readonly receivedAt: number | null;
  /** Until when a pause lasts; null where an operator ends it, or where nothing is paused. */
  readonly pausedUntil: number | null;
  /** Nightly reports that were refused since the last good one. */
  readonly refused?: Streak | undefined;
}

/** The word of each state. */
export const SITE_STATE_WORDS: Readonly<Record<SiteState, string>> = {
  silent: "Silent",
  never_reported: "Never reported",
  reporting: "Reporting",
  pre_launch: "Pre-launch",
  paused: "Paused",
  retired: "Retired",
};

/** The state alone; `children` stand in place of its plain word. */
export function SiteStateMark({ state, children }: { readonly state: SiteState; readonly children?: Child }) {
  return (
    <span class="state" data-site={state}>
      <Glyph name={`r-${state}`} />
      {children ?? SITE_STATE_WORDS[state]}
    </span>
  );
}

/** The state with its moment: since when a site is silent, until when it is paused. */
export function SiteStanding({ standing, now }: { readonly standing: SiteStanding; readonly now: number }) {
  const { state, receivedAt, pausedUntil } = standing;
  return (
    <SiteStateMark state={state}>
      {state === "silent" && receivedAt !== null ? (
        <span>
          Silent since <Moment at={receivedAt} now={now} />
        </span>
      ) : state === "paused" && pausedUntil !== null ? (
        <span>
          Paused until <Moment at={pausedUntil} now={now} />
        </span>
      ) : (
        SITE_STATE_WORDS[state]
      )}
    </SiteStateMark>
  );
}

/** What a site sends and the contract does not take: it is not merely silent. */
export function SentButRefused({ standing }: { readonly standing: SiteStanding }) {
  if (standing.refused === undefined) return null;
  return (
    <small class="bad">
      Sends, but was <StreakWords streak={standing.refused} since={standing.receivedAt !== null} />
    </small>
  );
}

/** Leads to the flag about a site's silence; nothing where there is none. */
export function SilenceFlag(props: {
  readonly flag: HeldFlag | undefined;
  /** Shows its pennant alone, where its row says the rest. */
  readonly bare?: boolean;
  readonly now: number;
}) {
  const { flag, bare = false, now } = props;
  if (flag === undefined) return null;
  const { id, snoozedUntil } = flag;
  const isAsleep = snoozedUntil !== null && snoozeRuns(snoozedUntil, now);
  const words = isAsleep ? "View flag (snoozed)" : "View flag";
  return (
    <a class="about" data-tone={isAsleep ? undefined : "error"} href={paths.flag(id)} title={words}>
      <Glyph name="f-error" />
      {bare ? <Unseen>{words}</Unseen> : words}
    </a>
  );
}

/** What a list of flags does not say: nothing was checked of a silent site. */
export function SilentNote(props: {
  readonly site: { readonly standing: SiteStanding; readonly silenceFlag: HeldFlag | undefined };
  readonly now: number;
}) {
  const { standing, silenceFlag } = props.site;
  if (standing.state !== "silent" || standing.receivedAt === null) return null;
  return (
    <Callout tone="stale">
      <p>
        No reports since <Moment at={standing.receivedAt} now={props.now} />, so nothing has been checked
        since. This is not an all-clear.
        {silenceFlag === undefined ? null : (
          <>
            {" "}
            <a href={paths.flag(silenceFlag.id)}>View flag</a>
          </>
        )}
      </p>
    </Callout>
  );
}
