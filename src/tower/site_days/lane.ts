/** One chart of a site: a figure of one of its halves over the days that are shown. */
import type { UtcDay } from "../../lib/utc_day.ts";
import type { DayOffset } from "../../pulse/mod.ts";
import type { ChartAnnotations } from "../component/chart_marks.tsx";
import type { Paging } from "../component/pager.tsx";
import type { Severity } from "../component/severity.tsx";
import type { Comparison } from "./compare.ts";
import type { FigureDay } from "./figures.ts";
import type { DayFlag, LaneKey } from "./flags.ts";
import type { FigureUnit, Half } from "./named.ts";
import type { SiteQuery } from "./query.ts";
import type { ShownDays } from "./range.ts";
import type { SourceStanding } from "./source_standing.ts";

export interface Lane {
  readonly key: LaneKey;
  readonly half: Half;
  /** As it is stored; the name of a codebase figure. */
  readonly metric: string;
  readonly label: string;
  readonly unit: FigureUnit;
  /** Every day that is shown, oldest first. */
  readonly days: readonly FigureDay[];
  /** Days to which no line is drawn from the one before: the measuring tools, or the hour of the reports, changed. */
  readonly breaks: ReadonlySet<UtcDay>;
  readonly comparison: Comparison;
  readonly flags: readonly DayFlag[];
  /** The worst of its open flags. */
  readonly worst: Severity | undefined;
  readonly href: string;
}

/** The charts of one half. */
export interface LaneGroup {
  readonly half: Half;
  readonly lanes: readonly Lane[];
  /** The newest day that is final, whichever days are shown. */
  readonly finalTo: UtcDay | undefined;
  /** Undefined for what no provider is asked for. */
  readonly standing: SourceStanding | undefined;
}

/** Everything the charts of a site show. */
export interface SiteDays {
  readonly asset: string;
  readonly query: SiteQuery;
  readonly days: ShownDays;
  /** By how many days what the site sent is shown away from the dates of its reports. */
  readonly offset: DayOffset;
  /** The one that holds the worst chart first. */
  readonly groups: readonly LaneGroup[];
  /** Sent metrics ever reported, and the page of them. */
  readonly known: number;
  readonly paging: Paging;
  readonly flags: readonly DayFlag[];
  readonly annotations: ChartAnnotations;
  /** Providers that no figure of this site comes from, and that it is not attached to. */
  readonly unconnected: readonly Half[];
}

/** Every chart that is shown, in the order of the page. */
export function lanesOf({ groups }: Pick<SiteDays, "groups">): readonly Lane[] {
  return groups.flatMap(({ lanes }) => lanes);
}
