/** What is wrong with a constants document, each mistake at its line. */
import type { Problem } from "../../constants/mod.ts";
import { Code, Told, Unseen } from "../component/text.tsx";
import { countOf } from "../format.ts";

/** Lines shown before and after a line with a mistake. */
const AROUND = 1;

/** The mistakes of a text; `more` of them are not named. */
export function Problems({
  text,
  problems,
  more,
}: {
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly more: number;
}) {
  const lines = text.split(/\r?\n/);
  return (
    <ol class="problems">
      {problems.map((problem) => (
        <li>
          <p>
            <b>Line {problem.line}</b>
            {problem.key === "" ? null : (
              <>
                , <Code>{problem.key}</Code>
              </>
            )}
            : <Told>{problem.message}</Told>
          </p>
          <Excerpt lines={lines} at={problem.line} />
        </li>
      ))}
      {more > 0 ? <li>and {countOf(more, "more mistake")}</li> : null}
    </ol>
  );
}

function Excerpt({ lines, at }: { readonly lines: readonly string[]; readonly at: number }) {
  const first = Math.max(1, at - AROUND);
  const shown = lines.slice(first - 1, at + AROUND);
  if (shown.every((line) => line.trim() === "")) return null;
  return (
    <table class="diff one" role="table">
      <caption class="vh">Lines around line {at}</caption>
      <tbody role="rowgroup">
        {shown.map((line, index) => {
          const bad = first + index === at;
          return (
            <tr role="row" data-d={bad ? "wrong" : undefined}>
              <td role="cell" class="no">
                {first + index}
                {bad ? <Unseen> with the mistake</Unseen> : null}
              </td>
              <td role="cell">
                <Told>{line}</Told>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
