/** The largest of very many numbers, in memory that does not grow with them. */

export class NewestIds {
  readonly #most: number;
  #kept: number[] = [];
  #isAll = true;

  constructor(most: number) {
    this.#most = most;
  }

  add(id: number): void {
    this.#kept.push(id);
    if (this.#kept.length >= 2 * this.#most) this.#cut();
  }

  /** Whether none was left out. */
  get isAll(): boolean {
    return this.#isAll;
  }

  /** The largest first. */
  all(): readonly number[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept.sort((one, other) => other - one);
    if (this.#kept.length <= this.#most) return;
    this.#kept.length = this.#most;
    this.#isAll = false;
  }
}
