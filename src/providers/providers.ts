/**
 * Providers: Google Analytics, Search Console and Webmaster Tools with their daily figures and archive reports, and DataForSEO (`serp`).
 * Everything that is asked of them, what their answers come to, and the sealed credentials that they are asked with.
 *
 * - Daily figures: `queued_request.ts` (whose turn it is, with which credential) → `askDaily` here → the provider's own file →
 *   `client.ts` (HTTP) → `answers.ts` (is it an answer at all) → `parseDaily`, on a worker.
 * - Archive reports: `reports.ts` → the provider's own file → `report_pages.ts` (pages into files, secrets taken out).
 * - Credentials: `given_file.ts` (reads what an operator gives) → `credential_changes.ts` → `sealing.ts` → `credentials.ts` (rows).
 *
 * Start reading with `adapter.ts` and `search_console.ts`, the shortest provider.
 *
 * A further provider, step by step. After the first one `bun run check` names every table that lacks it; what it cannot name is marked (by hand):
 * 1. `adapter.ts`: its name in `PROVIDERS` and `PROVIDER_NAMES`, its daily figures in `SIGNAL_METRICS`, and in `NO_COUNTS` those that are
 *    none (by hand). A figure that is new is called something in `tower/site/lanes.ts`.
 * 2. Its base address: `base/config.ts` (by hand). Its pace: `queued_request.ts`. The kind of its credential: `KIND_OF`
 *    (`credentials.ts`); what goes wrong with it: `traps.ts` (by hand); its ids: `readPropertyId` in `properties.ts` (by hand). A new kind also
 *    needs a class in `secret.ts`, a reader in `given_file.ts` (with its `mistaken`), `sameAccount` in `credential_changes.ts`, its account and text in `sealing.ts`, and its form in
 *    `tower/settings/credentials.tsx`.
 * 3. `<provider>.ts` with `askDays`, `parseDays`, `discover` and its errors as an `ErrorTable`; an entry in `ADAPTERS` below.
 *    A reason for no answer that is new is an entry of `faults.ts`. Where the list of properties is not the whole test of an account:
 *    `signals/account_check.ts` (by hand).
 * 4. A reader of reports in its file, and its families in `report_families.ts`. What is kept of each is in `archive/insight_fold.ts`, what
 *    it is a part of in `archive/site_insights.ts`, what it costs in `archive/archive.ts`; its calendar is `providerDay` (`archive/plan.ts`). Reports
 *    that may still change, and the last final day where the provider says it: `archive/store_report.ts`, `archive/property_run.ts` (by hand).
 * 5. Which of its days are settled, and how late they usually are: `signals/decide.ts`. Which job pulls it: `ASKED_BY` in `signals/pull.ts`; a
 *    job of its own stands in `app/schedule.ts`, `tower/kit/job_words.ts`, `tower/kit/monitoring_words.tsx` and `tower/flags/inbox.ts` (by hand).
 *    Where its answers reach to the newest day that they hold: `signals/signal_list.ts` (by hand).
 * 6. What of it is monitored: `READS` in `health/catalogue.ts`. What it gives: `tower/kit/provider_words.ts`; whom a notice names:
 *    `notices/causes.ts`; its reports' words and panels: `tower/site/family_words.ts`, `tower/site/search_traffic.tsx` (by hand, named by tests).
 * 7. A simulator: its server's name in `demo/simulator/script.ts`, its answers in a file beside `search_console.ts` there, its address in
 *    `demo/simulator/simulators.ts` (by hand), beside `world.ts`, `accounts.ts`, `main.ts` and the days of `script.ts` there.
 * 8. Its rows in both `fault_table_test.ts` (`test/providers`, `test/signals`); the types and the tests of jobs name the rest. `bun run
 *    db:generate` where a table changed. `.github/docs`: providers, commands, settings, operating (its alert names the nightly jobs).
 * Without a list of properties the credential names them; without families for the archive the entry is `[]`, and `health/catalogue.ts` has no
 * capability of its archive.
 * Only webmaster tools are found by a site's address (`signals/matched_site.ts`), only analytics tell of traffic right now
 * (`signals/live_traffic.ts`), and only their figures depend on consent (`rules/flow_series.ts`).
 */

import {
  type AskedDays,
  type DailyQuestion,
  type DailyReport,
  type DiscoveredProperty,
  isNamed,
  type Provider,
  type RawDaily,
} from "./adapter.ts";
import * as analytics from "./analytics.ts";
import { askAnalyticsReport, kindOf } from "./analytics_reports.ts";
import { type Asked, type ProviderClient, read } from "./client.ts";
import { type Outcome, refused } from "./faults.ts";
import type { RawReport, ReportAsked } from "./report_families.ts";
import type { PageFiles, PageReader } from "./report_pages.ts";
import * as searchConsole from "./search_console.ts";
import { askSearchConsoleReport, SearchConsoleReader } from "./search_console.ts";
import * as webmasterTools from "./webmaster_tools.ts";
import { askWebmasterToolsReport, WebmasterToolsReader } from "./webmaster_tools.ts";

interface Adapter {
  askDays(client: ProviderClient, property: string, question: DailyQuestion): Promise<Asked<AskedDays>>;
  /** Pure, and may run anywhere. */
  parseDays(raw: RawDaily): Outcome<DailyReport>;
  discover(client: ProviderClient): Promise<Asked<readonly DiscoveredProperty[]>>;
  askReport(client: ProviderClient, asked: ReportAsked, files: PageFiles): Promise<Asked<RawReport>>;
  reader(raw: RawReport): PageReader;
}

export const ADAPTERS: Readonly<Record<Provider, Adapter>> = {
  analytics: {
    ...analytics,
    parseDays: ({ body, asked }) => analytics.parseDays(body, asked),
    askReport: askAnalyticsReport,
    reader: ({ asked }) => new analytics.AnalyticsReader(kindOf(asked)),
  },
  "search-console": {
    ...searchConsole,
    parseDays: ({ body, asked }) => searchConsole.parseDays(body, asked),
    askReport: askSearchConsoleReport,
    reader: ({ asked }) => new SearchConsoleReader(asked.family),
  },
  "webmaster-tools": {
    ...webmasterTools,
    parseDays: ({ body, askedAt }) => webmasterTools.parseDays(body, askedAt),
    askReport: askWebmasterToolsReport,
    reader: ({ asked, askedAt }) => new WebmasterToolsReader(asked.family.name, askedAt),
  },
};

/** The daily figures of a property: of the last 97 days, or all that webmaster tools keep. Never throws for what the other side does. */
export async function askDaily(
  client: ProviderClient,
  provider: Provider,
  property: string,
  question: DailyQuestion,
): Promise<Asked<RawDaily>> {
  if (!isNamed(property)) return { outcome: refused("property_malformed"), requests: 0 };
  const asked = await ADAPTERS[provider].askDays(client, property, question);
  const of = { provider, property, askedAt: question.now };
  return read(asked, (days) => ({ ok: true, value: { ...of, ...days } }));
}

/** The report in what was answered: pure, and may run anywhere. */
export const parseDaily = (raw: RawDaily): Outcome<DailyReport> => ADAPTERS[raw.provider].parseDays(raw);

/** Every property that the credential gives access to, those that cannot be used among them. */
export const discover = (client: ProviderClient, provider: Provider) => ADAPTERS[provider].discover(client);
