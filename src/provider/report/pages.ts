/** The pages of one report as they are asked for, each into a file of the spool: how much of it came, and why no more did. */
import { JsonList } from "../../lib/json_list.ts";
import { UnquotedJson } from "../../lib/unquoted_json.ts";
import type { BodySink } from "../../platform/http.ts";
import type { Spool, SpoolFile } from "../../platform/spool.ts";
import type { Body } from "../answer.ts";
import type { ProviderClient } from "../client.ts";
import { type Fault, isLimit } from "../contract.ts";
import { faultOf } from "../fault.ts";
import type { Asked, Question } from "../question.ts";
import type { RawPage, RawReport, ReportAsked, ReportCut } from "./contract.ts";
import { Redactor, secretsOf } from "./redactor.ts";

/** Which page of a report it is. */
export type PagePlace = Pick<RawPage, "step" | "value" | "offset">;

/** What is known of a page when it is there: whether it is a report, reading it says. */
export interface PageSeen {
  /** Its rows; undefined where it has no list of them. */
  readonly items: number | undefined;
  /** All of it but its rows; undefined where it is no JSON. */
  readonly rest: unknown;
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
  readonly #spool: Spool;
  readonly #door: PageDoor;
  readonly #askedAt: number;
  readonly #pages: RawPage[] = [];
  #requests = 0;
  #cut: ReportCut | undefined;
  #failure: Fault | undefined;
  #isOver = false;

  constructor(client: ProviderClient, asked: ReportAsked, spool: Spool, door: PageDoor) {
    this.#client = client;
    this.#asked = asked;
    this.#spool = spool;
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

  /** Asks for a page; undefined where it did not come whole. `onItems` is told its rows. Throws `SpoolFault`. */
  async ask(
    question: Omit<Question, "maxBytes" | "into">,
    place: PagePlace,
    onItems?: (items: readonly unknown[]) => void,
  ): Promise<PageSeen | undefined> {
    const path = this.#spool.file();
    const file = this.#spool.sink(path);
    let list = new JsonList(this.#door.list, onItems);
    try {
      const left = this.#asked.bounds.bytes - this.#pages.reduce((sum, { bytes }) => sum + bytes, 0);
      const { outcome, requests } = await this.#door.ask({
        ...question,
        maxBytes: Math.max(0, left),
        into: (accessToken) =>
          throughRedactor(new Redactor(secretsOf(this.#client.secret, accessToken)), file, () => {
            list = new JsonList(this.#door.list, onItems);
            return list;
          }),
      });
      this.#requests += requests;
      if (!outcome.ok) {
        await this.#fail(outcome.fault, path, file, place);
        return undefined;
      }
      this.#pages.push({ ...place, path, bytes: file.bytes });
      const { state, items, rest } = list.end();
      if (state !== "cut") return { items, rest };
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
  async #fail(fault: Fault, path: string, file: SpoolFile, place: PagePlace): Promise<void> {
    const isPart = fault.code === "report_too_large" || fault.code === "report_cut_off";
    if (isPart && file.bytes > 0) this.#pages.push({ ...place, path, bytes: file.bytes });
    else await this.#spool.remove([path]);
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
    await this.#spool.remove([...others, ...this.#pages.map(({ path }) => path)]);
  }
}

/** An answer on its way into a file: without secrets, its rows counted. */
function throughRedactor(redactor: Redactor, file: SpoolFile, listOf: () => JsonList): BodySink {
  let list = listOf();
  let unquoted = new UnquotedJson();
  const tell = async (pieces: readonly Uint8Array[]) => {
    for (const piece of pieces) {
      list.push(unquoted.push(piece));
      await file.write(piece);
    }
  };
  return {
    begin: () => {
      redactor.begin();
      list = listOf();
      unquoted = new UnquotedJson();
      return file.begin();
    },
    write: (piece) => tell(redactor.push(piece)),
    end: async () => {
      try {
        await tell(redactor.end());
      } finally {
        await file.end();
      }
    },
  };
}
