/**
 * The constants that are in effect: from the file, judged whole before they count, every version recorded. A document with a
 * mistake never takes effect; the last good one stays and `problem` says what is wrong and where. Below, the values of one site or metric.
 */

import { type Clock, onceOf } from "../base/base.ts";
import type { AssetId } from "../base/contract.ts";
import { sha256Hex } from "../base/keys.ts";
import { logOf } from "../base/log.ts";
import { isStorageFailure } from "../base/storage_fault.ts";
import { shortText } from "../base/text.ts";
import { findMonitoringFailure, noteFailure, noteRecovery } from "../health/monitoring.ts";
import type { Db } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import {
  auditConstants,
  type ConstantsInEffect,
  FILE_AUTHOR,
  FileMirror,
  findInEffect,
  lastGoodDocument,
  type MirrorDeps,
  putInEffect,
  recordSave,
  type Saver,
  SERVICE_AUTHOR,
} from "./constants_document.ts";
import {
  type GoodDocument,
  judgeDocument,
  parseConstants,
  problemLine,
  type Refusal,
} from "./constants_parse.ts";
import type { AssetOverrides, Constants, MetricOverrides } from "./constants_schema.ts";
import { SENT } from "./rule_catalogue.ts";
import type { CodebaseThresholds, FlowThresholds } from "./thresholds.ts";

/** Why the file is not in effect. */
interface ConstantsProblem extends Refusal {
  /** Since when the file has not been in effect, in milliseconds since the epoch. */
  readonly since: number;
}

/** The file as last seen, good or not: what an operator edits. */
type DocumentOnDisk = Pick<GoodDocument, "text" | "digest">;

/** What the store needs from outside. */
interface StoreDeps extends MirrorDeps {
  readonly clock: Clock;
}

export class ConstantsStore {
  readonly #deps: StoreDeps;
  readonly #file: FileMirror;
  #current: ConstantsInEffect;
  #problem: ConstantsProblem | undefined;
  #disk: DocumentOnDisk;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting: Promise<boolean> | undefined;

  private constructor(deps: StoreDeps, file: FileMirror, current: ConstantsInEffect) {
    this.#deps = deps;
    this.#file = file;
    this.#current = current;
    this.#disk = current;
  }

  /**
   * Begins with the last good version, and then reads the file as ever: a lost one is written again, since that must not reset
   * thresholds. Where no version can be used the file is the first, else the defaults; rejects with `StorageUnavailable`
   * when that cannot be written down.
   */
  static async start(deps: StoreDeps): Promise<ConstantsStore> {
    const now = deps.clock.now();
    const file = new FileMirror(deps);
    const good = lastGoodDocument(deps.db);
    const current = findInEffect(deps.db, good) ?? (await begin(deps, file, good, now));
    await file.resume(current);
    const store = new ConstantsStore(deps, file, current);
    try {
      await file.fill(current.text);
      await store.#refresh(now);
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      logOf("constants").error("the last good constants are used", { reason: String(error) });
    }
    return store;
  }

  /** The constants in effect. */
  current(): ConstantsInEffect {
    return this.#current;
  }

  /** Why the file is not in effect; `undefined` while it is. */
  get problem(): ConstantsProblem | undefined {
    return this.#problem;
  }

