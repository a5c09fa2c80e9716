/** What posting annotations came to, told to the health of each sender: one target a token. A person at a page sees the answer. */
import type { Tx, Writer } from "../db/mod.ts";
import {
  type Observation,
  recordBeside,
  recordResult,
  resultOf,
  type Scope,
  senderScope,
} from "../health/mod.ts";
import type { Actor } from "../platform/access.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import { logOf } from "../platform/log.ts";
import { refusalCategory, refusalOf } from "../refusals/mod.ts";

export interface SenderHealthDeps {
  readonly writer: Pick<Writer, "write" | "aside">;
  readonly clock: Clock;
  readonly config: Pick<Config, "workspace">;
}

/** A post under way, by a sender who is known. */
export interface KnownPost {
  readonly scope: Scope;
  readonly startedAt: number;
}

const TOKEN = "token:";

/** Tells of posts: of one that is stored in the transaction that stores it, of refused ones aside, the latest of each sender at a time. */
export class SenderHealth {
  readonly #deps: SenderHealthDeps;
  #refused = new Map<string, { readonly scope: Scope; readonly observation: Observation }>();

  constructor(deps: SenderHealthDeps) {
    this.#deps = deps;
  }

  /** A post that begins; undefined where no token posts. */
  begun({ id }: Pick<Actor, "id">): KnownPost | undefined {
    if (!id.startsWith(TOKEN)) return undefined;
    const { clock, config } = this.#deps;
    return { scope: senderScope(config.workspace, id.slice(TOKEN.length)), startedAt: clock.now() };
  }

  /** Tells that it is stored, or was before. Says whether that could be told. */
  stored(tx: Tx, { scope, startedAt }: KnownPost, now: number): boolean {
    const attempt = { attempt: attemptOf(startedAt), startedAt, observedAt: now };
    return recordResult(tx, scope, attempt, { ok: true, coveredDate: null });
  }

  /** Tells what it was refused for; nothing where the error is no refusal. */
  refused({ scope, startedAt }: KnownPost, error: unknown): void {
    const code = refusalOf(error)?.code;
    if (code === undefined) return;
    const result = resultOf({ category: refusalCategory(code), code: null });
    const observedAt = this.#deps.clock.now();
    const observation = { attempt: attemptOf(startedAt), startedAt, observedAt, result };
    const isNext = this.#refused.size === 0;
    this.#refused.set(scope.target, { scope, observation });
    if (isNext) this.#writeAside();
  }

  #writeAside(): void {
    const { writer } = this.#deps;
    const write = writer.write(
      (tx) => {
        for (const { scope, observation } of this.#taken()) recordBeside(tx, scope, observation);
      },
      { behind: true },
    );
    writer.aside(write, (cause) => {
      this.#taken();
      logOf("annotations").warn("refused posts were not noted", { reason: String(cause) });
    });
  }

  #taken() {
    const refused = [...this.#refused.values()];
    this.#refused = new Map();
    return refused;
  }
}

const attemptOf = (startedAt: number): string => `post:${startedAt}`;
