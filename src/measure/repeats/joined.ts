/** Things known by their numbers that are joined into groups; a group's root is its least member. */
export class Joined {
  readonly #parent: number[] = [];

  get size(): number {
    return this.#parent.length;
  }

  /** Adds the next number, a group of its own. */
  add(): number {
    const added = this.#parent.length;
    this.#parent.push(added);
    return added;
  }

  /** Makes the groups of both one. */
  join(a: number, b: number): void {
    const [first, second] = [this.root(a), this.root(b)];
    if (first !== second) this.#parent[Math.max(first, second)] = Math.min(first, second);
  }

  root(member: number): number {
    let at = member;
    for (;;) {
      const up = this.#parent[at] ?? at;
      const above = this.#parent[up] ?? up;
      if (above === up) return up;
      // Halving the way on every walk keeps long chains cheap.
      this.#parent[at] = above;
      at = above;
    }
  }
}
