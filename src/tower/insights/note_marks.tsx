import type { ArchiveNote } from "../../archive/mod.ts";
import type { TermName } from "../../rules/mod.ts";
import { Term } from "../component/term.tsx";

/** That a report is provisional stands beside its date. */
const MARKS: Readonly<Record<Exclude<ArchiveNote, "provisional">, readonly [name: TermName, words: string]>> =
  {
    sampled: ["sampled", "sampled"],
    thresholded: ["thresholded", "thresholded"],
    other_row: ["other-row", "rest in one row"],
    top_rows: ["top-rows", "top rows"],
  };

/** What is known of a report beside its rows: a small mark each, which opens its sentence. */
export function NoteMarks({ notes }: { readonly notes: readonly ArchiveNote[] }) {
  const marked = notes.filter((note) => note !== "provisional");
  if (marked.length === 0) return null;
  return (
    <span class="marks">
      {marked.map((note) => {
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
