import { dayOfNumber } from "../../lib/day_number.ts";
import { DayBars, newestSettled } from "../component/day_bars.tsx";
import { Told } from "../component/text.tsx";
import { formatDay, formatNarrow } from "../format.ts";
import type { Spark } from "./sparks.ts";

/** A settled day that lies further back than this is named: sources settle within days. */
const NAMED_AFTER = 4;

/** The last days of a figure with its newest settled value; nothing where no source tells it. */
export function SparkCell(props: {
  readonly spark: Spark | undefined;
  /** Says which metric it is. */
  readonly named?: boolean;
  readonly now: number;
}) {
  const { spark, named = false, now } = props;
  if (spark === undefined) return null;
  const { days, metric } = spark;
  const place = newestSettled(days);
  const day = place < 0 ? null : formatDay(dayOfNumber(days.firstDay + place), now);
  return (
    <span class={named ? "pair named" : "pair"}>
      <DayBars days={days} />
      {day === null ? (
        <small title="No day of these is settled yet">open</small>
      ) : (
        <b title={`${day}, settled`}>{formatNarrow(days.values[place] ?? 0)}</b>
      )}
      {named ? (
        <small class="cut" title={metric}>
          <Told>{metric}</Told>
        </small>
      ) : day !== null && days.values.length - 1 - place > NAMED_AFTER ? (
        <small>{day}</small>
      ) : null}
    </span>
  );
}
