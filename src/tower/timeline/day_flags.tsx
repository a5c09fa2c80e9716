import type { ChainedFlag } from "../../flags/mod.ts";
import { titleOf } from "../../flags/mod.ts";
import { parseInstant } from "../../lib/instant.ts";
import { Glyph } from "../component/glyph.tsx";
import { readingWord } from "../component/reading_words.ts";
import { Told, Unseen } from "../component/text.tsx";
import { exact } from "../component/time.tsx";
import { countOf, formatClock, formatCount } from "../format.ts";
import { paths } from "../paths.ts";
import { IN_SIGHT, type TurnedFlag } from "./flag_days.ts";
import { timelinePath } from "./query.ts";
import type { TimelineDay } from "./view.ts";

/** From here on folding the rest away would save fewer lines than it takes. */
const LEAST_FOLDED = 3;

/** What happened to flags on a day: the worst in sight, the rest behind one line; all of them where nothing else is asked for. */
export function DayFlags(props: {
  readonly day: TimelineDay;
  readonly site: string | null;
  /** Nothing but flags is asked for. */
  readonly alone: boolean;
  readonly now: number;
}) {
  const { day, site, alone, now } = props;
  const { flags, flagCount } = day;
  if (flags.length === 0) return null;
  const inSight = alone || flags.length - IN_SIGHT < LEAST_FOLDED ? flags.length : IN_SIGHT;
  const list = (some: readonly TurnedFlag[]) => (
    <ol class="log">
      {some.map((turned) => (
        <FlagEntry turned={turned} site={site} now={now} />
      ))}
    </ol>
  );
  const unnamed = flagCount - flags.length;
  return (
    <>
      {list(flags.slice(0, inSight))}
      {inSight === flags.length ? null : (
        <details class="items more-flags" id={`flags-${day.day}`}>
          <summary>{restWords(flags.slice(inSight))}</summary>
          {list(flags.slice(inSight))}
        </details>
      )}
      {unnamed === 0 ? null : (
        <p class="note">{formatCount(unnamed)} more of this day are not listed; those named are the worst.</p>
      )}
    </>
  );
}

/** "20 more raised, 4 resolved". */
function restWords(rest: readonly TurnedFlag[]): string {
  return (["raised", "resolved"] as const)
    .map((turn) => [rest.filter((one) => one.turn === turn).length, turn] as const)
    .filter(([count]) => count > 0)
    .map(([count, turn], place) => `${formatCount(count)}${place === 0 ? " more" : ""} ${turn}`)
    .join(", ");
}

function FlagEntry({
  turned,
  site,
  now,
}: {
  readonly turned: TurnedFlag;
  readonly site: string | null;
  readonly now: number;
}) {
  const { turn, flag } = turned;
  const { asset, severity } = flag;
  const at = momentOf(turned);
  return (
    <li
      id={`${turn}-${flag.id}`}
      class={turn === "raised" ? "flag-entry" : "flag-entry over"}
      data-sev={severity}
    >
      <time datetime={turn === "raised" ? flag.raised_at : (flag.resolved_at ?? "")} title={exact(at)}>
        {formatClock(at)}
      </time>
      <span>
        <Glyph name={`f-${severity}`} />
        <Unseen>{severity}</Unseen>
      </span>
      <div>
        {asset === site ? (
          <b>This site</b>
        ) : (
          <b>
            <a href={timelinePath(asset)} data-row>
              {asset}
            </a>
          </b>
        )}
      </div>
      <div>
        <a href={paths.flag(flag.id)}>
          <Told class="wrap">{titleOf(flag, now)}</Told>
        </a>
      </div>
      <small>{turn === "raised" ? `${severity}, raised` : `resolved${lastedWords(flag)}`}</small>
    </li>
  );
}

function momentOf({ turn, flag }: TurnedFlag): number {
  return parseInstant((turn === "raised" ? flag.raised_at : flag.resolved_at) ?? flag.raised_at) ?? 0;
}

/** Over how many reports, or readings of a provider's figure, it was told. */
function lastedWords(flag: ChainedFlag): string {
  const { reports } = flag.chain;
  return reports === 1 ? "" : ` after ${countOf(reports, readingWord(flag))}`;
}
