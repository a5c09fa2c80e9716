/** Reading a report from the files that it came in, row by row: what it says, or why it is none. Nothing of it is kept but what is told. */

import { JsonList } from "../../lib/json_list.ts";
import { UnquotedJson } from "../../lib/unquoted_json.ts";
import { SpoolFault } from "../../platform/spool.ts";
import type { Outcome } from "../contract.ts";
import { refused } from "../fault.ts";
import type { FaultCode } from "../fault_codes.ts";
import { dayIn } from "../report_days.ts";
import { AnalyticsReader } from "./analytics_rows.ts";
import { ContentDigest } from "./content_digest.ts";
import type { RawPage, RawReport, ReadReport, ReportRow } from "./contract.ts";
import { KeySet } from "./key_set.ts";
import type { PageReader } from "./page_reader.ts";
import { REDACTED } from "./redactor.ts";
import { SearchConsoleReader } from "./search_console_rows.ts";
import { WebmasterToolsReader } from "./webmaster_tools_rows.ts";

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
  readonly #seen = new KeySet();
  #rows = 0;
  #newest: number | undefined;

  constructor(raw: RawReport, onRow: (row: ReportRow) => void) {
    this.#raw = raw;
    this.#reader = readerOf(raw);
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
    return { ok: true, value: { rows: this.#rows, timeZone, notes, content, newest: this.#newest } };
  }

  #row(item: unknown, page: RawPage): FaultCode | undefined {
    const row = this.#reader.row(item, page);
    if (typeof row === "string") return row;
    const { keys, values } = row;
    this.#digest.add([page.step, keys, values]);
    if (page.step === "values") return undefined;
    // Two searches that held one secret in two spellings read the same without it.
    const isRedacted = keys.some((key) => key.includes(REDACTED));
    if (this.#reader.isKeyed && !isRedacted && !this.#seen.add(keys)) return this.#twice();
    this.#rows++;
    const { dayKey } = this.#reader;
    const day = dayKey === undefined ? undefined : dayIn(keys[dayKey] ?? "");
    if (day !== undefined) this.#newest = Math.max(this.#newest ?? day, day);
    this.#onRow(row);
    return undefined;
  }

  /** What moved from one page to the next between two questions stands twice, and something else not at all. */
  #twice(): FaultCode {
    if (this.#raw.asked.family.dimensions.length === 1 && this.#reader.dayKey === 0) return "other_days";
    return this.#raw.pages.length > 1 ? "rows_not_all_fetched" : "row_twice";
  }
}

function readerOf({ asked, askedAt }: RawReport): PageReader {
  switch (asked.family.provider) {
    case "analytics":
      return new AnalyticsReader(asked);
    case "search-console":
      return new SearchConsoleReader(asked);
    case "webmaster-tools":
      return new WebmasterToolsReader(asked, askedAt);
  }
}
