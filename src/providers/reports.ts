/** Archive reports: asked for, and read from the files that they came in, row by row. Nothing of one is kept in memory but what is told. */

import { SpoolFault } from "../base/files.ts";
import { JsonList, UnquotedJson } from "../base/json_list.ts";
import { dayIn, isNamed } from "./adapter.ts";
import type { Asked, ProviderClient } from "./client.ts";
import { type FaultCode, type Outcome, refused } from "./faults.ts";
import { ADAPTERS } from "./providers.ts";
import { REDACTED } from "./redactor.ts";
import type { RawPage, RawReport, ReadReport, ReportAsked, ReportRow } from "./report_families.ts";
import { ContentDigest, type PageFiles, type PageReader } from "./report_pages.ts";

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
  #newest: number | undefined;

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
    if (this.#reader.isKeyed && !isRedacted && this.#stoodBefore(keys)) return this.#twice();
    this.#rows++;
    const { dayKey } = this.#reader;
    const day = dayKey === undefined ? undefined : dayIn(keys[dayKey] ?? "");
    if (day !== undefined) this.#newest = Math.max(this.#newest ?? day, day);
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
