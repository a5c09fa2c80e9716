/**
 * Providers: Google Analytics, Search Console and Webmaster Tools with their daily figures and archive reports, and DataForSEO (`serp`).
 * Everything that is asked of them, what their answers come to, and the sealed credentials that they are asked with.
 *
 * - Daily figures: `queued_request.ts` (whose turn it is, with which credential) → `askDaily` here → the provider's own file →
 *   `client.ts` (HTTP) → `answers.ts` (is it an answer at all) → `parseDaily`, on a worker.
 * - Archive reports: `askReport` here → the provider's own file → `report_pages.ts` (pages into files, secrets taken out).
 * - Credentials: `given_file.ts` (reads what an operator gives) → `signals/credential_changes.ts` → `sealing.ts` → `credentials.ts` (rows).
 *
 * Start reading with `adapter.ts` and `search_console.ts`.
 *
 * A further provider, step by step. After the first one `bun run check` names every table that lacks it; what it cannot name is marked (by hand):
 * 1. `adapter.ts`: its name in `PROVIDERS` and `PROVIDER_NAMES`, its daily figures in `SIGNAL_METRICS`, and in `NO_COUNTS` those that are
 *    none (by hand). A figure that is new is called something in `tower/site/lanes.ts`.
 *    The help of commands and the constants document name it, too: `app/accounts.ts`, `app/properties.ts`, `sites/constants.toml` (by hand).
 * 2. Its base address: `base/config.ts`. Its pace: `queued_request.ts`. The kind of its credential: `KIND_OF`
 *    (`credentials.ts`); what goes wrong with it: `given_file.ts` (by hand); its ids: `readPropertyId` in `properties.ts` (by hand). A new kind also
 *    needs an interface, its account and text in `sealing.ts`, a reader in `given_file.ts` (with its `mistaken`), `sameAccount` in `signals/credential_changes.ts`, and its form in
 *    `tower/settings/credentials.tsx`.
 * 3. `<provider>.ts` with `askDays`, `parseDays`, `discover` and its errors as an `ErrorTable`; an entry in `ADAPTERS` below.
 *    A reason for no answer that is new is an entry of `faults.ts`. Where the list of properties is not the whole test of an account:
 *    `signals/account_check.ts` (by hand).
 * 4. A reader of reports in its file, and its families in `report_families.ts`. What is kept of each is in `archive/insight_fold.ts`, what
 *    it is a part of in `archive/site_insights.ts`, what it costs in `archive/archive.ts`; its calendar is `providerDay` (`archive/plan.ts`). Reports
 *    that may still change, and the last final day where the provider says it: `archive/store_report.ts`, `archive/property_run.ts` (by hand).
 * 5. Which of its days are settled, and how late they usually are: `signals/decide.ts`. Which job pulls it: `ASKED_BY` in `signals/pull.ts`; the
 *    words of `sense` name it in `tower/kit/words.tsx`; a job of its own stands there, in `app/schedule.ts` and `tower/flags/inbox.ts` (by hand).
 *    Where its answers reach to the newest day that they hold: `signals/signal_list.ts` (by hand).
 * 6. What of it is monitored: `READS` in `health/catalogue.ts`. What it gives: `tower/kit/words.tsx`; whom a notice names:
 *    `VENDORS` in `integrations/attention.ts`; its reports' words and panels: `tower/site/family_words.ts`, `tower/site/search_traffic.tsx` (by hand, named by tests).
 * 7. A simulator: its answers in a file beside `demo/simulator/search_console.ts`, asked in `demo/simulator/simulators.ts` (by hand), what it tells
 *    of in `demo/simulator/world.ts`, its keys in `demo/simulator/accounts.ts`.
 * 8. Its rows in `test/providers/fault_table_test.ts` and `test/signals/fault_table_test.ts`; the types and the tests of jobs name the rest. `bun run
 *    db:generate` where a table changed. `.github/docs`: providers, commands, settings, operating (its alert names the nightly jobs).
 * Without a list of properties the credential names them. Without families for the archive the entry is `[]`, `askReport` and `reader` refuse, and
 * `CAPABILITIES` (`health/catalogue.ts`) leaves its archive out (by hand).
 * Only webmaster tools are found by a site's address (`signals/matched_site.ts`), only analytics tell of traffic right now
 * (`signals/live_traffic.ts`), and only their figures depend on consent (`rules/flow_series.ts`).
 */

import { SpoolFault } from "../base/files.ts";
import { JsonList, UnquotedJson } from "../base/json_list.ts";
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
import { askAnalyticsReport, kindOf } from "./analytics.ts";
import { type Asked, type ProviderClient, read } from "./client.ts";
import { type FaultCode, type Outcome, refused } from "./faults.ts";
import { REDACTED } from "./redactor.ts";
import type { RawPage, RawReport, ReadReport, ReportAsked, ReportRow } from "./report_families.ts";
import { ContentDigest, type PageFiles, type PageReader } from "./report_pages.ts";
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

