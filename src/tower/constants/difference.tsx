/**
 * A difference of two texts, line by line. Added and removed lines differ by sign, ground and stroke, never by colour alone. The
 * rows are laid out as grids, which drops their meaning for assistive technology, so every part states its role.
 */
import type { DifferenceHunk, DifferenceLine } from "../../constants/mod.ts";
import { Told, Unseen } from "../component/text.tsx";
import { countOf } from "../format.ts";

/** Most lines shown; a longer difference says how many more there are. */
const MOST_LINES = 1_000;

const SIGNS = { same: " ", added: "+", removed: "−" } as const;

interface NumberedLine extends DifferenceLine {
  readonly before: number | null;
  readonly after: number | null;
  /** Lines in between are the same and left out. */
  readonly gap: boolean;
}

function numbered(hunks: readonly DifferenceHunk[]): NumberedLine[] {
  return hunks.flatMap((hunk, place) => {
    let before = hunk.beforeLine;
    let after = hunk.afterLine;
    return hunk.lines.map((line, index) => ({
      ...line,
      before: line.kind === "added" ? null : before++,
      after: line.kind === "removed" ? null : after++,
      gap: place > 0 && index === 0,
    }));
  });
}

/** The lines that differ, with those around them; both line numbers stand in front. */
export function Difference({
  hunks,
  caption,
}: {
  readonly hunks: readonly DifferenceHunk[];
  readonly caption: string;
}) {
  const lines = numbered(hunks);
  const more = lines.length - MOST_LINES;
  return (
    <>
      <table class="diff" role="table">
        <caption class="vh">{caption}</caption>
        <thead class="vh" role="rowgroup">
          <tr role="row">
            {["Line before", "Line after", "Change", "Text"].map((words) => (
              <th scope="col" role="columnheader">
                {words}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {lines.slice(0, MOST_LINES).map((line) => (
            <>
              {line.gap ? (
                <tr class="gap" role="row">
                  <td role="cell" colspan={4}>
                    <Unseen>Lines that are the same are left out.</Unseen>
                  </td>
                </tr>
              ) : null}
              <tr role="row" data-d={line.kind === "same" ? undefined : line.kind}>
                <td role="cell" class="no">
                  {line.before}
                </td>
                <td role="cell" class="no">
                  {line.after}
                </td>
                <td role="cell" class="sign">
                  <span aria-hidden="true">{SIGNS[line.kind]}</span>
                  {line.kind === "same" ? null : <Unseen>{line.kind}</Unseen>}
                </td>
                <td role="cell">
                  <Told>{line.text}</Told>
                </td>
              </tr>
            </>
          ))}
        </tbody>
      </table>
      {more > 0 ? (
        <p class="note">
          {countOf(more, "more line differs, or stands", "more lines differ, or stand")} around the others.
        </p>
      ) : null}
    </>
  );
}
