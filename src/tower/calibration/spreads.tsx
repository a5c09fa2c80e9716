/** The measured dispersion of each metric, the widest first. */
import type { SpreadRow } from "../../flow/mod.ts";
import { SENT, seriesName } from "../../rules/mod.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { NOT_TESTED_WORDS } from "../component/not_tested.ts";
import { Pager, type Paging } from "../component/pager.tsx";
import { SearchForm } from "../component/search_form.tsx";
import { DataTable } from "../component/table.tsx";
import { Marked } from "../component/term.tsx";
import { Told, Unseen } from "../component/text.tsx";
import { Day } from "../component/time.tsx";
import { countOf, formatRatio } from "../format.ts";
import { paths } from "../paths.ts";
import { spreadsAddress } from "./address.ts";

/** A page of metrics. */
export interface Spreads {
  readonly rows: readonly SpreadRow[];
  readonly paging: Paging;
  /** The text sites are filtered by. */
  readonly q: string;
}

const BASIS_WORDS: Readonly<Record<NonNullable<SpreadRow["basis"]>, string>> = {
  fixed: "fixed in the constants",
  measured: "measured",
  steady: "no wider than chance",
  too_few_days: "assumed until 28 days are measured",
};

/** The list with its filter. */
export function SpreadList({ spreads, now }: { readonly spreads: Spreads; readonly now: number }) {
  const { rows, paging, q } = spreads;
  if (paging.total === 0 && q === "") return null;
  return (
    <Block
      heading="Measured dispersion"
      id="dispersion"
      note={<Marked>variance of a day divided by its mean, φ; 1 is a Poisson count</Marked>}
    >
      <div class="filters">
        <p class="note">A metric that varies more needs a larger change before it is flagged.</p>
        <SearchForm action={paths.calibration} words="Filter by site" value={q} maxlength={128} />
      </div>
      <DataTable
        fold
        caption="Measured dispersion"
        items={rows}
        columns={[
          {
            words: "Metric",
            names: true,
            cell: ({ metric, source }) => <Told class="wrap">{seriesName(metric, source)}</Told>,
          },
          { words: "Site", label: true, cell: ({ asset }) => <SiteLink asset={asset} /> },
          {
            words: "φ",
            label: true,
            numeric: true,
            cell: ({ phi }) => (phi === null ? <span class="nm">Not measured</span> : formatRatio(phi)),
          },
          { words: "Basis", label: true, class: "nowrap", cell: basisWords },
          { words: "Judged on", label: true, cell: ({ date }) => <Day day={date} now={now} /> },
          { words: "Action", unseen: true, class: "act", cell: (row) => <Tune row={row} /> },
        ]}
        empty={
          <Empty heading="No metric matches">
            <p>No site whose identifier holds this text has a metric that was judged.</p>
          </Empty>
        }
      />
      <Pager
        paging={paging}
        what="metrics"
        href={(page) => `${paths.calibration}${spreadsAddress.search({ q, page })}#dispersion`}
      />
    </Block>
  );
}

function SiteLink({ asset }: { readonly asset: string }) {
  return (
    <span class="wrap">
      <a href={paths.siteSettings(asset)}>{asset}</a>
    </span>
  );
}

function basisWords({ basis, days, notTested }: SpreadRow): string {
  if (basis === null) return notTested === null ? "–" : NOT_TESTED_WORDS[notTested];
  return basis === "fixed" ? BASIS_WORDS.fixed : `${BASIS_WORDS[basis]}, ${countOf(days ?? 0, "day")}`;
}

function Tune({ row: { asset, source, metric } }: { readonly row: SpreadRow }) {
  return (
    <a href={source === SENT ? paths.tuneMetric(asset, metric) : paths.tuneSignal(asset, source, metric)}>
      Tune
      <Unseen>
        {" "}
        <Told>{seriesName(metric, source)}</Told> of {asset}
      </Unseen>
    </a>
  );
}
