import type { Ids } from "../../base/base.ts";
import type { InstallationKeys } from "../../base/keys.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS, PROVIDERS } from "../../providers/adapter.ts";
import { detachProperty, listAttachments } from "../../providers/attachments.ts";
import { listProperties } from "../../providers/properties.ts";
import type { Credentials } from "../../providers/sealing.ts";
import { attachProperty } from "../../signals/connections.ts";
import { listSites } from "../../sites/sites.ts";
import type { Store } from "../../store/store.ts";
import type { Writer } from "../../store/writer.ts";
import type { PageDeps } from "../keyboard.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { ownPath, paths } from "../paths.ts";
import { type Sessions, type SignedIn, seeOther } from "../session.ts";
import { AttachPage } from "./attach_page.tsx";
import {
  attachAddress,
  attachHref,
  attachView,
  propertyRows,
  rowValue,
  type TickedRow,
  tickedRows,
} from "./attach_rows.ts";
import type { RefusedRow } from "./open_rows.tsx";

interface AttachDeps extends PageDeps {
  readonly store: Store;
  readonly writer: Writer;
  readonly keys: InstallationKeys;
  readonly ids: Ids;
  readonly sessions: Sessions;
  readonly credentials: Pick<Credentials, "list">;
}

/** `/settings/credentials/attachments`: which property is whose. */
export function attachRoutes(deps: AttachDeps) {
  return mounted(deps, [
    own.get(paths.attachments, { query: attachAddress }, (visit) => page(deps, visit)),
    own.post(paths.attachments, { query: attachAddress }, async (visit) => {
      const rows = tickedRows(visit.form);
      const replace = visit.form.get("replace") !== null;
      const refused = new Map<string, RefusedRow>();
      let [attached, replaced] = [0, 0];
      for (const row of rows) {
        const result = await attach(deps, row, rows, replace, visit.by);
        if (typeof result === "string") refused.set(rowValue(row), { site: row.site, error: result });
        else {
          attached += result.did === "same" ? 0 : 1;
          replaced += result.did === "replaced" ? 1 : 0;
        }
      }
      const kept = attachAddress.read(visit.form);
      if (refused.size > 0) return page(deps, { ...visit, query: kept }, { refused, attached });
      return seeOther(
        attachHref({ provider: kept.provider, q: kept.q, attached, replaced: replaced || null }),
      );
    }),
    own.post(paths.detachment, {}, async ({ form, by }) => {
      const provider = PROVIDERS.find((known) => known === form.get("provider"));
      const asset = form.get("asset") ?? "";
      if (provider !== undefined) await detachProperty(deps, { asset, provider }, by);
      const back = form.get("back");
      return seeOther(
        back === null ? attachHref({ show: "attached", detached: 1 }) : `${ownPath(back)}#sources`,
      );
    }),
  ]);
}

type By = Visit<SignedIn, unknown, unknown, unknown, unknown>["by"];

/** Attaches one ticked row; a sentence where it is refused. */
async function attach(
  deps: AttachDeps,
  row: TickedRow,
  rows: readonly TickedRow[],
  replace: boolean,
  by: By,
) {
  const { site: asset, provider, credential, property } = row;
  if (asset === "") return "Name a site, or take the tick away.";
  const rival = rows.find((other) => other.provider === provider && other.site === asset);
  if (rival !== row)
    return `${asset} stands at two ${PROVIDER_WORDS[provider].toLowerCase()} properties of this form: a site has one.`;
  const result = await attachProperty(deps, { asset, provider, credential, property, replace }, by);
  if (result.ok) return result;
  if (result.why === "taken") {
    return `${asset} has ${result.by.property} already. Detach it first, or tick above that it is replaced.`;
  }
  if (result.why === "no_site") return "There is no site with this identifier.";
  if (result.why === "no_credential") return "Its credential was removed meanwhile.";
  if (result.why === "unreadable") return "Its credential cannot be read with this installation's key.";
  return "Its credential is not one for this provider.";
}

function page(
  deps: AttachDeps,
  visit: Pick<Visit<SignedIn, unknown, typeof attachAddress.usual, unknown, unknown>, "query" | "page">,
  done: { readonly refused: ReadonlyMap<string, RefusedRow>; readonly attached: number } | null = null,
): Response {
  const { db } = deps.store;
  const [sites, properties] = [listSites(db), listProperties(db)];
  const all = propertyRows({ properties, attachments: listAttachments(db), sites });
  const view = attachView(all, visit.query);
  const refused = done?.refused ?? new Map<string, RefusedRow>();
  return visit.page(
    <AttachPage
      query={visit.query}
      view={view}
      sites={sites.filter(({ lifecycle }) => lifecycle !== "retired").map(({ id }) => id)}
      refused={refused}
      attachedNow={done?.attached ?? 0}
      has={{ credential: deps.credentials.list().length > 0, property: properties.length > 0 }}
    />,
    { status: done === null ? 200 : 422 },
  );
}
