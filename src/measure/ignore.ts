/**
 * `.tower-measure` at the root of the commit: files and findings that the repository's own people want left out, each with their
 * reason. What an entry takes away is counted and told in the report, so that a lower figure never looks like a better one.
 */
import * as v from "valibot";
import { BOUNDS, type CodebaseReport } from "../codebase/contract.ts";
import { boundedList, fields, hasControl, readContract, rule, ruleMessage, text } from "../lib/contract.ts";
import { RepositoryPath } from "../lib/repository_path.ts";
import type { ObjectReader } from "./git/objects.ts";
import { fileOrFolder } from "./glob.ts";
import { NotMeasurableError } from "./refusal.ts";

export const IGNORE_FILE = ".tower-measure";
const MAX_BYTES = 64 * 1024;

/** What an entry can take away. */
const DISMISSIBLE = ["path", "unused-file", "unused-export", "duplicate", "complex-function"] as const;
export type DismissalKind = (typeof DISMISSIBLE)[number];

/** Kinds of findings that have a name of their own beside their path. */
const NAMED: ReadonlySet<string> = new Set<DismissalKind>(["unused-export", "complex-function"]);

function line(max: number) {
  return v.pipe(
    text(max),
    rule<string>("blank", (value) => value.trim() !== "", "must not be empty"),
    rule<string>("control-character", (value) => !hasControl(value), "must not hold a control character"),
  );
}

const Entry = v.pipe(
  fields({
    kind: v.picklist(DISMISSIBLE, ruleMessage("kind", `must be one of ${DISMISSIBLE.join(", ")}`)),
    path: RepositoryPath,
    name: v.exactOptional(line(200)),
    reason: line(200),
  }),
  v.forward(
    v.check(
      ({ kind, name }) => name === undefined || NAMED.has(kind),
      ruleMessage("name", `only goes with ${[...NAMED].join(" and ")}`),
    ),
    ["name"],
  ),
);

const Document = fields({ ignore: v.exactOptional(boundedList(Entry, BOUNDS.dismissed)) });

type IgnoreEntry = v.InferOutput<typeof Entry>;
type Dismissed = NonNullable<CodebaseReport["dismissed"]>;

/** The text of a commit's `.tower-measure`; empty when there is none. Throws NotMeasurableError for one that is no such list. */
export async function readDismissals(objects: ObjectReader, commit: string): Promise<Dismissals> {
  const [info] = await objects.info([`${commit}:${IGNORE_FILE}`]);
  if (info === undefined) return new Dismissals([]);
  if (info.type !== "blob") throw refuse("it must be a file");
  if (info.size > MAX_BYTES) throw refuse("it is larger than 64 KiB");
  let bytes = new Uint8Array(0);
  for await (const content of objects.contents([info.oid])) bytes = content.slice();
  const entries = readIgnoreList(bytes);
  if (typeof entries === "string") throw refuse(entries);
  return new Dismissals(entries);
}

function refuse(fault: string): NotMeasurableError {
  return new NotMeasurableError(`${IGNORE_FILE}: ${fault}.`);
}

/** The entries of a list, or the first thing that is wrong with it: which entry, which field, which rule. */
export function readIgnoreList(bytes: Uint8Array): readonly IgnoreEntry[] | string {
  let document: unknown;
  try {
    document = Bun.TOML.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    return `it cannot be read as TOML${error instanceof SyntaxError ? ` (${plain(error.message)})` : ""}`;
  }
  const read = readContract(Document, document);
  if (!read.ok) {
    const [first] = read.errors;
    return first === undefined ? "it cannot be read" : `${place(first.pointer)} ${first.message}`;
  }
  const [unknown] = read.ignored;
  return unknown === undefined ? (read.value.ignore ?? []) : `${place(unknown)} is not known`;
}

/** `/ignore/1/path` in the words of somebody who counts entries from one. */
function place(pointer: string): string {
  const [, list = "", index, field] = pointer.split("/");
  if (list !== "ignore" || index === undefined) return list === "" ? "it" : plain(list);
  return `entry ${Number(index) + 1}${field === undefined ? "" : `: ${plain(field)}`}`;
}

/** The parser's words without what belongs to a terminal. */
function plain(words: string): string {
  return words
    .replace(/^TOML Parse error: /, "")
    .replace(/[^\x20-\x7e]/g, "?")
    .slice(0, 120);
}

/** What is left out of one run, and how often each entry was the reason. */
export class Dismissals {
  readonly #entries: readonly {
    readonly entry: IgnoreEntry;
    readonly matches: (path: string) => boolean;
    readonly found: Set<string>;
  }[];

  constructor(entries: readonly IgnoreEntry[]) {
    this.#entries = entries.map((entry) => ({
      entry,
      matches: fileOrFolder(entry.path),
      found: new Set(),
    }));
  }

  /** Whether an entry names the finding. */
  names(kind: DismissalKind, path: string, name?: string): boolean {
    return this.#naming(kind, path, name).length > 0;
  }

  /**
   * Whether an entry names the finding, which is then left out: every entry that names it counts it, once however often it is asked
   * for. `name` is what the finding is called, or what tells it from others of its path; `place` stands for places that are one
   * finding together.
   */
  dismisses(kind: DismissalKind, path: string, name?: string, place = path): boolean {
    const naming = this.#naming(kind, path, name);
    for (const { found } of naming) found.add(name === undefined ? place : `${place}\0${name}`);
    return naming.length > 0;
  }

  #naming(kind: DismissalKind, path: string, name: string | undefined) {
    return this.#entries.filter(
      ({ entry, matches }) =>
        entry.kind === kind && (entry.name === undefined || entry.name === name) && matches(path),
    );
  }

  /** The entries as the report holds them; `undefined` without any. */
  told(): Dismissed | undefined {
    if (this.#entries.length === 0) return undefined;
    return this.#entries.map(({ entry, found }) => ({ ...entry, count: found.size }));
  }
}
