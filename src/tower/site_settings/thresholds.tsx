import { SENT, seriesName } from "../../rules/mod.ts";
import { Block } from "../component/block.tsx";
import { Pager } from "../component/pager.tsx";
import { SearchForm } from "../component/search_form.tsx";
import { type ColumnOf, DataTable } from "../component/table.tsx";
import { Told, Unseen } from "../component/text.tsx";
import { countOf } from "../format.ts";
import { paths } from "../paths.ts";
import { settingsAddress } from "./address.ts";
import type { MetricChoice } from "./metric_choice.ts";
import type { Override } from "./overrides.ts";

/** Thresholds of the site that differ from the document's, and the ways to tune others. */
export function SiteThresholds({
  asset,
  overrides,
  metrics,
}: {
  readonly asset: string;
  readonly overrides: readonly Override[];
  readonly metrics: MetricChoice;
}) {
  return (
    <Block
      heading="Own thresholds"
      note="where this site differs from the constants document"
      tools={<a href={paths.constants}>Constants</a>}
    >
      <DataTable
        fold
        caption="Own thresholds"
        items={overrides}
        columns={COLUMNS}
        empty={<p>None: the thresholds of the constants document hold for this site.</p>}
      />
      <details class="items" id="tune" open={metrics.isAsked}>
        <summary>Tune the codebase rules{metricWords(metrics.paging.total)}</summary>
        {metrics.paging.pages === 1 && metrics.q === "" ? null : (
          <SearchForm
            action={`${paths.siteSettings(asset)}#tune`}
            words="Metric's name"
            id="tune-metric"
            name="metric"
            value={metrics.q}
            maxlength={200}
          />
        )}
        <ul>
          {metrics.isAsked ? null : (
            <li>
              <a href={paths.tuneCodebase(asset)}>Codebase rules</a>
            </li>
          )}
          {metrics.names.map(({ source, metric }) => (
            <li>
              <a
                href={
                  source === SENT ? paths.tuneMetric(asset, metric) : paths.tuneSignal(asset, source, metric)
                }
              >
                <Told class="wrap">{seriesName(metric, source)}</Told>
              </a>
            </li>
          ))}
        </ul>
        <Pager
          paging={metrics.paging}
          what="metrics"
          href={(page) =>
            `${paths.siteSettings(asset)}${settingsAddress.search({ metric: metrics.q }, { page: String(page) })}#tune`
          }
        />
      </details>
    </Block>
  );
}

/** "or one of 11 metrics", where there are metrics. */
function metricWords(count: number): string {
  if (count === 0) return "";
  return count === 1 ? " or the only metric" : ` or one of ${countOf(count, "metric")}`;
}

const COLUMNS: readonly ColumnOf<Override>[] = [
  {
    words: "Threshold",
    names: true,
    cell: ({ name, metric }) => (
      <>
        <span class="mono wrap">{name}</span>
        {metric === null ? null : (
          <small class="block-sm">
            for <Told class="wrap">{metric}</Told>
          </small>
        )}
      </>
    ),
  },
  { words: "Here", numeric: true, label: true, cell: ({ value }) => value },
  { words: "Otherwise", numeric: true, label: true, cell: ({ wider }) => wider },
  {
    words: "Action",
    unseen: true,
    class: "act",
    cell: ({ href, name, metric }) => (
      <a href={href}>
        {href === paths.constants ? "Edit" : "Tune"}
        <Unseen>
          {" "}
          {name}
          {metric === null ? "" : ` of ${metric}`}
        </Unseen>
      </a>
    ),
  },
];
