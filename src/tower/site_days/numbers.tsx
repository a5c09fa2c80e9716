/** The numbers of the charts, for who would rather read them. */
import { ShortName } from "../component/short_name.tsx";
import { countOf, formatCount, formatDay } from "../format.ts";
import { paths } from "../paths.ts";
import type { FigureDay } from "./figures.ts";
import { lanesOf, type SiteDays } from "./lane.ts";
import { type FigureUnit, figureText, HALF_WORDS } from "./named.ts";

/** Most cells of the table: its newest days, and the file has the rest. */
const MOST_CELLS = 2_500;

/** A plain table, since it is long: a row a day, the newest first, a column for each chart. */
export function Numbers({ site, now }: { readonly site: SiteDays; readonly now: number }) {
  const lanes = lanesOf(site);
  const days = lanes[0]?.days ?? [];
  const rows = Math.min(days.length, Math.max(7, Math.floor(MOST_CELLS / Math.max(1, lanes.length))));
  const shown = days.map(({ day }, place) => ({ day, place })).slice(-rows);
  const rest = days.length - shown.length;
  // Two providers tell clicks.
  const isShared = (name: string) => lanes.filter(({ label }) => label === name).length > 1;
  return (
    <details class="as-table">
      <summary>Show the numbers as a table</summary>
      <div tabindex={0} role="region" aria-label="The numbers of the charts">
        <table class="numbers">
          <caption>
            {`By day, newest first${rest === 0 ? "" : `. The ${countOf(rest, "day")} before are in the CSV`}`}
          </caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {lanes.map(({ label, half }) => (
                <th scope="col">
                  <ShortName name={label} />
                  {isShared(label) ? <small class="block-sm">{HALF_WORDS[half]}</small> : null}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.toReversed().map(({ day, place }) => (
              <tr>
                <th scope="row">
                  <a href={paths.siteDay(site.asset, day)}>{formatDay(day, now)}</a>
                </th>
                {lanes.map((lane) => (
                  <NumberCell unit={lane.unit} figure={lane.days[place]} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function NumberCell({ unit, figure }: { readonly unit: FigureUnit; readonly figure: FigureDay | undefined }) {
  if (figure === undefined || figure.state === "none") return <td />;
  const { state, value } = figure;
  const text =
    value === null ? "" : unit === "count" && value >= 1 ? formatCount(value) : figureText(unit, value);
  if (state === "final") return <td>{text}</td>;
  const said = state === "missing" ? "No value" : state === "provisional" ? "provisional" : "left out";
  return (
    <td>
      {text} <small>{said}</small>
    </td>
  );
}
