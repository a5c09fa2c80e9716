/** The pulls of the daily figures, as jobs run them. */
import type { Store } from "../db/mod.ts";
import type { RunHandle } from "../jobs/mod.ts";
import { systemWaiting } from "../platform/http_door.ts";
import { CredentialQueue, PACES, type Paces } from "../provider/ask_in_turn.ts";
import { AnswerJudge } from "./answer_judge.ts";
import { GatheringWriter } from "./gathering_writer.ts";
import { pullSense, senseQuestions } from "./pull_sense.ts";
import { type NightlyDeps, pullWebmaster, webmasterAccounts } from "./pull_webmaster.ts";

/** What the pulls are put together from. */
export interface PullParts extends Omit<NightlyDeps, "answers" | "judge" | "queue" | "store"> {
  readonly store: Store;
  /** How fast providers are asked; as they take it where nothing else is said. */
  readonly paces?: Paces | undefined;
}

export class Pulls {
  readonly #deps: NightlyDeps;

  constructor({ paces = PACES, ...parts }: PullParts) {
    const { sleep } = systemWaiting;
    this.#deps = {
      ...parts,
      answers: new GatheringWriter(parts.writer, paces.gatherMs),
      judge: new AnswerJudge(parts.store),
      queue: new CredentialQueue({ paces, sleep }),
    };
  }

  /** Whether any site has a property that is asked every quarter of an hour. */
  asksForSense(): boolean {
    return senseQuestions(this.#deps.store.db).length > 0;
  }

  /** Whether there is any account of webmaster tools. */
  asksForWebmasterTools(): boolean {
    return webmasterAccounts(this.#deps).length > 0;
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
