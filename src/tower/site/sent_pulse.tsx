/** A nightly report as it was sent: its metrics, its pages with negative events and its flags. */

import { countWords as countOf } from "../../base/text.ts";
import type { NightlySummary } from "../../reports/nights.ts";
import type { Pulse } from "../../reports/pulse_contract.ts";
import {
  type FigureChange,
  isSame,
  type NamesChange,
  type PulseDifference,
} from "../../reports/pulse_difference.ts";
import { formatNarrow } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { DataTable, ShortName, Told, Unseen } from "../kit/links.tsx";
import { Meter } from "../kit/plot.tsx";

/** Characters of a page's path that are shown; the whole stands in the title. */
const LONGEST_PAGE = 120;

type Pages = NonNullable<NightlySummary["negative"]>;

/** Pages with their counts, in the order given. */
function PagesTable({ pages, highest }: { readonly pages: Pages; readonly highest: number }) {
  return (
    <DataTable
      caption="Negative events per page"
      class="bars"
      items={pages}
      columns={[
        {
          words: "Page",
          names: true,
          class: "mono wrap",
          cell: ({ page }) => <ShortName name={page} longest={LONGEST_PAGE} />,
        },
        {
          words: "Share of the highest",
          unseen: true,
          cell: ({ count }) => <Meter share={count / Math.max(1, highest)} />,
        },
        { words: "Count", numeric: true, cell: ({ count }) => formatNarrow(count) },
      ]}
    />
  );
}

/** Rows of a list on the page; the whole report is below it as it was sent. */
const MOST_ROWS = 200;

/** A figure, or that none was sent. */
function sent(figure: number | undefined): Child {
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

/** What a report says otherwise than the revision before it. */

function Figures(props: { readonly caption: string; readonly changes: readonly FigureChange[] }) {
  const { caption, changes } = props;
  if (changes.length === 0) return null;
  return (
    <DataTable
      caption={caption}
      showCaption
      items={changes.slice(0, MOST_ROWS)}
      columns={[
        { words: "Figure", names: true, class: "mono wrap", cell: ({ name }) => <Told>{name}</Told> },
        { words: "Before", numeric: true, class: "dim", cell: ({ before }) => sent(before) },
        { words: "Here", numeric: true, cell: ({ after }) => sent(after) },
      ]}
    />
  );
}

function Names({ words, change }: { readonly words: string; readonly change: NamesChange }) {
  const lines = [
    ...change.added.map((name) => ["added", name] as const),
    ...change.removed.map((name) => ["no longer sent", name] as const),
  ];
  if (lines.length === 0) return null;
  return (
    <ul class="plain">
      {lines.slice(0, MOST_ROWS).map(([what, name]) => (
        <li>
          {words} {what}: <Told class="wrap">{name}</Told>
        </li>
      ))}
    </ul>
  );
}

/** `isWhole` where everything that was sent was compared; of a codebase report only its measures are. */
export function Difference(props: { readonly difference: PulseDifference; readonly isWhole: boolean }) {
  const { difference, isWhole } = props;
  const { metrics, pages, capabilities, flags, unchanged } = difference;
  const more = Math.max(0, metrics.length - MOST_ROWS) + Math.max(0, pages.length - MOST_ROWS);
  return (
    <div class="stack tight">
      {isSame(difference) ? (
        <p>{isWhole ? "Nothing differs in what was sent." : "No figure differs."}</p>
      ) : null}
      <Figures caption="Figures that differ" changes={metrics} />
      <Figures caption="Negative events that differ, by page" changes={pages} />
      <Names words="Capability" change={capabilities} />
      <Names words="Flag" change={flags} />
      <p class="note">
        {countOf(unchanged, "figure")} unchanged.
        {more === 0 ? null : ` ${countOf(more, "more difference is", "more differences are")} not listed.`}
        {isWhole ? null : " Findings, tools and notes are not compared here."}
      </p>
    </div>
  );
}
