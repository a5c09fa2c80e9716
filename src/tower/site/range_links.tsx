/** Which days the charts of a site show, and the ways to others: the overview and the page of a metric have the same. */

import { formatDays } from "../format.ts";
import { Kept, TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Segments, Steps } from "../kit/links.tsx";
import { paths } from "../paths.ts";
import { metricAddress, metricHref, RANGES, siteAddress, siteHref } from "./range.ts";
import type { SiteDays } from "./site_days.tsx";

const RANGE_WORDS = { 7: "7 d", 28: "28 d", 90: "90 d", 365: "1 y" } as const;

/** The ranges, the days before and after, and days of one's own choice. */
export function RangeLinks({ site }: { readonly site: Pick<SiteDays, "asset" | "query" | "days"> }) {
  const { now } = here();
  const { asset, query, days } = site;
  const { from, to, chosen } = days;
  const isOne = query.metric !== null;
  const [hrefTo, address] = isOne ? [metricHref, metricAddress] : [siteHref, siteAddress];
  const other = { ...query, from: null, to: null, page: 1 };
  const step = (moved: (typeof days)["earlier"]) =>
    moved === null ? null : hrefTo(asset, { ...query, page: 1, ...moved });
  return (
    <>
      <Segments
        label="Range"
        choices={RANGES.map((range) => ({
          words: RANGE_WORDS[range],
          href: hrefTo(asset, { ...other, range }),
          chosen: !chosen && range === query.range,
        }))}
      />
      <Steps earlier={step(days.earlier)} later={step(days.later)} what=" days" />
      <details class="otherdays">
        <summary class="btn bare">Custom range</summary>
        <form method="get" action={isOne ? paths.metric(asset) : paths.site(asset)} class="row">
          <Kept search={address.search(other)} />
          <TextField name="from" label="From" type="date" value={from} autocomplete="off" />
          <TextField name="to" label="To" type="date" value={to} autocomplete="off" />
          <button class="btn">Show</button>
        </form>
      </details>
      <small class="days-shown">{formatDays(from, to, now)}</small>
    </>
  );
}
