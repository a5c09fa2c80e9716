/** What changed since an operator last looked, above the portfolio: a line for each event, the most urgent first. */

import { countWords as countOf } from "../../base/text.ts";
import { formatCount } from "../format.ts";
import { Moment } from "../kit/proof.tsx";
import { Act } from "../kit/shown_once.tsx";
import { paths } from "../paths.ts";
import { MOST_DAYS, type Morning, type Since } from "./lines.ts";
import { annotationsWords, type Line } from "./morning_change.ts";
import { NewsLine } from "./news_line.tsx";

/** How the portfolio stands, where nothing is new. */
export interface Unquiet {
  readonly silent: number;
  readonly failing: number;
  readonly unknown: number;
  /** Why not everything could be judged; null where it could. */
  readonly uncovered: string | null;
}

export function MorningView(props: {
  readonly morning: Morning;
  readonly unquiet: Unquiet;
  /** Whether it stands open; a reader opens and closes it. */
  readonly open: boolean;
}) {
  const { morning, open } = props;
  const { since, lines, more } = morning;
  const all = lines.length + more;
  return (
    <details id="morning" class="morning" open={open}>
      <summary>
        <h2>
          <SinceWords since={since} />
        </h2>{" "}
        <small>
          {since.by === "visit" ? (
            <>
              <Moment at={since.at} />:{" "}
            </>
          ) : null}
          {all === 0 ? "nothing new" : countOf(all, "change")}
        </small>
      </summary>
      {all === 0 ? <NothingNew {...props} /> : <Lines morning={morning} />}
      <div class="row note">
        {morning.isShort ? <span>There may be older ones than are told here.</span> : null}
        {since.isCut ? <span>Told for {MOST_DAYS} days at most.</span> : null}
        <Context morning={morning} />
        <a href={paths.timeline}>{more === 0 ? "Timeline" : "All of them on the timeline"}</a>
        {all === 0 ? null : <Act action={paths.looks} words="Seen" />}
      </div>
    </details>
  );
}

function SinceWords({ since }: { readonly since: Since }) {
  if (since.by === "visit") return <>Since you last looked</>;
  if (since.by === "first") return <>In the last 24 hours</>;
  return (
    <>
      Since <Moment at={since.at} />
    </>
  );
}

/** Nothing new is no all-clear: what stood wrong before stands wrong. */
function NothingNew({ unquiet }: { readonly unquiet: Unquiet }) {
  const { silent, failing, unknown, uncovered } = unquiet;
  const still = [
    ...(silent === 0 ? [] : [silent === 1 ? "1 site is silent" : `${formatCount(silent)} sites are silent`]),
    ...(failing === 0 ? [] : [`${countOf(failing, "integration")} ${failing === 1 ? "fails" : "fail"}`]),
    ...(unknown === 0 ? [] : [`the state of ${countOf(unknown, "integration")} is not known`]),
  ];
  return (
    <p>
      Nothing is new.
      {still.length === 0 && uncovered === null ? null : (
        <>
          {" "}
          This is not an all-clear{still.length === 0 ? "." : `: ${still.join(", ")}.`}
          {uncovered === null ? null : ` ${uncovered}`}
        </>
      )}
    </p>
  );
}

/** Lines that stand open; the sites below are what the page is for. */
const MOST_OPEN = 5;

/** One line more than stand open is no reason to fold it. */
function Lines({ morning }: { readonly morning: Morning }) {
  const { lines, more } = morning;
  const open = lines.length <= MOST_OPEN + 1 ? lines.length : MOST_OPEN;
  const list = (some: readonly Line[]) => (
    <ul class="news">
      {some.map((line) => (
        <NewsLine line={line} morning={morning} />
      ))}
    </ul>
  );
  return (
    <>
      {list(lines.slice(0, open))}
      {open === lines.length ? null : (
        <details id="morning-more">
          <summary>{countOf(lines.length - open + more, "more change", "more changes")}</summary>
          {list(lines.slice(open))}
          {more === 0 ? null : (
            <p class="note">And {countOf(more, "more change", "more changes")}, less urgent.</p>
          )}
        </details>
      )}
    </>
  );
}

/** What else happened since then, counted: near in time, no cause. */
function Context({ morning }: { readonly morning: Morning }) {
  if (morning.annotations.length === 0) return null;
  return <span>Told on the timeline meanwhile: {morning.annotations.map(annotationsWords).join(", ")}.</span>;
}
