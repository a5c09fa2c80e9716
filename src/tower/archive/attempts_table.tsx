/** Attempts to get reports, newest first; each leads to its own page. */

import type { ManifestRow } from "../../archive/manifest_row.ts";
import { byteWords } from "../../base/text.ts";
import { dayOfNumber } from "../../base/time.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS } from "../../providers/adapter.ts";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { CATEGORY_WORDS } from "../kit/category_words.ts";
import { ArchiveMark } from "../kit/glyph.tsx";
import { DataTable, Told } from "../kit/links.tsx";
import { Day, Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { familyTitle } from "../site/family_words.ts";
import { attemptsHref } from "./grid_table.tsx";

export function AttemptsTable(props: { readonly attempts: readonly ManifestRow[]; readonly empty: Child }) {
  const { attempts, empty } = props;
  return (
    <DataTable
      fold
      caption="Attempts to get reports, newest first"
      items={attempts}
      id={({ id }) => `report-row-${id}`}
      empty={empty}
      columns={[
        {
          words: "Report",
          names: true,
          class: "nowrap",
          cell: ({ id, target }) => (
            <>
              <a href={paths.archiveReport(id)} data-row>
                {familyTitle(target.family)}
              </a>
              <small class="block-sm">
                {PROVIDER_WORDS[target.provider]}, {target.family}
              </small>
            </>
          ),
        },
        {
          words: "Site",
          label: true,
          cell: ({ target }) => (
            <a href={paths.site(target.asset)}>
              <Told class="wrap">{target.asset}</Told>
            </a>
          ),
        },
        { words: "Date", label: true, class: "nowrap", cell: (row) => <DatesOf row={row} /> },
        {
          words: "Asked",
          label: true,
          class: "nowrap",
          cell: ({ attemptedAt }) => <Moment at={attemptedAt} />,
        },
        { words: "Outcome", label: true, cell: (row) => <OutcomeOf row={row} /> },
        {
          words: "Rows",
          label: true,
          numeric: true,
          cell: ({ object }) => (object === null ? null : formatCount(object.rows)),
        },
        {
          words: "Bytes",
          label: true,
          numeric: true,
          class: "nowrap",
          cell: ({ object }) => (object === null ? null : byteWords(object.bytes)),
        },
        {
          words: "Object",
          label: true,
          cell: ({ object }) =>
            object === null ? null : (
              <a class="mono" href={attemptsHref({ object: object.sha256 })} title={object.sha256}>
                {object.sha256.slice(0, 10)}
              </a>
            ),
        },
      ]}
    />
  );
}

/** The date of a report, or the days from the first to the last. */
export function DatesOf({ row }: { readonly row: ManifestRow }) {
  const last = <Day day={dayOfNumber(row.date)} />;
  if (row.rangeFrom === null) return last;
  return (
    <>
      <Day day={dayOfNumber(row.rangeFrom)} /> to {last}
    </>
  );
}

/** What an attempt came to, with the category of what went wrong. */
export function OutcomeOf({ row }: { readonly row: ManifestRow }) {
  const { outcome, category } = row;
  return (
    <>
      <ArchiveMark outcome={outcome} />
      {category === null ? null : <small class="block-sm">{CATEGORY_WORDS[category]}</small>}
    </>
  );
}
