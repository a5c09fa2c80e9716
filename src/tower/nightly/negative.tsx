import type { NightlySummary } from "../../pulse/mod.ts";
import { Block } from "../component/block.tsx";
import { Meter } from "../component/meter.tsx";
import { ShortName } from "../component/short_name.tsx";
import { DataTable } from "../component/table.tsx";
import { Day } from "../component/time.tsx";
import { countOf, formatCount, formatNarrow } from "../format.ts";

/** Pages listed before the rest is folded away, and at most listed at all. */
const OPEN = 12;
const MOST = 60;
/** Characters of a page's path that are shown; the whole stands in the title. */
const LONGEST_PAGE = 120;

type Pages = NonNullable<NightlySummary["negative"]>;

/** Pages with their counts, in the order given. */
export function PagesTable({ pages, highest }: { readonly pages: Pages; readonly highest: number }) {
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

/** Negative events by page of the latest report; nothing named and nothing counted are not the same. */
export function NegativePages({ summary, now }: { readonly summary: NightlySummary; readonly now: number }) {
  const { negative, latest } = summary;
  if (latest === undefined) return null;
  const note = (
    <>
      last 24 h, report of <Day day={latest.date} now={now} />
    </>
  );
  if (negative === undefined) {
    return (
      <Block heading="Negative events per page" note={note}>
        <p>
          <span class="nm">Not measured</span> <small>The report does not name any page.</small>
        </p>
      </Block>
    );
  }
  const [first, rest] = [negative.slice(0, OPEN), negative.slice(OPEN, MOST)];
  const highest = negative[0]?.count ?? 0;
  return (
    <Block heading="Negative events per page" note={note}>
      {negative.length === 0 ? (
        <p>No negative event on any page.</p>
      ) : (
        <PagesTable pages={first} highest={highest} />
      )}
      {rest.length === 0 ? null : (
        <details class="items">
          <summary>{countOf(rest.length, "more page")}</summary>
          <PagesTable pages={rest} highest={highest} />
        </details>
      )}
      {negative.length > MOST ? (
        <p class="note">
          The highest {formatCount(MOST)} of {formatCount(negative.length)} pages.
        </p>
      ) : null}
    </Block>
  );
}
