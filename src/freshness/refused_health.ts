/**
 * What refused reports say of the sending, told to the health of the ingest as they are written down. A good report costs its answer
 * nothing: that it came is read from what is stored of it; only where it ends refusals in a row is it told here, as what they ended with.
 */
import type { Tx } from "../db/mod.ts";
import { recordBeside, type Scope } from "../health/mod.ts";
import { REPORT_ROUTES, type RefusalListener, refusalCategory } from "../refusals/mod.ts";

/** What is monitored of a site that sends reports of a kind. */
export function ingestScope(workspace: string, asset: string, report: keyof typeof REPORT_ROUTES): Scope {
  return {
    workspace,
    provider: "ingest",
    connectionRevision: "",
    capability: `ingest.${report}`,
    asset,
    target: "",
    family: "",
  };
}

const REPORTS = Object.entries(REPORT_ROUTES) as [keyof typeof REPORT_ROUTES, string][];

/** Hears of refusals as they are written down: one outcome a time, site and route, however many there were. */
export function ingestHealth(workspace: string): RefusalListener {
  const tell = (
    tx: Tx,
    { asset, route }: { readonly asset: string; readonly route: string },
    outcome: {
      readonly attempt: string;
      readonly at: number;
      readonly category?: ReturnType<typeof refusalCategory>;
    },
  ): void => {
    const report = REPORTS.find(([, known]) => known === route)?.[0];
    if (report === undefined) return;
    const { attempt, at, category } = outcome;
    recordBeside(tx, ingestScope(workspace, asset, report), {
      attempt,
      startedAt: at,
      observedAt: at,
      result:
        category === undefined
          ? { ok: true, coveredDate: null }
          : { ok: false, category, code: null, nextRetryAt: null },
    });
  };
  return {
    refused: (tx, streak) => {
      const { code, lastAt } = streak;
      tell(tx, streak, { attempt: `refused:${lastAt}:${code}`, at: lastAt, category: refusalCategory(code) });
    },
    ended: (tx, streak) => tell(tx, streak, { attempt: `accepted:${streak.at}`, at: streak.at }),
  };
}
