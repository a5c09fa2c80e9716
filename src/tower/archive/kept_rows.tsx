/** The rows that the Tower keeps of a report: what its figures on the site's page are made of. */

import type { StoredInsight } from "../../archive/insights.ts";
import type { ManifestRow } from "../../archive/manifest_row.ts";
import { capital, countWords as countOf } from "../../base/text.ts";
import type { ReportFamily } from "../../providers/report_families.ts";
import { formatCount } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { Told } from "../kit/links.tsx";
import { type Column, List } from "../kit/list.tsx";
import { DateOf } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { figureWords, keyKind } from "../site/family_words.ts";
import { figureText } from "../site/flags.ts";
import { isAssistantReferral, LowerBound, plainAddress } from "../site/key_cell.tsx";

type Kept = StoredInsight["top"][number];

export function KeptRows(props: {
  readonly insight: StoredInsight | undefined;
  readonly family: ReportFamily | undefined;
  readonly row: ManifestRow;
}) {
  const { insight, family, row } = props;
  if (family === undefined) return null;
  if (insight === undefined) {
    return (
      <Block heading="What is read from it">
        <p>
          {row.complete
            ? "No figure of the Tower is read from it now: only the newest dates of each report are kept to be shown."
            : "No figure is ever read from a part of a report."}
        </p>
      </Block>
    );
  }
  const { top } = insight;
  return (
    <Block
      heading="What is read from it"
      note={keptWords(family, insight)}
      tools={<a href={paths.site(row.target.asset)}>The site's page</a>}
    >
      <div class="stack tight">
        {insight.report === row.id ? null : (
          <p class="note">
            Read at <a href={paths.archiveReport(insight.report)}>another attempt</a> that came to the same
            object.
          </p>
        )}
        <List
          of="The rows that are kept of the report"
          items={top}
          empty={<p class="note">The report has no rows: nothing happened that it tells of.</p>}
          columns={[
            ...family.dimensions.map(
              (name, place): Column<Kept> => [
                capital(name.replaceAll("_", " ")),
                ({ keys }) => (
                  <>
                    <Key dimension={name} text={keys[place] ?? ""} />
                    {place === 0 && isAssistantReferral(family, keys) ? [" ", <LowerBound />] : null}
                  </>
                ),
                { names: place === 0 },
              ],
            ),
            ...family.metrics.map(
              (name, place): Column<Kept> => [
                capital(figureWords(name).words),
                ({ values }) => <Figure metric={name} value={values[place]} />,
                { numeric: true },
              ],
            ),
          ]}
        />
      </div>
    </Block>
  );
}

/** Which rows are kept, of how many: of lists of days the newest, of weekly reports those of the newest week. */
function keptWords(
  { dimensions }: Pick<ReportFamily, "dimensions">,
  { top, rows, among }: Pick<StoredInsight, "top" | "rows" | "among">,
): string {
  const of = among ?? rows;
  const first = dimensions.length === 1 && dimensions[0] === "date" ? "newest" : "first";
  const kept =
    top.length === of
      ? `all ${countOf(of, "row")}`
      : `the ${first} ${formatCount(top.length)} of ${countOf(of, "row")}`;
  return among === undefined ? kept : `${kept} of the newest week, ${countOf(rows, "row")} in all`;
}

function Key({ dimension, text }: { dimension: string; text: string }) {
  if (text === "") return <span class="dim">(empty)</span>;
  return <Told class="wrap">{keyKind(dimension) === "address" ? plainAddress(text) : text}</Told>;
}

/** Figures that are moments, in milliseconds since the epoch. */
const MOMENTS: ReadonlySet<string> = new Set(["last_crawled", "submitted"]);

/** A figure of a row; one that is not told is no 0. */
function Figure({ metric, value }: { metric: string; value: number | null | undefined }) {
  if (value === null || value === undefined) return <span class="dim">not told</span>;
  if (MOMENTS.has(metric)) return <DateOf at={value} />;
  const { unit } = figureWords(metric);
  // What a provider writes where there is no position.
  if (unit === "position" && value < 0) return <span class="dim">none</span>;
  return <>{figureText(unit, value)}</>;
}
