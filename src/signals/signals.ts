/**
 * Signals: the daily figures that are pulled from providers, the record of every attempt, live traffic, panels of search results, and
 * the accounts and connections that all of it is asked over.
 *
 * - A pull: `pull.ts` (analytics, search console; every quarter of an hour) and `pull_webmaster.ts` (nightly) → `providers/queued_request.ts`
 *   → `decide.ts` on a worker (which days change) → `answer_record.ts` (attempt, observation, series and health in one transaction).
 * - Attempts: `attempts.ts` (record, and what holds a target) → `attempt_packs.ts` (a day later) → `attempt_list.ts` (one list over both).
 * - Live traffic: `live_traffic.ts` (asked while somebody looks). Panels: `panel_runs.ts` → `panels.ts` → the ledger.
 * - Accounts: `credential_changes.ts` (which site has which property, too), `account_check.ts` (does the account work).
 *
 * Start reading with `pull.ts`, then `decide.ts`. The tables of the room are in `tables.ts`.
 */

import { systemWaiting } from "../base/http_client.ts";
import { listOpenSubjects } from "../flags/queries.ts";
import { CredentialQueue, PACES, type Paces } from "../providers/queued_request.ts";
import { ASSET_PULL_FAILED } from "../sites/rule_catalogue.ts";
import type { RunHandle } from "../store/job_runs.ts";
import type { Writer } from "../store/writer.ts";
import { webmasterAccounts } from "./matched_site.ts";
import { AnswerDecider, type PullDeps, pullSense, senseQuestions } from "./pull.ts";
import { pullWebmaster } from "./pull_webmaster.ts";

/** What the pulls are put together from. */
interface PullParts extends Omit<PullDeps, "answers" | "judge" | "queue"> {
  /** How fast providers are asked; as they take it where nothing else is said. */
  readonly paces?: Paces | undefined;
}

export class Pulls {
  readonly #deps: PullDeps;

  constructor({ paces = PACES, ...parts }: PullParts) {
    const { sleep } = systemWaiting;
    this.#deps = {
      ...parts,
      answers: new GatheringWriter(parts.writer, paces.gatherMs),
      judge: new AnswerDecider(parts.store),
      queue: new CredentialQueue({ paces, sleep }),
    };
  }

  /** Whether any site has a property that is asked every quarter of an hour. */
  asksForSense(): boolean {
    return senseQuestions(this.#deps.store.db).length > 0;
  }

  /** Whether there is any account of webmaster tools, or a flag about a run that failed: only the next one ends it. */
  asksForWebmasterTools(): boolean {
    const { store, config } = this.#deps;
    const hasFlag = () => listOpenSubjects(store.db, ASSET_PULL_FAILED, config.serviceAsset).length > 0;
    return webmasterAccounts(store.db).length > 0 || hasFlag();
  }

  /** Pulls the figures of analytics and search console. Throws where storage takes nothing. */
  sense(run: RunHandle): Promise<void> {
    return pullSense(this.#deps, run);
  }

  /** Pulls the figures of webmaster tools. Throws where storage takes nothing. */
  webmasterTools(run: RunHandle): Promise<void> {
    return pullWebmaster(this.#deps, run);
  }

  /** The one order in which providers are asked: whoever else asks them waits in it, too. */
  get queue(): CredentialQueue {
    return this.#deps.queue;
  }
}

/** Writes that are gathered at most. */
const MOST = 64;

/**
 * Answers that come one by one are stored together: each commit waits for the disk, and every report that is sent meanwhile waits with
 * it. What is gathered is not stored yet: it is as if it had not been asked.
 */
export class GatheringWriter {
  readonly #writer: Pick<Writer, "write">;
  readonly #gatherMs: number;
  #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `gatherMs`: how long the first of them waits for others, in milliseconds; 0 for not at all. */
  constructor(writer: Pick<Writer, "write">, gatherMs: number) {
    this.#writer = writer;
    this.#gatherMs = gatherMs;
  }

  readonly write: Writer["write"] = (job, options) => {
    if (this.#gatherMs === 0) return this.#writer.write(job, options);
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => void this.#writer.write(job, options).then(resolve, reject));
      if (this.#waiting.length >= MOST) this.#pass();
      else this.#timer ??= setTimeout(() => this.#pass(), this.#gatherMs);
    });
  };

  /** All of them in one turn of the event loop, so that they share commits. */
  #pass(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const pass of waiting) pass();
  }
}
