/** What providers answered last when somebody asked for it here: in memory, with their codes, where the database keeps categories alone. */
import type { AccountAnswer, ConnectionJob } from "../../connections/contract.ts";

/** An answer with when it came, in milliseconds since the epoch. */
export interface KeptAnswer {
  readonly job: ConnectionJob;
  readonly at: number;
  readonly answer: AccountAnswer;
}

export class Answers {
  readonly #kept = new Map<string, KeptAnswer>();

  /** Keeps the answer about a credential in the place of the one before. */
  keep(credential: string, kept: KeptAnswer): void {
    this.#kept.set(credential, kept);
  }

  /** The last answer, where it was given under this connection: nothing that began under another speaks for it. */
  find(credential: { readonly id: string; readonly connectionRevision: string }): KeptAnswer | undefined {
    const kept = this.#kept.get(credential.id);
    if (kept === undefined || !kept.answer.ok) return kept;
    return kept.answer.credential.connectionRevision === credential.connectionRevision ? kept : undefined;
  }

  forget(credential: string): void {
    this.#kept.delete(credential);
  }
}