  /** The file as last seen; while it is missing or unreadable, the text in effect. */
  document(): DocumentOnDisk {
    return { text: this.#disk.text, digest: this.#disk.digest };
  }

  /**
   * Reads the file again; says whether another version took effect. Rejects with `StorageUnavailable` when a version cannot be recorded; the next call tries
   * again.
   */
  refresh(now: number = this.#deps.clock.now()): Promise<boolean> {
    this.#waiting ??= this.#inTurn(() => {
      this.#waiting = undefined;
      return this.#refresh(now);
    });
    return this.#waiting;
  }

  /**
   * Puts an operator's text in effect. `expectedDigest` is that of the `document()` that was edited. The text waits on the disk
   * before anything else; then its version, its audit row and what the saver adds are one transaction; then the file follows. So a
   * rejection (`StorageUnavailable`) means that nothing was saved and nothing will be, and an answer that it all is.
   */
  save(text: string, by: Saver, expectedDigest: string) {
    return this.#inTurn(async () => {
      const now = this.#deps.clock.now();
      await this.#refresh(now);
      if (this.#disk.digest !== expectedDigest) {
        // What the file holds now.
        return { ok: false, reason: "conflict", document: this.document() } as const;
      }
      const written = withLineEndsOf(this.#disk.text, text);
      const parsed = parseConstants(written);
      if (!parsed.ok) return { ...parsed, reason: "invalid" } as const;
      const digest = sha256Hex(written);
      if (digest !== this.#disk.digest || this.#problem !== undefined) {
        const good = { text: written, digest, constants: parsed.constants };
        this.#current = await this.#file.commit(written, (tx) => recordSave(tx, good, by, now));
        this.#disk = this.#current;
        this.#problem = undefined;
        await this.#file.catchUp(good);
        await this.#noteState(now);
      }
      return { ok: true, current: this.#current } as const;
    });
  }

  async #refresh(now: number): Promise<boolean> {
    const changed = (await this.#file.catchUp(this.#current)) && (await this.#judgeFile(now));
    await this.#noteState(now);
    return changed;
  }

  async #judgeFile(now: number): Promise<boolean> {
    const finding = await this.#file.read();
    if ("refusal" in finding) {
      return this.#refuse(finding.refusal, { text: this.#current.text, digest: this.#current.digest }, now);
    }
    const { digest } = finding.found;
    const isBack = this.#problem?.reason === "missing" || this.#problem?.reason === "unreadable";
    if (digest === this.#disk.digest && !isBack) return false;
    const judgement = judgeDocument(finding.found, this.#current.digest);
    return judgement.ok
      ? this.#takeEffect(judgement.good, now)
      : this.#refuse(judgement.refusal, { text: judgement.text, digest }, now);
  }

  async #takeEffect(good: GoodDocument, now: number): Promise<boolean> {
    const before = this.#current.version;
    this.#current = await this.#deps.writer.write((tx) => putInEffect(tx, good, FILE_AUTHOR, now));
    this.#disk = this.#current;
    this.#problem = undefined;
    return this.#current.version !== before;
  }

  #refuse(refusal: Refusal, disk: DocumentOnDisk, now: number): false {
    this.#disk = disk;
    const since = this.#problem?.since ?? findMonitoringFailure(this.#deps.db, WATCHED)?.since ?? now;
    this.#problem = { ...refusal, since };
    return false;
  }

  #noteState(now: number): Promise<void> {
    const { version } = this.#current;
    const refused = this.#problem === undefined ? undefined : refusalWords(this.#problem, version);
    const behind = `Version ${version} is in effect, but constants.toml could not be written and holds the text before. It is tried again.`;
    const wrong = this.#file.isBehind ? behind : refused;
    return noteState(this.#deps, wrong, { at: now, version });
  }

  /** One step after another: nothing may come between a save's look at the file and its writing. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(step);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** The first version: the file's, or `otherwise`, which is then written where there is no file. */
async function begin(deps: StoreDeps, file: FileMirror, otherwise: GoodDocument, now: number) {
  await file.fill(otherwise.text);
  const finding = await file.read();
  const judged = "found" in finding ? judgeDocument(finding.found, otherwise.digest) : undefined;
  const ofFile = judged?.ok === true && judged.good.digest !== otherwise.digest;
  return deps.writer.write((tx) =>
    ofFile ? putInEffect(tx, judged.good, FILE_AUTHOR, now) : putInEffect(tx, otherwise, SERVICE_AUTHOR, now),
  );
}

/** A form sends CRLF whatever it was given; without this every save from the Tower would change every line. */
function withLineEndsOf(model: string, text: string): string {
  const bare = text.replaceAll("\r\n", "\n");
  return model.includes("\r\n") ? bare.replaceAll("\n", "\r\n") : bare;
}

const WATCHED = { kind: "constants", asset: "", source: "", subject: "constants.toml" } as const;

/** Longest words for one mistake, in characters: a key may be as long as the document. */
const LONGEST = 500;

/** Why a document is not in effect, or why its file is behind, in plain words. */
function refusalWords({ problems, more, reason }: Refusal, version: number): string {
  const [first, ...rest] = problems;
  const others = rest.length + more;
  const what = first === undefined ? reason : reason === "invalid" ? problemLine(first) : first.message;
  const and = others === 0 ? "" : `, and ${others} more`;
  return `The rules run with the last good constants, version ${version}. constants.toml is not in effect: ${shortText(what, LONGEST)}${and}.`;
}

/**
 * Records the state of the document when it changed, where it lasts: the log, the audit, and the monitoring failures that the
 * pages show. `wrong` is in plain words, or undefined. What cannot be written down is logged all the same, and tried again with
 * the next look.
 */
