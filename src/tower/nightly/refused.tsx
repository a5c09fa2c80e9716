/** Refused reports in words and as a list: a site that is refused every night must not merely look silent. */
import type { BrokenRule } from "../../lib/contract.ts";
import { REPORT_ROUTES, type RefusedReport, type Streak } from "../../refusals/mod.ts";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { countOf, formatCount } from "../format.ts";
import { paths } from "../paths.ts";

/** Why a report was refused: the first broken rule, as its sender was told it. */
export function whyWords({ faults, code }: Pick<RefusedReport, "faults" | "code">): string {
  const [first] = faults;
  return first === undefined ? code : faultWords(code, first);
}

function faultWords(code: string, { pointer, message }: BrokenRule): string {
  return code === "broken-contract" ? `${pointer || "the body"} ${message}` : message;
}

/** What was refused since the last good report, where something was. */
export function RefusedNote(props: {
  readonly asset: string;
  readonly streak: Streak | undefined;
  /** Whether there is a good report to count from. */
  readonly since: boolean;
  readonly now: number;
}) {
  const { asset, streak, since, now } = props;
  if (streak === undefined) return null;
  return (
    <Callout tone="failing">
      <p>
        {countOf(streak.count, "report was", "reports were")} refused{since ? " since this one" : ""}, the
        latest <Moment at={streak.lastAt} now={now} /> with {streak.status}:{" "}
        <Told class="wrap">{`${whyWords(streak).replace(/\.$/, "")}.`}</Told>{" "}
        <a href={`${paths.reports(asset)}#refused`}>All refused reports</a>
      </p>
    </Callout>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  [REPORT_ROUTES.nightly]: "Nightly",
  [REPORT_ROUTES.codebase]: "Codebase",
};

/** How many reports were refused in all, of those kinds that are kept. */
export function countRefused(refused: readonly RefusedReport[]): number {
  return refused.reduce((sum, { count }) => sum + count, 0);
}

/** Every kind of refusal that is kept of a site, the latest first. */
export function RefusedBlock(props: { readonly refused: readonly RefusedReport[]; readonly now: number }) {
  const { refused, now } = props;
  if (refused.length === 0) return null;
  return (
    <Block id="refused" heading="Refused reports" note={formatCount(countRefused(refused))}>
      <DataTable
        fold
        caption="Refused reports, one row for each reason, the latest first"
        items={refused}
        columns={[
          { words: "Latest", names: true, cell: ({ lastAt }) => <Moment at={lastAt} now={now} /> },
          { words: "Kind", label: true, cell: ({ route }) => KINDS[route] ?? route },
          {
            words: "Answer",
            label: true,
            cell: ({ status, code }) => (
              <>
                {status} <span class="dim">{code}</span>
              </>
            ),
          },
          { words: "Why", class: "all", cell: (kind) => <Faults kind={kind} /> },
          { words: "Times", label: true, numeric: true, cell: ({ count }) => formatCount(count) },
          { words: "First", label: true, cell: ({ firstAt }) => <Moment at={firstAt} now={now} /> },
        ]}
      />
      <p class="note">
        Nothing of a refused report is stored. Refusals for the same reason are one row; the newest reasons of
        each kind are kept. A report without a known token belongs to no site and is not listed.
      </p>
    </Block>
  );
}

function Faults({ kind }: { readonly kind: RefusedReport }) {
  return (
    <>
      {kind.faults.map((fault, place) => (
        <>
          {place === 0 ? null : <br />}
          <Told class="wrap">{faultWords(kind.code, fault)}</Told>
        </>
      ))}
      {kind.more === 0 ? null : <small> and {countOf(kind.more, "more rule")}</small>}
    </>
  );
}
