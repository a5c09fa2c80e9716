/** C keeps unit tests in the file they test, between `#ifdef …_TEST` and its `#endif`: which lines they take. */
import { isFirstOnLine, type Scan } from "./scan.ts";

const DIRECTIVE =
  /#[ \t]{0,20}(if|ifdef|ifndef|elif|else|endif)\b[ \t]{0,20}(?:defined[ \t]{0,5}\(?[ \t]{0,5})?(\w{0,100})[ \t)]{0,20}(.?)/y;
const TESTS = new Set(["TEST", "TESTS", "UNITTEST", "UNITTESTS", "SELFTEST"]);
/** What is there, or not, when tests are. */
const OTHERS = new Set(["NO", "NOT", "DISABLE", "DISABLED", "WITHOUT", "HAVE", "HAS"]);

/** Notes where tests begin and end; consumes nothing, since directives are code like any other. */
export function readDirective(scan: Scan): boolean {
  if (!isFirstOnLine(scan, scan.at)) return false;
  DIRECTIVE.lastIndex = scan.at;
  const [, word, name = "", behind = ""] = DIRECTIVE.exec(scan.text) ?? [];
  if (word === undefined) return false;
  const { branch } = scan.tests;
  if (branch === undefined) {
    if ((word === "if" || word === "ifdef") && isTest(name, behind))
      scan.tests.branch = { from: scan.line + 1, nested: 0 };
  } else if (word.startsWith("if")) branch.nested++;
  else if (branch.nested > 0) branch.nested -= word === "endif" ? 1 : 0;
  else {
    scan.tests.ranges.push({ from: branch.from, to: word === "endif" ? scan.line + 1 : scan.line });
    scan.tests.branch = undefined;
  }
  return false;
}

/** One name alone: what stands for tests or for something else is built for others as well. */
function isTest(name: string, behind: string): boolean {
  const words = name.split("_");
  return (
    !/[&|]/.test(behind) && words.some((word) => TESTS.has(word)) && !words.some((word) => OTHERS.has(word))
  );
}
