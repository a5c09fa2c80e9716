import type { HealthReader } from "../../integrations/mod.ts";
import { accountsOf, sendersOf } from "../integrations/names.ts";
import { healthView } from "../kit/once.ts";
import { get, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { SystemHealthPage } from "./page.tsx";
import { readSystem, type SystemDeps } from "./read.ts";

/** `/health`. */
export function healthRoutes(deps: PageDeps & SystemDeps & { readonly health: HealthReader }) {
  const { db, health } = deps;
  return mounted(deps, [
    get(paths.health, {}, ({ request, shell, now }) => {
      const view = healthView(request, health, now);
      return (
        <SystemHealthPage
          shell={shell}
          system={readSystem(deps, view, now)}
          ground={{ now, accountOf: accountsOf(db), senderOf: sendersOf(db, view) }}
        />
      );
    }),
  ]);
}
