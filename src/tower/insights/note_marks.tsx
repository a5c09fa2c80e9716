import type { ReportNote } from "../../provider/contract.ts";
import type { TermName } from "../../rules/mod.ts";
import { Term } from "../component/term.tsx";

const MARKS: Readonly<Record<ReportNote, readonly [name: TermName, words: string]>> = {
  sampled: ["sampled", "sampled"],
  thresholded: ["thresholded", "thresholded"],
  other_row: ["other-row", "rest in one row"],
  top_rows: ["top-rows", "top rows"],
};

/** What is known of a report beside its rows: a small mark each, which opens its sentence. */
export function NoteMarks({ notes }: { readonly notes: readonly ReportNote[] }) {
  if (notes.length === 0) return null;
  return (
    <span class="marks">
      {notes.map((note) => {
        const [name, words] = MARKS[note];
        return (
          <span class="tag">
            <Term name={name}>{words}</Term>
          </span>
        );
      })}
    </span>
  );
}
