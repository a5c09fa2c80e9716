/** The measured dispersion of each metric, the widest first. */
import type { SpreadRow } from "../../flow/mod.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { NOT_TESTED_WORDS } from "../component/not_tested.ts";
import { Pager, type Paging } from "../component/pager.tsx";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
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
      note="variance of a day divided by its mean, φ; 1 is a Poisson count"
    >
      <div class="filters">
        <p class="note">A metric that varies more needs a larger change before it is flagged.</p>
        <form method="get" action={paths.calibration} class="search" role="search">
          <label class="vh" for="q">
            Filter by site
          </label>
          <input
            id="q"
            name="q"
            type="search"
            value={q}
            placeholder="Filter by site"
            maxlength={128}
            autocomplete="off"
          />
          <button class="btn">Filter</button>
        </form>
      </div>
      {rows.length === 0 ? (
        <Empty heading="No metric matches">
          <p>No site whose identifier holds this text has a metric that was judged.</p>
        </Empty>
      ) : (
        <Table
          fold
          caption="Measured dispersion"
          columns={[
            { words: "Metric" },
            { words: "Site" },
            { words: "φ", numeric: true },
            { words: "Basis" },
            { words: "Judged on" },
            { words: "Action", unseen: true },
          ]}
        >
          {rows.map((row) => (
            <Spread row={row} now={now} />
          ))}
        </Table>
      )}
      <Pager
        paging={paging}
        what="metrics"
        href={(page) => `${paths.calibration}${spreadsAddress.search({ q, page })}#dispersion`}
      />
    </Block>
  );
}

function Spread({ row, now }: { readonly row: SpreadRow; readonly now: number }) {
  const { asset, metric, phi, basis, days, notTested } = row;
  return (
    <Row>
      <RowHead>
        <Told class="wrap">{metric}</Told>
      </RowHead>
      <Cell label="Site">
        <span class="wrap">
          <a href={paths.siteSettings(asset)}>{asset}</a>
        </span>
      </Cell>
      <Cell label="φ" numeric>
        {phi === null ? <span class="nm">Not measured</span> : formatRatio(phi)}
      </Cell>
      <Cell label="Basis">
        {basis === null
          ? notTested === null
            ? "–"
            : NOT_TESTED_WORDS[notTested]
          : basis === "fixed"
            ? BASIS_WORDS.fixed
            : `${BASIS_WORDS[basis]}, ${countOf(days ?? 0, "day")}`}
      </Cell>
      <Cell label="Judged on">
        <Day day={row.date} now={now} />
      </Cell>
      <Cell class="act">
        <a href={paths.tuneMetric(asset, metric)}>
          Tune
          <Unseen>
            {" "}
            <Told>{metric}</Told> of {asset}
          </Unseen>
        </a>
      </Cell>
    </Row>
  );
}
