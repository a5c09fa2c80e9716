import type { Pause } from "../../health/mod.ts";
import { Callout } from "../component/callout.tsx";
import { Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { countOf } from "../format.ts";
import { pausedWords } from "../integrations/paused_words.ts";
import { paths } from "../paths.ts";

/** Pauses that are named; of more their number is said. */
const MOST_NAMED = 3;

/** Says what of the archive is paused. Nothing while nothing is. */
export function ArchivePauses({ pauses, now }: { readonly pauses: readonly Pause[]; readonly now: number }) {
  if (pauses.length === 0) return null;
  const more = pauses.length - MOST_NAMED;
  return (
    <Callout tone="paused" role="status">
      <ul>
        {pauses.slice(0, MOST_NAMED).map((pause) => (
          <li>
            <b>Paused:</b> <Told class="wrap">{pausedWords(pause)}</Told>
            {pause.until === null ? (
              ", until an operator resumes it"
            ) : (
              <>
                , until <Moment at={pause.until} now={now} /> UTC
              </>
            )}
            .
          </li>
        ))}
        {more > 0 ? <li>{countOf(more, "more pause")} of the archive.</li> : null}
      </ul>
      <p>
        What is paused is not asked, and its dates stay empty. <a href={paths.pauses}>All pauses</a>
      </p>
    </Callout>
  );
}
