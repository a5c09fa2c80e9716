/** The pages of one report as they are asked for, each into a file of the spool: how much of it came, and why no more did. */
import type { Spool } from "../../platform/spool.ts";
import type { Body } from "../answer.ts";
import type { ProviderClient } from "../client.ts";
import { type Fault, isLimit } from "../contract.ts";
import { faultOf } from "../fault.ts";
import type { Asked, Question } from "../question.ts";
import type { RawPage, RawReport, ReportAsked, ReportCut } from "./contract.ts";
import type { PageAsked, PageSeen, PageSink } from "./page_file.ts";
import { secretsOf } from "./redactor.ts";

/** Which page of a report it is. */
export type PagePlace = Pick<RawPage, "step" | "value" | "offset">;

/** Where pages go. */
export interface PageFiles {
  readonly spool: Spool;
  open(asked: PageAsked): PageSink;
}

/** How the pages of a provider are asked for. */
export interface PageDoor {
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
      const page = { ...place, path, bytes: seen?.bytes ?? 0, secrets: seen?.secrets ?? 0 };
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
