/** What stands in the inputs, each as it should be or undefined: they were stored by any release. */

import { dayTextAt, momentText, parseInstant, parseUtcDay, type UtcDay } from "../../base/time.ts";
import type { RuleInputs } from "../../flags/flags.ts";

export class Inputs {
  readonly #inputs: RuleInputs;
  readonly #now: number;

  constructor(inputs: RuleInputs, now: number) {
    this.#inputs = inputs;
    this.#now = now;
  }

  number(name: string): number | undefined {
    const value = this.#inputs[name];
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  }

  isTrue(name: string): boolean {
    return this.#inputs[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#inputs[name];
    return typeof value === "string" ? value : undefined;
  }

  day(name: string): UtcDay | undefined {
    return parseUtcDay(this.text(name) ?? "");
  }

  /** A day in words. */
  dayWords(name: string): string | undefined {
    const day = this.day(name);
    return day === undefined ? undefined : dayTextAt(day, this.#now);
  }

  /** A moment in words. */
  momentWords(name: string): string | undefined {
    const at = parseInstant(this.text(name) ?? "");
    return at === undefined ? undefined : momentText(at, this.#now);
  }

  in(name: string): Inputs {
    const value = this.#inputs[name];
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return new Inputs(isObject ? (value as RuleInputs) : {}, this.#now);
  }

  each(name: string): Inputs[] {
    const value = this.#inputs[name];
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    return items.map((item) => new Inputs({ item }, this.#now).in("item"));
  }

  texts(name: string): string[] {
    const value = this.#inputs[name];
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  }
}
