/** Which days and metrics the charts show, and the ways to others. */

import { countWords as countOf } from "../../base/text.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import { formatCount } from "../format.ts";
import { TextField } from "../kit/field.tsx";
import { Segments, Steps } from "../kit/links.tsx";
import { Kept, SearchForm } from "../kit/search_form.tsx";
import { paths } from "../paths.ts";
import { type DaysNote, MOST_DAYS, RANGES, siteAddress, siteHref, wholeHref } from "./range.ts";
import type { SiteDays } from "./site_days.tsx";
import { METRICS_PAGE } from "./site_days_read.ts";

/** The ranges, and the days before and after. */
export function RangeLinks({ site }: { readonly site: SiteDays }) {
  const { asset, query, days } = site;
  const { from, to, chosen } = days;
  const step = (moved: (typeof days)["earlier"]) =>
    moved === null ? null : siteHref(asset, { ...query, ...moved });
  return (
    <>
      <Segments
        label="Range"
        choices={RANGES.map((range) => ({
          words: `${range} days`,
          href: siteHref(asset, { ...query, range, until: null, from: null, to: null }),
          chosen: !chosen && range === query.range,
        }))}
      />
      <Steps earlier={step(days.earlier)} later={step(days.later)} />
      <details class="otherdays" open={chosen}>
        <summary class="btn bare">Custom range</summary>
        <form method="get" action={paths.site(asset)} class="row">
          <Kept search={siteAddress.search({ ...query, until: null, from: null, to: null, page: 1 })} />
          <TextField name="from" label="From" type="date" value={from} autocomplete="off" />
          <TextField name="to" label="To" type="date" value={to} autocomplete="off" />
          <button class="btn">Show</button>
        </form>
      </details>
    </>
  );
}

const NOTES: Readonly<Record<DaysNote, string>> = {
  reversed: "The days were the other way round.",
  ahead: "Days that are still to come are left out.",
  cut: `At most ${MOST_DAYS} days are shown at once: the last of those asked for.`,
};

/** What was done to the days that were asked for. */
export function RangeNotes({ site }: { readonly site: SiteDays }) {
  const { notes } = site.days;
  if (notes.length === 0) return null;
  return <p>{notes.map((note) => NOTES[note]).join(" ")}</p>;
}

/** Finds a metric by its name, or leads back from one metric to all. */
export function FindMetric({ site }: { readonly site: SiteDays }) {
  const { asset, query, known } = site;
  if (query.metric !== null) {
    return (
      <p class="row">
        <a href={wholeHref(asset, query)}>
          {query.source === SENT && known > 1 ? `All ${formatCount(known)} metrics` : "The overview"}
        </a>
      </p>
    );
  }
  if (known <= METRICS_PAGE && query.q === "") return null;
  const { range, until, from, to } = query;
  return (
    <details class="items" open={query.q !== "" || undefined}>
      <summary>Find one of {countOf(known, "sent metric")}</summary>
      <div class="filters">
        <SearchForm
          action={paths.site(asset)}
          id="metric-q"
          words="Metric's name"
          value={query.q}
          keep={siteAddress.search({ range, until, from, to })}
        />
      </div>
    </details>
  );
}
