import { listPortfolio } from "../../assets/mod.ts";
import type { ConstantsStore } from "../../constants/mod.ts";
import type { Db } from "../../db/mod.ts";
import { isCurrency } from "../../ledger/amount.ts";
import { importLedger, MAX_CSV_BYTES } from "../../ledger/csv.ts";
import { ledgerMonths } from "../../ledger/month_store.ts";
import { Problem } from "../../platform/problem.ts";
import type { Filled } from "../component/field.tsx";
import type { SiteHead } from "../component/site_header.tsx";
import { type ConfirmDeps, confirmed, isAskedAgain } from "../confirm/confirmed_form.tsx";
import { withNotice } from "../cookies.ts";
import { own } from "../kit/gates.ts";
import { get, type Moment, mounted, type SignedInActor } from "../kit/route.ts";
import type { Visit } from "../kit/visit.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { ledgerCsv } from "./export.ts";
import { LedgerPage } from "./page.tsx";
import { PreviewPage, UploadPage } from "./upload.tsx";
import { type LedgerQuery, ledgerAddress } from "./view.ts";

/** Largest form, in bytes: the file goes along in the one that confirms it, as base64. */
const MOST_FORM_BYTES = 1.5 * MAX_CSV_BYTES;

export interface LedgerPagesDeps extends PageDeps, ConfirmDeps, SiteHeadDeps {
  readonly db: Db;
  readonly constants: Pick<ConstantsStore, "current" | "refresh">;
}

type PageVisit = Pick<
  Visit<SignedInActor, unknown, LedgerQuery, unknown, unknown>,
  "shell" | "query" | "now"
>;

/** `/ledger`, a site's tab of it, the rows as a file, and uploading some. */
export function ledgerPages(deps: LedgerPagesDeps) {
  const { db } = deps;
  const sure = confirmed({ takesFiles: true, maxBytes: MOST_FORM_BYTES, isAct });
  return mounted(deps, [
    get(paths.ledger, { query: ledgerAddress }, (visit) => page(visit, null)),
    get(
      paths.siteLedger,
      {
        query: ledgerAddress,
        find: ({ asset }: { readonly asset: string }, at: Moment) => siteHead(deps, asset, at),
      },
      (visit) => page(visit, visit.found),
    ),
    get(paths.ledgerCsv, {}, ({ query }) => {
      const [currency, asset] = [query.get("currency") ?? "", query.get("asset") ?? undefined];
      if (!isCurrency(currency)) throw new Problem("not-found", "Name a currency, such as EUR.");
      return new Response(ledgerCsv(db, { currency, asset }), {
        headers: {
          "content-type": "text/csv; charset=utf-8; header=present",
          "content-disposition": `attachment; filename="ledger-${currency}.csv"`,
          "cache-control": "private, no-cache",
        },
      });
    }),
    own.get(paths.ledgerUpload, {}, ({ shell }) => <UploadPage shell={shell} filled={NOTHING} />),
    sure.post(paths.ledgerUpload, {}, async (visit) => {
      const { form, shell, actor, now } = visit;
      const [kind, isStored] = [form.get("rows") === "costs" ? "costs" : "revenue", isAct(form)] as const;
      const text = isStored
        ? Buffer.from(form.get("csv") ?? "", "base64url").toString()
        : (form.get("file") ?? "");
      const error = faultOf(text);
      if (error !== undefined) {
        const filled = { values: { rows: kind }, errors: { file: error } };
        return visit.page(<UploadPage shell={shell} filled={filled} />, { status: 422 });
      }
      await deps.constants.refresh();
      const rates = deps.constants.current().constants.ledger.operator_rates;
      const by = { by: actor.name, now, rates, dryRun: !isStored };
      const imported = await importLedger(deps, kind, new TextEncoder().encode(text), by);
      const isGood = imported.bad.length === 0;
      if (isStored && isGood) return seeOther(withNotice(paths.ledger, "ledger-stored"));
      const asksPassword = isAskedAgain(visit.who, now);
      const props = { shell, kind, text, ...imported, asksPassword };
      return visit.page(<PreviewPage {...props} />, { status: isGood ? 200 : 422 });
    }),
  ]);

  function page({ shell, query, now }: PageVisit, site: SiteHead | null) {
    const asset = site?.asset ?? query.asset ?? undefined;
    return (
      <LedgerPage
        shell={shell}
        site={site}
        query={query}
        currencies={ledgerMonths(db, monthsUpTo(now, query.months), asset)}
        sites={site === null ? listPortfolio(db).map(({ id }) => id) : []}
      />
    );
  }
}

/** Whether a form stores what it holds, and does not only look at it. */
const isAct = (form: URLSearchParams): boolean => form.get("act") === "store";

/** What is wrong with a file before any of its lines is looked at; bytes that are no UTF-8 came as U+FFFD. */
function faultOf(text: string): string | undefined {
  if (text.trim() === "") return "Choose a CSV file that is not empty.";
  if (text.length > MAX_CSV_BYTES) return "It is larger than 4 MiB: split it.";
  return text.includes("\uFFFD") ? "It is not UTF-8: save it as CSV UTF-8." : undefined;
}

const NOTHING: Filled = { values: {}, errors: {} };

/** The months up to the present one, oldest first. */
function monthsUpTo(now: number, count: number): readonly string[] {
  const at = new Date(now);
  return Array.from({ length: count }, (_, place) =>
    new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - count + 1 + place)).toISOString().slice(0, 7),
  );
}