async function noteState(
  deps: { readonly db: Db; readonly writer: Pick<Writer, "write"> },
  wrong: string | undefined,
  now: { readonly at: number; readonly version: number },
): Promise<void> {
  const { at, version } = now;
  if (findMonitoringFailure(deps.db, WATCHED)?.reason === wrong) return;
  const log = logOf("constants");
  if (wrong === undefined) log.info("the constants document is in effect again");
  else log.error("the constants document is not as it should be", { reason: wrong });
  try {
    await deps.writer.write((tx) => {
      if (wrong === undefined) {
        if (noteRecovery(tx, WATCHED, at))
          auditConstants(tx, "recover", { at, actor: "service", detail: { version } });
      } else if (noteFailure(tx, WATCHED, { reason: wrong, now: at })) {
        auditConstants(tx, "refuse", { at, actor: "service", detail: { version } });
      }
    });
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
  }
}

// The values that hold for one site or one metric: the metric's own before the site's before the document's.

/** The codebase thresholds of a site. */
export function codebaseThresholds(constants: Constants, asset: AssetId): CodebaseThresholds {
  return { ...constants.codebase_rules, ...siteOverridesOf(constants, asset)?.codebase_rules };
}

/** The flow thresholds of a site's metric from a source; with `own` as they would be if its own table held that. */
export function flowThresholds(
  constants: Constants,
  asset: AssetId,
  source: string,
  metric: string,
  own: MetricOverrides = metricOverridesOf(constants, asset, source, metric),
): FlowThresholds {
  const site = siteOverridesOf(constants, asset)?.flow_rules?.own;
  const { percent_drop, negative_metrics, ...rules } = { ...constants.flow_rules, ...site };
  return {
    ...rules,
    ...own,
    percent_drop: {
      ...constants.flow_rules.percent_drop,
      ...percent_drop,
      ...own.percent_drop,
    },
    negative: matchesAny(negative_metrics, metric),
    marked_days: constants.marked_days.filter(({ assets }) => assets?.includes(asset) ?? true),
  };
}

/** What the document says of one metric of a site from a source alone: a provider's figure shares nothing with a sent one. */
export function metricOverridesOf(
  constants: Constants,
  asset: AssetId,
  source: string,
  metric: string,
): MetricOverrides {
  const site = siteOverridesOf(constants, asset);
  const metrics = source === SENT ? site?.flow_rules?.metrics : ownOf(site?.signal_rules, source);
  return ownOf(metrics, metric) ?? {};
}

/** What a table has under a name, which is data: never what every object has. */
function ownOf<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Hours without a nightly report after which a site is silent. */
export function silentHours(constants: Constants, asset: AssetId): number {
  return siteOverridesOf(constants, asset)?.freshness?.silent_hours ?? usualSilentHours(constants);
}

/** The same for a site that the document says nothing of. */
export const usualSilentHours = (constants: Constants): number => constants.freshness.silent_hours;

/** How much a site weighs where two are equally urgent. It orders, and is never shown. */
export const weightOf = (constants: Constants, asset: AssetId): number =>
  siteOverridesOf(constants, asset)?.weight ?? 1;

/** How much of an archived report of a site is taken, and by which events its errors of scripts are told. */
export function archiveConstants(constants: Constants, asset: AssetId): Constants["archive"] {
  return { ...constants.archive, ...siteOverridesOf(constants, asset)?.archive };
}

/** What the document says of one site alone. */
export function siteOverridesOf(constants: Constants, asset: AssetId): AssetOverrides | undefined {
  return overridesOf(constants.assets).get(asset);
}

/** As a map: looked up in an object, the name of each of ten thousand sites would become a key of the engine's first. */
const overridesOf = onceOf((assets: Constants["assets"]) => new Map(Object.entries(assets)));

/**
 * Whether a metric's name matches one of the patterns, where `*` stands for any characters and letter case does not count. Patterns are
 * taken apart once, not for every metric of every report.
 */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  const text = name.toLowerCase();
  return partsOf(patterns).some((parts) => matchesParts(parts, text));
}

const partsOf = onceOf((patterns: readonly string[]) =>
  patterns.map((pattern) => pattern.toLowerCase().split("*")),
);

/** Each literal part is taken at its first place, which is enough without other wildcards and keeps the work linear. */
function matchesParts(parts: readonly string[], text: string): boolean {
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (parts.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
