import { Elysia } from "elysia";
import type { Db } from "../../db/mod.ts";
import { calibrationOf, countSpreads, listSpreads } from "../../flow/mod.ts";
import { utcDayOf } from "../../lib/utc_day.ts";
import { pagingOf } from "../component/pager.tsx";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { htmlPage } from "../respond.ts";
import { CalibrationPage } from "./page.tsx";
import type { Spreads } from "./spreads.tsx";

/** What the calibration page needs. */
export type CalibrationDeps = PageDeps & { readonly db: Db };

const PAGE_SIZE = 50;
/** What a filter may hold: no identifier is longer. */
const LONGEST_Q = 128;

/** `/settings/calibration`. */
export function calibrationRoutes(deps: CalibrationDeps) {
  return new Elysia({ name: "calibration" }).get(paths.calibration, ({ request }) => {
    const actor = deps.access.page(request);
    return htmlPage(
      request,
      <CalibrationPage
        shell={deps.shellFor(request, actor)}
        calibration={calibrationOf(deps.db, utcDayOf(deps.clock.now()))}
        spreads={spreadsOf(deps.db, new URL(request.url).searchParams)}
      />,
    );
  });
}

function spreadsOf(db: Db, query: URLSearchParams): Spreads {
  const q = (query.get("q") ?? "").trim().slice(0, LONGEST_Q);
  const wanted = Number(query.get("page") ?? 1);
  const paging = pagingOf(countSpreads(db, q), Number.isSafeInteger(wanted) ? wanted : 1, PAGE_SIZE);
  const rows = listSpreads(db, { q, limit: PAGE_SIZE, offset: (paging.page - 1) * PAGE_SIZE });
  return { q, paging, rows };
}
