/** The three measures that only the sender's own workflow can know: `--measure key=value`. */

/** What the sender passed in; a skipped or cancelled step leaves its key absent. */
export interface PassedIn {
  readonly build_passed?: number;
  readonly tests_passed?: number;
  readonly vulnerable_dependencies?: number;
}

export type PassedInResult =
  | { readonly ok: true; readonly value: PassedIn }
  | { readonly ok: false; readonly message: string };

const PASS: Readonly<Record<string, 0 | 1>> = {
  "1": 1,
  true: 1,
  success: 1,
  passed: 1,
  "0": 0,
  false: 0,
  failure: 0,
  failed: 0,
};
const NOTHING = new Set(["", "skipped", "cancelled", "neutral"]);

/** Reads `key=value` texts. A value that is neither a result nor "nothing happened" is refused. */
export function readPassedIn(texts: readonly string[]): PassedInResult {
  const value: { -readonly [K in keyof PassedIn]: PassedIn[K] } = {};
  for (const text of texts) {
    const cut = text.indexOf("=");
    const key = cut < 0 ? text : text.slice(0, cut);
    const given = cut < 0 ? undefined : text.slice(cut + 1).trim();
    if (given === undefined) return refuse(text, "key=value is needed");
    if (key !== "build_passed" && key !== "tests_passed" && key !== "vulnerable_dependencies") {
      return refuse(text, "only build_passed, tests_passed and vulnerable_dependencies can be passed in");
    }
    if (NOTHING.has(given)) continue;
    if (key === "vulnerable_dependencies") {
      const count = Number(given);
      if (!/^\d+$/.test(given) || !Number.isSafeInteger(count))
        return refuse(text, "a whole number is needed");
      value[key] = count;
    } else {
      const pass = Object.hasOwn(PASS, given) ? PASS[given] : undefined;
      if (pass === undefined)
        return refuse(text, "1, true, success, passed, 0, false, failure or failed is needed");
      value[key] = pass;
    }
  }
  return { ok: true, value };
}

function refuse(text: string, message: string): PassedInResult {
  return { ok: false, message: `--measure ${JSON.stringify(text)}: ${message}` };
}
