/** What one hash costs. */
export interface HashCost {
  /** Memory in KiB. */
  readonly memoryKib: number;
  /** Passes over the memory. */
  readonly passes: number;
}

/** 64 MiB and 3 passes: about 120 ms on a small machine, well above OWASP's floor of 19 MiB and 2 passes. */
export const HASH_COST: HashCost = { memoryKib: 64 * 1024, passes: 3 };

/** Hashes at once: two hold the memory to 128 MiB and leave the machine to the reports. */
const AT_ONCE = 2;

/** Hashes and checks passwords with argon2id, off the event loop, a few at a time. */
export class PasswordHasher {
  readonly #cost: HashCost;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #unknown: Promise<string> | undefined;

  constructor(cost: HashCost = HASH_COST) {
    this.#cost = cost;
  }

  /** The hash of a password, with its salt and cost, as text. */
  hash(password: string): Promise<string> {
    const { memoryKib, passes } = this.#cost;
    return this.#inTurn(() =>
      Bun.password.hash(password, { algorithm: "argon2id", memoryCost: memoryKib, timeCost: passes }),
    );
  }

  /** Whether the password is the one. Without a hash it takes the same time and is false, so an unknown name does not show. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const against = hash ?? (await this.#unknownHash());
    // Bun throws on an empty password instead of refusing it.
    const typed = password === "" ? "\0" : password;
    const matches = await this.#inTurn(() => Bun.password.verify(typed, against));
    return matches && hash !== null;
  }

  /** Whether a hash was made more cheaply than today's cost, so that it is to be made anew. */
  isCheaper(hash: string): boolean {
    const match = /\$m=(\d+),t=(\d+),/.exec(hash);
    return match === null || Number(match[1]) < this.#cost.memoryKib || Number(match[2]) < this.#cost.passes;
  }

  #unknownHash(): Promise<string> {
    this.#unknown ??= this.hash("nobody has this password");
    return this.#unknown;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