const ADAPTERS: Readonly<Record<Provider, Adapter>> = {
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

// Archive reports: asked for, and read from the files that they came in, row by row. Nothing of one is kept in memory but what is told.

/**
 * Every page of a report, each in a file of the spool without the secrets that may have stood in it: who asks removes them. A report that
 * ends before its end is an outcome of its own (`cut`); where nothing of it came there are no files. Throws `SpoolFault`, and leaves no
 * files then; nothing that the other side does is thrown.
 */
export async function askReport(
  client: ProviderClient,
  asked: ReportAsked,
  files: PageFiles,
): Promise<Asked<RawReport>> {
  if (!isNamed(asked.property)) return { outcome: refused("property_malformed"), requests: 0 };
  return ADAPTERS[asked.family.provider].askReport(client, asked, files);
}

/**
 * Tells every row in the order in which they came, and then what the report says beside them. Rows that were told are none where it turns
 * out to be no report. Of one that was cut it reads what is there. It reads files and works long: on a worker. Throws `SpoolFault`.
 */
export async function readReport(
  raw: RawReport,
  onRow: (row: ReportRow) => void,
): Promise<Outcome<ReadReport>> {
  const reading = new Reading(raw, onRow);
  for (const page of raw.pages) {
    const fault = await reading.page(page);
    if (fault !== undefined) return refused(fault);
  }
  return reading.report();
}

class Reading {
  readonly #raw: RawReport;
  readonly #reader: PageReader;
  readonly #onRow: (row: ReportRow) => void;
  readonly #digest = new ContentDigest();
  /** Keys that stood before, by 53 bits of their SHA-256: among a hundred thousand rows two are taken for one once in a million reports. */
  readonly #seen = new Set<number>();
  readonly #hash = new Uint32Array(8);
  readonly #hashBytes = new Uint8Array(this.#hash.buffer);
  #rows = 0;

  constructor(raw: RawReport, onRow: (row: ReportRow) => void) {
    this.#raw = raw;
    this.#reader = ADAPTERS[raw.asked.family.provider].reader(raw);
    this.#onRow = onRow;
  }

  /** Why the report is none, as far as this page says. */
  async page(page: RawPage): Promise<FaultCode | undefined> {
    let ofRow: FaultCode | undefined;
    const list = new JsonList(this.#reader.list, (items) => {
      for (const item of items) ofRow ??= this.#row(item, page);
    });
    const unquoted = new UnquotedJson();
    try {
      for await (const chunk of Bun.file(page.path).stream()) list.push(unquoted.push(chunk));
    } catch (error) {
      throw new SpoolFault(error);
    }
    const { state, items, rest } = list.end();
    if (state === "broken") return "unreadable_report";
    if (state === "cut") return this.#raw.cut === undefined ? "report_cut_off" : ofRow;
    // Where the columns are others, what stands in them is no wonder.
    return this.#reader.pageEnds(rest, items, page) ?? ofRow;
  }

  report(): Outcome<ReadReport> {
    const ended = this.#reader.ends(this.#raw.cut === undefined);
    if (typeof ended === "string") return refused(ended);
    const { timeZone, notes } = ended;
    const content = this.#digest.hex([timeZone ?? null, [...notes].sort()]);
    return { ok: true, value: { rows: this.#rows, timeZone, notes, content } };
  }

  #row(item: unknown, page: RawPage): FaultCode | undefined {
    const row = this.#reader.row(item, page);
    if (typeof row === "string") return row;
    const { keys, values } = row;
    this.#digest.add([page.step, keys, values]);
    if (page.step === "values") return undefined;
    // Two searches that held one secret in two spellings read the same without it.
    const isRedacted = keys.some((key) => key.includes(REDACTED));
    if (this.#reader.isKeyed && !isRedacted && this.#stoodBefore(keys)) return this.#twice();
    this.#rows++;
    this.#onRow(row);
    return undefined;
  }

  #stoodBefore(keys: readonly string[]): boolean {
    Bun.SHA256.hash(JSON.stringify(keys), this.#hashBytes);
    const [low = 0, high = 0] = this.#hash;
    const rows = this.#seen.size;
    return this.#seen.add((high >>> 11) * 2 ** 32 + low).size === rows;
  }

  /** What moved from one page to the next between two questions stands twice, and something else not at all. */
  #twice(): FaultCode {
    if (this.#raw.asked.family.dimensions.length === 1 && this.#reader.dayKey === 0) return "other_days";
    return this.#raw.pages.length > 1 ? "rows_not_all_fetched" : "row_twice";
  }
}
