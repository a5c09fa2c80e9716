import { SeverityTally } from "../component/severity.tsx";
import { countOf, formatCount, formatMoment } from "../format.ts";
import { paths } from "../paths.ts";
import { type WallQuery, wallAddress } from "./address.ts";
import type { Layout } from "./fit.ts";
import type { WallFacts } from "./read.ts";
import { countFlags, type Tile } from "./tile.ts";

/** What of the Wall is shown, and to whom. */
interface FootProps {
  readonly now: number;
  readonly facts: WallFacts;
  readonly query: WallQuery;
  readonly isOperator: boolean;
  readonly layout: Layout<Tile>;
  /** The page that is shown. */
  readonly shown: number;
}

/** How much is watched, which page is shown, and the ways on. */
export function Foot(props: FootProps) {
  const { now, facts, isOperator, layout } = props;
  const { coverage, observedAt } = facts.view;
  const flags = countFlags(facts.sites);
  return (
    <footer class="wall-foot">
      <span>{countOf(facts.sites.length, "site")}</span>
      {flags.error + flags.warn + flags.info === 0 ? null : (
        <span>
          open flags <SeverityTally counts={flags} />
        </span>
      )}
      {coverage.state === "unknown" ? null : (
        <span>
          {formatCount(coverage.monitored)} of {countOf(coverage.configured, "part")} watched
        </span>
      )}
      {observedAt === null ? null : <span>newest evidence {formatMoment(observedAt, now)} UTC</span>}
      {layout.pages.length === 0 ? null : <PageOf {...props} />}
      {isOperator ? (
        <span class="wall-ways">
          <a href={paths.portfolio}>Sites</a>
          <a href={paths.wallLinks}>Links</a>
          <button type="button" data-full hidden>
            Full screen
          </button>
        </span>
      ) : null}
    </footer>
  );
}

/** Which page is shown, and whether it stays. */
function PageOf(props: Pick<FootProps, "query" | "layout" | "shown">) {
  const { query, layout, shown } = props;
  const last = layout.pages.length;
  const to = (page: number | null) => `${paths.wall}${wallAddress.search({ ...query, page })}`;
  return (
    <>
      <span>
        Page <span data-page>{formatCount(shown)}</span> of {formatCount(last)}, {layout.perPage} sites each
      </span>
      <span class="wall-ways">
        <a href={to(shown === 1 ? last : shown - 1)}>Back</a>
        <a href={to(shown === last ? 1 : shown + 1)}>Next</a>
        {query.page === null ? null : <a href={to(null)}>Turn pages</a>}
      </span>
    </>
  );
}
