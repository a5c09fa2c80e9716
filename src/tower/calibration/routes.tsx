import type { Db } from "../../db/mod.ts";
import { calibrationOf, countSpreads, listSpreads } from "../../flow/mod.ts";
import { utcDayOf } from "../../lib/utc_day.ts";
import { pagingOf } from "../component/pager.tsx";
import { get, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { spreadsAddress } from "./address.ts";
import { CalibrationPage } from "./page.tsx";
import type { Spreads } from "./spreads.tsx";

const PAGE_SIZE = 50;
/** `/settings/calibration`. */
export function calibrationRoutes(deps: PageDeps & { readonly db: Db }) {
  return mounted(deps, [
    get(paths.calibration, { query: spreadsAddress }, ({ shell, query, now }) => (
      <CalibrationPage
        shell={shell}
        calibration={calibrationOf(deps.db, utcDayOf(now))}
        spreads={spreadsOf(deps.db, query)}
      />
    )),
  ]);
}

function spreadsOf(db: Db, { q, page }: (typeof spreadsAddress)["usual"]): Spreads {
  const paging = pagingOf(countSpreads(db, q), page, PAGE_SIZE);
  const rows = listSpreads(db, { q, limit: PAGE_SIZE, offset: (paging.page - 1) * PAGE_SIZE });
  return { q, paging, rows };
}
