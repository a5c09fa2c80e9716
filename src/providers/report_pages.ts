/** The pages of one report as they are asked for, each into a file of the spool: how much of it came, and why no more did. */

import * as v from "valibot";
import { type Spool, SpoolFile } from "../base/files.ts";
import type { BodySink } from "../base/http_client.ts";
import { JsonList, UnquotedJson } from "../base/json_list.ts";
import { sha256Hex } from "../base/keys.ts";
import type { ReportNote } from "./adapter.ts";
import { type Body, shaped, unwrapped } from "./answers.ts";
import type { Asked, ProviderClient, Question } from "./client.ts";
import { type Fault, type FaultCode, faultOf, isLimit, refused } from "./faults.ts";
import { Redactor, secretsOf } from "./redactor.ts";
import type { RawPage, RawReport, ReportAsked, ReportCut, ReportRow } from "./report_families.ts";

/** Which page of a report it is. */
export type PagePlace = Pick<RawPage, "step" | "value">;

/** Where pages go. */
export interface PageFiles {
  readonly spool: Spool;
  open(asked: PageAsked): PageSink;
}

/** How the pages of a provider are asked for. */
interface PageDoor {
  /** The name of the list of rows. */
  readonly list: string;
  ask(question: Question): Promise<Asked<Body>>;
}

export class ReportPages {
  readonly #client: ProviderClient;
  readonly #asked: ReportAsked;
  readonly #files: PageFiles;
  readonly #door: PageDoor;
  readonly #askedAt: number;
  readonly #pages: RawPage[] = [];
  #requests = 0;
  #cut: ReportCut | undefined;
  #failure: Fault | undefined;
  #isOver = false;

  constructor(client: ProviderClient, asked: ReportAsked, files: PageFiles, door: PageDoor) {
    this.#client = client;
    this.#asked = asked;
    this.#files = files;
    this.#door = door;
    this.#askedAt = client.now();
  }

  /** Whether nothing more of the report is to be asked for. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** It has more rows than are taken of one. */
  endAtRows(): void {
    this.#end({ by: "rows" });
  }

  /** Asks for a page, and for so many of its rows as they are; undefined where it did not come whole. Throws `SpoolFault`. */
  async ask(
    question: Omit<Question, "maxBytes" | "into">,
    place: PagePlace,
    firstRows = 0,
  ): Promise<PageSeen | undefined> {
    const path = this.#files.spool.file();
    const sinks: PageSink[] = [];
    try {
      const left = this.#asked.bounds.bytes - this.#pages.reduce((sum, { bytes }) => sum + bytes, 0);
      const { outcome, requests } = await this.#door.ask({
        ...question,
        maxBytes: Math.max(0, left),
        into: (accessToken) => {
          const secrets = secretsOf(this.#client.secret, accessToken);
          const sink = this.#files.open({ path, secrets, list: this.#door.list, firstRows });
          sinks.push(sink);
          return sink;
        },
      });
      this.#requests += requests;
      const seen = sinks.at(-1)?.seen;
      const page = { ...place, path, bytes: seen?.bytes ?? 0 };
      if (!outcome.ok || seen === undefined) {
        await this.#fail(outcome.ok ? faultOf("not_read") : outcome.fault, page);
        return undefined;
      }
      this.#pages.push(page);
      if (!seen.isCut) return seen;
      this.#end({ by: "fault", fault: faultOf("report_cut_off") });
      return undefined;
    } catch (error) {
      await this.#forget([path]).catch(() => undefined);
      throw error;
    }
  }

  /** What came of it all. */
  async report(): Promise<Asked<RawReport>> {
    const requests = this.#requests;
    if (this.#failure !== undefined) {
      await this.#forget([]);
      return { outcome: { ok: false, fault: this.#failure }, requests };
    }
    const value: RawReport = {
      asked: this.#asked,
      askedAt: this.#askedAt,
      pages: this.#pages,
      cut: this.#cut,
    };
    return { outcome: { ok: true, value }, requests };
  }

  /** What of an answer is part of a report that is kept goes with it; the file of anything else goes. */
  async #fail(fault: Fault, page: RawPage): Promise<void> {
    const isPart = fault.code === "report_too_large" || fault.code === "report_cut_off";
    if (isPart && page.bytes > 0) this.#pages.push(page);
    else await this.#files.spool.remove([page.path]);
    if (fault.code === "report_too_large") return this.#end({ by: "bytes" });
    // What was given up half way is no report that was tried.
    if (this.#pages.length === 0 || fault.code === "stopped") {
      this.#failure = fault;
      this.#isOver = true;
      return;
    }
    this.#cut ??= { by: "fault", fault };
    // Asking on would keep closed what is closed.
    if (fault.scope === "credential" || isLimit(fault.category)) this.#isOver = true;
  }

  #end(cut: ReportCut): void {
    this.#cut ??= cut;
    this.#isOver = true;
  }

  async #forget(others: readonly string[]): Promise<void> {
    await this.#files.spool.remove([...others, ...this.#pages.map(({ path }) => path)]);
  }
}

/** Where a page goes, and what is to be known of it. Plain data: it travels to a worker. */
export interface PageAsked {
  /** A file of the spool that is not there yet. */
  readonly path: string;
  readonly secrets: readonly string[];
  /** The name of the list of rows. */
  readonly list: string;
  /** How many of the first rows are wanted as they are. */
  readonly firstRows: number;
}

/** What is known of a page when it is there: whether it is a report, reading it says. */
export interface PageSeen {
  /** Bytes in its file. */
  readonly bytes: number;
  readonly isCut: boolean;
  /** Its rows; undefined where it has no list of them. */
  readonly items: number | undefined;
  readonly first: readonly unknown[];
  /** All of it but its rows; undefined where it is no JSON. */
  readonly rest: unknown;
}

