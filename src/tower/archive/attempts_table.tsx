/** Attempts to get reports, newest first; each leads to its own page. */

import type { ManifestRow } from "../../archive/manifest_row.ts";
import { byteWords } from "../../base/text.ts";
import { dayOfNumber } from "../../base/time.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS } from "../../providers/adapter.ts";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { CATEGORY_WORDS } from "../kit/category_words.ts";
import { ArchiveMark } from "../kit/glyph.tsx";
import { Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Day, Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { familyTitle } from "../site/family_words.ts";
import { attemptsHref } from "./grid_table.tsx";

export function AttemptsTable({ attempts, empty }: { attempts: readonly ManifestRow[]; empty: Child }) {
  return (
    <List
      of="Attempts to get reports, newest first"
      items={attempts}
      id={({ id }) => `report-row-${id}`}
      empty={empty}
      columns={[
        [
          "Report",
          ({ id, target }) => (
            <>
              <a href={paths.archiveReport(id)} data-row>
                {familyTitle(target.family)}
              </a>
              <small class="block-sm">
                {PROVIDER_WORDS[target.provider]}, {target.family}
              </small>
            </>
          ),
          { class: "nowrap" },
        ],
        [
          "Site",
          ({ target }) => (
            <a href={paths.site(target.asset)}>
              <Told class="wrap">{target.asset}</Told>
            </a>
          ),
        ],
        ["Date", (row) => <DatesOf row={row} />, { class: "nowrap" }],
        ["Asked", ({ attemptedAt }) => <Moment at={attemptedAt} />, { class: "nowrap" }],
        ["Outcome", (row) => <OutcomeOf row={row} />],
        ["Rows", ({ object }) => (object === null ? null : formatCount(object.rows)), { numeric: true }],
        [
          "Bytes",
          ({ object }) => (object === null ? null : byteWords(object.bytes)),
          { numeric: true, class: "nowrap" },
        ],
        [
          "Object",
          ({ object }) =>
            object === null ? null : (
              <a class="mono" href={attemptsHref({ object: object.sha256 })} title={object.sha256}>
                {object.sha256.slice(0, 10)}
              </a>
            ),
        ],
      ]}
    />
  );
}

/** The date of a report, or the days from the first to the last. */
export function DatesOf({ row }: { row: ManifestRow }) {
  const last = <Day day={dayOfNumber(row.date)} />;
  if (row.rangeFrom === null) return last;
  return (
    <>
      <Day day={dayOfNumber(row.rangeFrom)} /> to {last}
    </>
  );
}

/** What an attempt came to, with the category of what went wrong. */
export function OutcomeOf({ row }: { row: ManifestRow }) {
  const { outcome, category } = row;
  return (
    <>
      <ArchiveMark outcome={outcome} />
      {category === null ? null : <small class="block-sm">{CATEGORY_WORDS[category]}</small>}
    </>
  );
}
