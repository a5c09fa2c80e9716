/** Which exported names nobody takes. Pure; each name of each file is settled once. */
import { Effort } from "./effort.ts";
import type { ExportFact, ModuleFacts, Names } from "./facts.ts";

/** Uses of one module by another, resolved. */
export interface Link {
  readonly to: readonly string[];
  readonly names: Names;
}

/** What a module passes on of others. */
export interface PassedOn {
  /** Modules of which it passes on everything. */
  readonly star: readonly string[];
  /** The name it gives → where it comes from. */
  readonly named: ReadonlyMap<string, readonly { readonly file: string; readonly name: string }[]>;
}

export interface ExportInput {
  readonly facts: ReadonlyMap<string, ModuleFacts>;
  readonly links: ReadonlyMap<string, readonly Link[]>;
  readonly passedOn: ReadonlyMap<string, PassedOn>;
  readonly reached: ReadonlySet<string>;
  /** Files whose every export is for somebody outside of the graph. */
  readonly open: ReadonlySet<string>;
}

export interface UnusedExport extends ExportFact {
  readonly path: string;
}

/** The exports of reached files that no reached file takes. `isTaken` knows uses that no import shows. */
export function unusedExports(
  input: ExportInput,
  candidates: Iterable<string>,
  isTaken: (path: string, name: string) => boolean,
  effort = new Effort(),
): UnusedExport[] {
  const taken = takenNames(input, effort);
  const found: UnusedExport[] = [];
  for (const path of candidates) {
    const names = taken.get(path);
    if (names === "all" || input.open.has(path) || !input.reached.has(path)) continue;
    for (const one of input.facts.get(path)?.exports ?? []) {
      if (names?.has(one.name) !== true && !isTaken(path, one.name)) found.push({ path, ...one });
    }
  }
  return found;
}

/** For each file the names that somebody takes of it, also through files that pass them on. */
function takenNames(input: ExportInput, effort: Effort): ReadonlyMap<string, Set<string> | "all"> {
  const taken = new Map<string, Set<string> | "all">();
  const open: (readonly [path: string, name: string])[] = [];
  const take = (path: string, name: string) => {
    effort.take(1);
    const names = taken.get(path);
    if (names === "all") return;
    if (name === "*") taken.set(path, "all");
    else if (names === undefined) taken.set(path, new Set([name]));
    else if (names.has(name)) return;
    else names.add(name);
    effort.hold(1);
    open.push([path, name]);
  };
  for (const path of input.open) take(path, "*");
  for (const [path, links] of input.links) {
    if (!input.reached.has(path)) continue;
    for (const { to, names } of links) {
      for (const file of to) {
        if (names === "all") take(file, "*");
        else for (const name of names) take(file, name);
      }
    }
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, name] = next;
    const passed = input.passedOn.get(path);
    if (passed === undefined) continue;
    for (const file of passed.star) take(file, name);
    const from = name === "*" ? [...passed.named.values()].flat() : (passed.named.get(name) ?? []);
    for (const one of from) take(one.file, one.name);
  }
  return taken;
}