/** Takes a page. Its methods throw `SpoolFault`. */
export interface PageSink extends BodySink {
  /** What came of it when it is at its end; undefined where nothing was begun. */
  readonly seen: PageSeen | undefined;
}

export class PageFile implements PageSink {
  readonly #asked: PageAsked;
  readonly #file: SpoolFile;
  #redactor: Redactor;
  #list: JsonList;
  #unquoted = new UnquotedJson();
  #first: unknown[] = [];
  #seen: PageSeen | undefined;

  constructor(asked: PageAsked) {
    this.#asked = asked;
    this.#file = new SpoolFile(asked.path);
    this.#redactor = new Redactor(asked.secrets);
    this.#list = this.#newList();
  }

  get seen(): PageSeen | undefined {
    return this.#seen;
  }

  begin(): Promise<void> {
    this.#redactor = new Redactor(this.#asked.secrets);
    this.#list = this.#newList();
    this.#unquoted = new UnquotedJson();
    this.#first = [];
    return this.#file.begin();
  }

  write(piece: Uint8Array): Promise<void> {
    return this.#take(this.#redactor.push(piece));
  }

  async end(): Promise<void> {
    try {
      await this.#take(this.#redactor.end());
    } finally {
      await this.#file.end();
    }
    const { state, items, rest } = this.#list.end();
    const { bytes } = this.#file;
    this.#seen = { bytes, isCut: state === "cut", items, first: this.#first, rest };
  }

  async #take(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      this.#list.push(this.#unquoted.push(piece));
      await this.#file.write(piece);
    }
  }

  #newList(): JsonList {
    const { list, firstRows } = this.#asked;
    if (firstRows === 0) return new JsonList(list);
    return new JsonList(list, (items) => {
      this.#first.push(...items.slice(0, Math.max(0, firstRows - this.#first.length)));
    });
  }
}

/** A row of ours, or why it is none. */
export type RowRead = ReportRow | FaultCode;

/** How the pages of a provider's report are read: its rows as they come, and then what stands beside them. */
export interface PageReader {
  /** The name of the list of rows. */
  readonly list: string;
  row(item: unknown, page: RawPage): RowRead;
  /** What a whole page says beside its rows, of which it has `items` (undefined: no list of them); the fault where that cannot be. */
  pageEnds(rest: unknown, items: number | undefined, page: RawPage): FaultCode | undefined;
  /** What all the pages come to; `isWhole` where the report is not known to end early. */
  ends(isWhole: boolean): FaultCode | PagesRead;
  /** Whether no two rows may have the same keys. */
  readonly isKeyed: boolean;
  /** The place of the day in the keys of a row, `2026-11-18`; undefined where they have none. */
  readonly dayKey: number | undefined;
}

export interface PagesRead {
  readonly timeZone: string | undefined;
  readonly notes: readonly ReportNote[];
}

/**
 * Reads a report that is one answer and fits into memory, in the order in which a report of pages is read: its rows, all that stands beside
 * them (`rest`), and what that comes to.
 */
export function rowsIn(text: string, reader: PageReader) {
  let json: unknown;
  try {
    json = unwrapped(JSON.parse(text));
  } catch {
    return refused("unreadable_report");
  }
  const body = shaped(json, ReportBody);
  if (!body.ok) return body;
  const list = body.value[reader.list];
  const items = Array.isArray(list) ? list : undefined;
  const rest = items === undefined ? body.value : { ...body.value, [reader.list]: [] };
  const page = { path: "", bytes: text.length, step: "rows", value: undefined } as const;
  const fault = reader.pageEnds(rest, items?.length, page);
  if (fault !== undefined) return refused(fault);
  const rows: ReportRow[] = [];
  for (const item of items ?? []) {
    const row = reader.row(item, page);
    if (typeof row === "string") return refused(row);
    rows.push(row);
  }
  const ended = reader.ends(true);
  if (typeof ended === "string") return refused(ended);
  return { ok: true, value: { ...ended, rows, rest } } as const;
}

const ReportBody = v.custom<Readonly<Record<string, unknown>>>(
  (json) => typeof json === "object" && json !== null && !Array.isArray(json),
);

/** The 256 bits as numbers of 32, the lowest first. */
const WORDS = 8;
const BASE = 2 ** 32;

/**
 * A digest of rows that does not depend on their order, in memory that does not grow with them: the sum, modulo 2 to the 256, of the
 * SHA-256 of each. Two sets of rows that differ have the same sum by chance once in 2 to the 256; rows that stand twice count twice,
 * unlike with an exclusive or. It is no protection from somebody who makes rows up on purpose: objects are named by the SHA-256 of their
 * bytes for that.
 */
export class ContentDigest {
  readonly #sum = new Uint32Array(WORDS);
  readonly #hash = new Uint32Array(WORDS);
  readonly #hashBytes = new Uint8Array(this.#hash.buffer);
  #rows = 0;

  /** Anything that JSON writes in one way. */
  add(row: unknown): void {
    Bun.SHA256.hash(JSON.stringify(row), this.#hashBytes);
    this.#rows++;
    let over = 0;
    for (let word = 0; word < WORDS; word++) {
      const sum = (this.#sum[word] as number) + (this.#hash[word] as number) + over;
      this.#sum[word] = sum;
      over = sum >= BASE ? 1 : 0;
    }
  }

  /** In hexadecimal, with what is said beside the rows: half of a SHA-256, since it is kept of every object and only compared. */
  hex(beside: unknown): string {
    return sha256Hex(JSON.stringify([this.#rows, [...this.#sum], beside])).slice(0, 32);
  }
}
