/**
 * Markup that needs no more escaping. The private field is the brand: no plain object and no parsed JSON can
 * pass for it, so a value is markup only when the runtime made it.
 */
export class Safe {
  readonly #html: string;

  constructor(html: string) {
    this.#html = html;
  }

  /** The markup itself. */
  toString(): string {
    return this.#html;
  }
}
