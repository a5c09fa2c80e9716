/**
 * Money as the ledger has it: whole minor units of one currency. Units are a bigint that nothing outside this file can reach as a number
 * to reckon with, so the only sum there is stays within its currency and is exact at any size.
 */

declare const CODE: unique symbol;

/** The code of a currency that exists. */
export type Currency<Code extends string = string> = Code & { readonly [CODE]: Code };

/** Every currency that the runtime knows, by its uppercase ISO 4217 code. */
export const CURRENCIES: readonly string[] = Intl.supportedValuesOf("currency");

const known: ReadonlySet<string> = new Set(CURRENCIES);

export function isCurrency(code: string): code is Currency {
  return known.has(code);
}

/** A code as a currency. Throws for any other text. */
export function currencyOf<const Code extends string>(code: Code): Currency<Code> {
  if (!known.has(code)) throw new RangeError(`${code} is no currency`);
  return code as Currency<Code>;
}

/** Digits after the decimal point: 0 for JPY, 2 for USD, 3 for KWD. */
export function exponentOf(currency: Currency): number {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** An amount of one currency. */
export class Amount<C extends Currency = Currency> {
  readonly currency: C;
  readonly #minor: bigint;

  /** Throws for a number that is not exact; -0 is 0. */
  constructor(currency: C, minor: number | bigint) {
    if (typeof minor === "number" && !Number.isSafeInteger(minor)) {
      throw new RangeError(`${minor} is no exact number of minor units`);
    }
    this.currency = currency;
    this.#minor = BigInt(minor);
  }

  /** The sum of amounts of one currency. Amounts of a currency known by name are refused by the compiler, any other at run time. */
  static sum<C extends Currency>(currency: C, amounts: Iterable<Amount<NoInfer<C>>>): Amount<C> {
    let minor = 0n;
    for (const amount of amounts) {
      if (amount.currency !== currency) {
        throw new RangeError(`${amount.currency} cannot be added to ${currency}`);
      }
      minor += amount.#minor;
    }
    return new Amount(currency, minor);
  }

  negated(): Amount<C> {
    return new Amount(this.currency, -this.#minor);
  }

  /** Minor units, for JSON and the database. Throws where a number cannot hold them exactly. */
  toJSON(): number {
    const minor = Number(this.#minor);
    if (!Number.isSafeInteger(minor)) throw new RangeError(`${this.#minor} is more than a number holds`);
    return minor;
  }

  /** As people read it, without its currency: "-1,234.56". Made of digits alone, so that nothing is rounded. */
  toString(): string {
    const exponent = exponentOf(this.currency);
    const digits = String(this.#minor)
      .replace("-", "")
      .padStart(exponent + 1, "0");
    const whole = digits.slice(0, digits.length - exponent).replace(/\B(?=(?:\d{3})+$)/g, ",");
    const fraction = exponent === 0 ? "" : `.${digits.slice(-exponent)}`;
    return `${this.#minor < 0n ? "−" : ""}${whole}${fraction}`;
  }
}
