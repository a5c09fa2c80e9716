/** A page of a report on its way into a file: without secrets, its rows counted. It looks at every byte: on a worker. */
import { JsonList } from "../../lib/json_list.ts";
import { UnquotedJson } from "../../lib/unquoted_json.ts";
import type { BodySink } from "../../platform/http.ts";
import { SpoolFile } from "../../platform/spool.ts";
import { type AnswerSecrets, Redactor } from "./redactor.ts";

/** Where a page goes, and what is to be known of it. Plain data: it travels to a worker. */
export interface PageAsked {
  /** A file of the spool that is not there yet. */
  readonly path: string;
  readonly secrets: AnswerSecrets;
  /** The name of the list of rows. */
  readonly list: string;
  /** How many of the first rows are wanted as they are. */
  readonly firstRows: number;
}

/** What is known of a page when it is there: whether it is a report, reading it says. */
export interface PageSeen {
  /** Bytes in its file. */
  readonly bytes: number;
  /** Secrets that were taken out of them. */
  readonly secrets: number;
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
    const { taken: secrets } = this.#redactor;
    const { bytes } = this.#file;
    this.#seen = { bytes, secrets, isCut: state === "cut", items, first: this.#first, rest };
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
