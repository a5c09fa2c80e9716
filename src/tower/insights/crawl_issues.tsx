/** What webmaster tools report of a site's addresses: the provider's own findings. */
import type { InsightBody } from "../../insights/mod.ts";
import { capital } from "../../lib/capital.ts";
import { issueTypeOf } from "../../rules/mod.ts";
import { Glyph } from "../component/glyph.tsx";
import { DataTable } from "../component/table.tsx";
import { Unseen } from "../component/text.tsx";
import { countOf, formatCount, formatDay } from "../format.ts";
import { paths } from "../paths.ts";
import { Address } from "./key_cell.tsx";
import type { IssueFlag, PanelReport } from "./panel_report.ts";
import { PartHead, partId } from "./report_part.tsx";

type Issue = NonNullable<InsightBody["issues"]>[number];

/** Issues by their type, each with its flag: the provider's own findings, which no rule on figures is mixed with. */
export function CrawlIssues(props: {
  readonly report: PanelReport;
  readonly hosts: readonly string[];
  readonly flags: readonly IssueFlag[];
  readonly now: number;
  /** With the addresses of each type; else they stand on the page of all reports. */
  readonly isWhole: boolean;
}) {
  const { report, hosts, flags, now, isWhole } = props;
  const { shown } = report;
  if (shown === undefined) return null;
  const { issues = [], rows } = shown.insight;
  return (
    <section class="part" id={partId(report.family)}>
      <PartHead report={report} shown={shown} now={now}>
        <p class="note">
          The provider's own findings, apart from every test of figures.{" "}
          {countOf(rows, "address", "addresses")} in all.
        </p>
      </PartHead>

      <DataTable
        caption="Crawl issues by type"
        class="columns"
        items={issues}
        columns={[
          {
            words: "Issue",
            names: true,
            class: "key",
            cell: (issue) =>
              isWhole ? (
                <IssueCell issue={issue} hosts={hosts} />
              ) : (
                <a href={`${paths.siteInsights(shown.insight.asset)}#${partId(report.family)}`}>
                  {issueName(issue.type)}
                </a>
              ),
          },
          { words: "Addresses", numeric: true, cell: ({ of }) => formatCount(of) },
          {
            words: "Flag",
            cell: ({ type }) => <FlagOf flag={flags.find(({ subject }) => subject === type)} now={now} />,
          },
        ]}
      />
    </section>
  );
}

/** What an issue is called; one of another release by its own name. */
const issueName = (type: string): string => issueTypeOf(type)?.name ?? capital(type.replaceAll("_", " "));

function IssueCell({ issue, hosts }: { readonly issue: Issue; readonly hosts: readonly string[] }) {
  const { type, urls, of } = issue;
  return (
    <details class="items">
      <summary>{issueName(type)}</summary>
      <ul>
        {urls.map((url) => (
          <li>
            <Address address={url} hosts={hosts} />
          </li>
        ))}
      </ul>
      {of > urls.length ? (
        <p class="note">{formatCount(of - urls.length)} more stand in the report.</p>
      ) : null}
    </details>
  );
}

function FlagOf({ flag, now }: { readonly flag: IssueFlag | undefined; readonly now: number }) {
  if (flag === undefined) return <span class="dim">none open</span>;
  const { id, severity, firstSeen } = flag;
  return (
    <a class="sev" data-sev={severity} href={paths.flag(id)}>
      <Glyph name={`f-${severity}`} />
      <Unseen>{severity}: </Unseen>
      {firstSeen === undefined ? "Its flag" : <>since {formatDay(firstSeen, now)}</>}
    </a>
  );
}
