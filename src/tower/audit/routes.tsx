import { listAudit } from "../../audit/mod.ts";
import type { Db } from "../../db/mod.ts";
import { instantsOf } from "../kit/address.ts";
import { get, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { AuditPage, auditAddress } from "./page.tsx";

const PAGE_SIZE = 50;

/** `/settings/audit`. */
export function auditRoutes(deps: PageDeps & { readonly db: Db }) {
  return mounted(deps, [
    get(paths.audit, { query: auditAddress }, ({ shell, query }) => {
      const found = listAudit(deps.db, { ...query, ...instantsOf(query), limit: PAGE_SIZE + 1 });
      return (
        <AuditPage
          shell={shell}
          query={query}
          acts={found.slice(0, PAGE_SIZE)}
          hasMore={found.length > PAGE_SIZE}
        />
      );
    }),
  ]);
}
