/** The feeds that a provider knows of a site. */
import { DataTable } from "../component/table.tsx";
import { DateOf } from "../component/time.tsx";
import { formatCount } from "../format.ts";
import { Address, CutText } from "./key_cell.tsx";
import type { PanelReport } from "./panel_report.ts";
import { PartHead, partId } from "./report_part.tsx";

/** Feeds with how they were read last. */
export function Feeds(props: {
  readonly report: PanelReport;
  readonly hosts: readonly string[];
  readonly now: number;
}) {
  const { report, hosts, now } = props;
  const { shown, family } = report;
  if (shown === undefined) return null;
  const place = (metric: string) => family.metrics.indexOf(metric);
  const [crawled, urls] = [place("last_crawled"), place("url_count")];
  return (
    <section class="part" id={partId(family)}>
      <PartHead report={report} shown={shown} now={now} />

      <DataTable
        caption="Feeds"
        class="columns"
        items={shown.insight.top}
        columns={[
          {
            words: "Feed",
            names: true,
            class: "key",
            cell: ({ keys: [url = "", type = ""] }) => (
              <>
                <Address address={url} hosts={hosts} />
                {type === "" ? null : (
                  <small>
                    <CutText text={type} />
                  </small>
                )}
              </>
            ),
          },
          {
            words: "State",
            cell: ({ keys: [, , status = ""] }) =>
              status === "" ? <span class="dim">none told</span> : <CutText text={status} />,
          },
          {
            words: "Last read",
            cell: ({ values }) => <LastRead at={values[crawled] ?? null} now={now} />,
          },
          {
            words: "Addresses",
            numeric: true,
            cell: ({ values }) => {
              const value = values[urls] ?? null;
              return value === null ? <span class="dim">–</span> : formatCount(value);
            },
          },
        ]}
      />
    </section>
  );
}

function LastRead({ at, now }: { readonly at: number | null; readonly now: number }) {
  return at === null ? <span class="dim">never</span> : <DateOf at={at} now={now} />;
}
