import { Block } from "../component/block.tsx";
import { Moment } from "../component/time.tsx";
import { countOf, formatDay } from "../format.ts";
import { paths } from "../paths.ts";
import { lanesOf, type SiteDays } from "./lane.ts";
import type { FigureUnit } from "./named.ts";
import { type RevisedDay, seenTexts } from "./seen.ts";

/** "17 Nov was 112 when first seen 18 Nov 04:15, 131 now." The day leads to its own page where `href` says so. */
export function Revision(props: {
  readonly unit: FigureUnit;
  readonly revised: RevisedDay;
  readonly now: number;
  readonly href?: string;
}) {
  const { unit, revised, now, href } = props;
  const { day, seen } = revised;
  const first = seen[0];
  const last = seen.at(-1);
  if (first === undefined || last === undefined) return null;
  const words = formatDay(day, now);
  const texts = seenTexts(unit, [first, last]);
  return (
    <>
      {href === undefined ? words : <a href={href}>{words}</a>} was <b>{texts[0]}</b> when first seen{" "}
      <Moment at={first.seenAt} now={now} />, <b>{texts[1]}</b> now.
    </>
  );
}

/** What became of the days of one metric after they were first told. */
export function Revisions(props: {
  readonly site: SiteDays;
  readonly revised: readonly RevisedDay[];
  readonly now: number;
}) {
  const { site, revised, now } = props;
  const [lane] = lanesOf(site);
  if (lane === undefined) return null;
  return (
    <Block heading="Revised days" note={revised.length === 0 ? undefined : countOf(revised.length, "day")}>
      {revised.length === 0 ? (
        <p>No day of these was told otherwise later.</p>
      ) : (
        <ul class="revised">
          {revised.map((day) => (
            <li>
              <Revision unit={lane.unit} revised={day} now={now} href={paths.siteDay(site.asset, day.day)} />
            </li>
          ))}
        </ul>
      )}
    </Block>
  );
}
