/**
 * Providers: Google Analytics, Search Console and Webmaster Tools with their daily figures and archive reports, and DataForSEO (`serp`).
 * Everything that is asked of them, what their answers come to, and the sealed credentials that they are asked with.
 *
 * - Daily figures: `queued_request.ts` (whose turn it is, with which credential) → `askDaily` here → the provider's own file →
 *   `client.ts` (HTTP) → `answers.ts` (is it an answer at all) → `parseDaily`, on a worker.
 * - Archive reports: `reports.ts` → `analytics_reports.ts` and its like → `report_pages.ts` (pages into files, secrets taken out).
 * - Credentials: `given_file.ts` (reads what an operator gives) → `credential_changes.ts` → `sealing.ts` → `credentials.ts` (rows).
 *
 * Start reading with `adapter.ts` and `search_console.ts`, the shortest provider.
 *
 * A further provider, step by step; after the first one `bun run check` names every table that lacks it:
 * 1. `adapter.ts`: its name in `PROVIDERS` and `PROVIDER_NAMES`, its daily figures in `SIGNAL_METRICS`.
 * 2. Its base address in `base/config.ts`, its pace in `queued_request.ts`, the kind of its credential in `KIND_OF` (`credentials.ts`).
 *    A new kind also needs a class in `secret.ts`, a reader in `given_file.ts`, and its account and text in `sealing.ts`.
 * 3. `<provider>.ts` with `askDays`, `parseDays`, `discover`, `test` and its errors as an `ErrorTable`; an entry in `ADAPTERS` below.
 *    A reason for no answer that is new is a line of `faults.ts`.
 * 4. `<provider>_reports.ts` with a reader, and its families in `report_families.ts`: without families nothing of it is archived.
 * 5. Which of its days are settled, and how late they usually are: `signals/decide.ts`. When it is pulled: `SENSED` in `signals/pull.ts`.
 * 6. A simulator: its server's name in `demo/simulator/script.ts`, its answers in a file beside `search_console.ts` there.
 * 7. `bun run db:generate` (the providers' names are columns), and its rows in `test/signals/fault_table_test.ts`.
 */

import {
  type DailyQuestion,
  type DailyReport,
  type DiscoveredProperty,
  isNamed,
  type Provider,
  type RawDaily,
} from "./adapter.ts";
import * as analytics from "./analytics.ts";
import { AnalyticsReader, askAnalyticsReport } from "./analytics_reports.ts";
import type { Asked, ProviderClient } from "./client.ts";
import { type Outcome, refused } from "./faults.ts";
import type { RawReport, ReportAsked } from "./report_families.ts";
import type { PageFiles, PageReader } from "./report_pages.ts";
import * as searchConsole from "./search_console.ts";
import { askSearchConsoleReport, SearchConsoleReader } from "./search_console_reports.ts";
import * as webmasterTools from "./webmaster_tools.ts";
import { askWebmasterToolsReport, WebmasterToolsReader } from "./webmaster_tools_reports.ts";

interface Adapter {
  askDays(client: ProviderClient, property: string, question: DailyQuestion): Promise<Asked<RawDaily>>;
  /** Pure, and may run anywhere. */
  parseDays(raw: RawDaily): Outcome<DailyReport>;
  discover(client: ProviderClient): Promise<Asked<readonly DiscoveredProperty[]>>;
  test(client: ProviderClient): Promise<Asked<void>>;
  askReport(client: ProviderClient, asked: ReportAsked, files: PageFiles): Promise<Asked<RawReport>>;
  reader(raw: RawReport): PageReader;
}

export const ADAPTERS: Readonly<Record<Provider, Adapter>> = {
  analytics: {
    ...analytics,
    parseDays: ({ bodies, asked }) => analytics.parseDays(bodies, asked),
    askReport: askAnalyticsReport,
    reader: ({ asked }) => new AnalyticsReader(asked),
  },
  "search-console": {
    ...searchConsole,
    parseDays: ({ bodies: [body = ""], asked }) => searchConsole.parseDays(body, asked),
    askReport: askSearchConsoleReport,
    reader: ({ asked }) => new SearchConsoleReader(asked),
  },
  "webmaster-tools": {
    ...webmasterTools,
    parseDays: ({ bodies: [body = ""], askedAt }) => webmasterTools.parseDays(body, askedAt),
    askReport: askWebmasterToolsReport,
    reader: ({ asked, askedAt }) => new WebmasterToolsReader(asked, askedAt),
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
  return ADAPTERS[provider].askDays(client, property, question);
}

/** The report in what was answered: pure, and may run anywhere. */
export const parseDaily = (raw: RawDaily): Outcome<DailyReport> => ADAPTERS[raw.provider].parseDays(raw);

/** Every property that the credential gives access to, those that cannot be used among them. */
export const discover = (client: ProviderClient, provider: Provider) => ADAPTERS[provider].discover(client);

/** Whether the provider answers with this credential. It may all the same give access to no property. */
export const testConnection = (client: ProviderClient, provider: Provider) => ADAPTERS[provider].test(client);
