/** A nightly report as it was sent: its metrics, its pages with negative events and its flags. */
import type { Pulse } from "../../pulse/mod.ts";
import { Block } from "../component/block.tsx";
import { Glyph } from "../component/glyph.tsx";
import { DataTable } from "../component/table.tsx";
import { Told, Unseen } from "../component/text.tsx";
import { countOf, formatNarrow } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { PagesTable } from "./negative.tsx";

/** Rows of a list on the page; the whole report is below it as it was sent. */
export const MOST_ROWS = 200;

/** A figure, or that none was sent. */
export function sent(figure: number | undefined): Child {
  return figure === undefined ? <span class="nm">Not sent</span> : formatNarrow(figure);
}

export function SentPulse({ report }: { readonly report: Pulse }) {
  const metrics = Object.entries(report.metrics).sort(([one], [other]) => (one < other ? -1 : 1));
  return (
    <>
      <Block heading="Metrics" note={countOf(metrics.length, "metric")}>
        <DataTable
          fold
          caption="Metrics of the report"
          items={metrics.slice(0, MOST_ROWS)}
          columns={[
            { words: "Metric", names: true, class: "mono wrap", cell: ([name]) => <Told>{name}</Told> },
            { words: "Last 24 h", label: true, numeric: true, cell: ([, { last24h }]) => sent(last24h) },
            { words: "Total", label: true, numeric: true, cell: ([, { total }]) => sent(total) },
            {
              words: "Sender's 7-day average (diagnostic)",
              label: "Sender's 7-day average",
              numeric: true,
              class: "dim",
              cell: ([, { avg7d }]) => sent(avg7d),
            },
          ]}
          empty={<p>The report holds no metric.</p>}
        />
        {metrics.length > MOST_ROWS ? (
          <p class="note">
            {countOf(metrics.length - MOST_ROWS, "more metric is", "more metrics are")} in the JSON.
          </p>
        ) : null}
      </Block>
      <SentPages pages={report.negativeByPage} />
      <SentFlags flags={report.flags} />
    </>
  );
}

/** Nothing named and nothing counted are not the same. */
function SentPages({ pages }: { readonly pages: Pulse["negativeByPage"] }) {
  if (pages === undefined) {
    return (
      <Block heading="Negative events per page">
        <p>
          <span class="nm">Not measured</span> <small>The report does not name any page.</small>
        </p>
      </Block>
    );
  }
  const highestFirst = pages.toSorted((one, other) => other.count - one.count);
  return (
    <Block heading="Negative events per page" note={countOf(pages.length, "page")}>
      {pages.length === 0 ? (
        <p>No negative event on any page.</p>
      ) : (
        <PagesTable pages={highestFirst.slice(0, MOST_ROWS)} highest={highestFirst[0]?.count ?? 0} />
      )}
      {pages.length > MOST_ROWS ? (
        <p class="note">
          The highest {MOST_ROWS} of {countOf(pages.length, "page")}; the others are in the JSON.
        </p>
      ) : null}
    </Block>
  );
}

function SentFlags({ flags }: { readonly flags: Pulse["flags"] }) {
  if (flags === undefined || flags.length === 0) {
    return (
      <Block heading="Flags sent">
        <p>{flags === undefined ? "The report names no flags." : "None."}</p>
      </Block>
    );
  }
  return (
    <Block heading="Flags sent" note={countOf(flags.length, "flag")}>
      <ul class="list raised">
        {flags.slice(0, MOST_ROWS).map(({ severity, kind, metric, msg }) => (
          <li data-sev={severity}>
            <Glyph name={`f-${severity}`} />
            <div>
              <p class="said">
                <Unseen>{severity}: </Unseen>
                <Told>{msg}</Told>
              </p>
              <p class="note">
                {severity}, {kind}
                {metric === undefined ? null : (
                  <>
                    {" "}
                    · <Told class="mono wrap">{metric}</Told>
                  </>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Block>
  );
}
