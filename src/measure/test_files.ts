/**
 * Which files are tests: by the names that runners pick up, by what most files of a folder look like, and Rust modules that another file
 * declares for tests only.
 */

import { words } from "../base/text.ts";
import { folderOf, foldersUp } from "./modules/facts.ts";

// Folders that hold tests under a name of their own, told by what lies in them: `regress/` of one project, `checks/` of
// the next.

/** Parts of a folder's files that must look like tests, and how many at least: names alone prove nothing. */
export const TEST_FOLDER = { files: 3, share: 2 / 3 } as const;

/** How a test tells what it found: it compares what a program wrote, and says of the outcome that it is one. */
export const VERDICTS: readonly RegExp[] = [
  /^[ \t]*(?:if )?(?:! ?)?(?:cmp|diff)[ \t]+[-\w"'$/.{<]/m,
  /["'` ](?:FAIL|FAILED|FAILURE|PASS|PASSED|BAD|not ok)\b[:!"' ]/,
  /^[ \t]*(?:fail|fatal)[ \t]+["']|\|\|[ \t\\\n]*fail[ \t]+["']/m,
];

/** Stems that say it: `test1.sh`. As a word of a longer name they are what runners pick up (`test_files.ts`). */
const NUMBERED = /^(?:test|regress)[-_]?\d+$/;

/** What a program is expected to write lies beside its test: `a.sh`, `a.sh.expected`, `a.out.ok`. */
const EXPECTED = /\.(?:ok|out|exp|expect|expected|ref|golden|good|stdout|result)$/;

/** A task list of tests, and one that makes something to install. */
const LISTS_TESTS = /^[ \t]*(?:[A-Z_]*TESTS?|REGRESS\w*|check_(?:PROGRAMS|SCRIPTS))[ \t]*[!:?+]?=/m;

const INSTALLS = /^(?:(?:s?bin|lib|libexec)_\w+[ \t]*\+?=|install[\w-]*:)/m;

const TASK_LIST = /(?:^|\/)(?:GNU)?[Mm]akefile(?:\.am)?$/;

const LOOKED_AT = 100_000;

/** What one file says about the folder it lies in. */
export interface FolderHint {
  readonly path: string;
  readonly says: "test" | "test list" | "nothing";
}

/** Reads one code file that no runner would pick up. `beside` are the files that are expected output by their names. */
export function folderHint(path: string, text: string, isExpected: (stem: string) => boolean): FolderHint {
  const stem = path.replace(/\.[^./]+$/, "");
  const start = text.slice(0, LOOKED_AT);
  if (TASK_LIST.test(path))
    return { path, says: LISTS_TESTS.test(start) && !INSTALLS.test(start) ? "test list" : "nothing" };
  const isTest =
    NUMBERED.test(stem.slice(stem.lastIndexOf("/") + 1)) ||
    isExpected(stem) ||
    VERDICTS.some((verdict) => verdict.test(start));
  return { path, says: isTest ? "test" : "nothing" };
}

/** Tells the stems of files beside which their expected output lies. */
export function expectedStems(paths: readonly string[]): (stem: string) => boolean {
  const stems = new Set<string>();
  for (const path of paths) {
    if (!EXPECTED.test(path)) continue;
    const slash = path.lastIndexOf("/") + 1;
    const first = path.indexOf(".", slash + 1);
    stems.add(path.slice(0, first));
  }
  return (stem) => stems.has(stem);
}

/** Says of a path whether it lies in a folder of tests. The root is none. */
export function testFolders(hints: readonly FolderHint[]): (path: string) => boolean {
  const counts = new Map<string, { files: number; tests: number }>();
  const proved = new Set<string>();
  for (const { path, says } of hints) {
    if (says === "test list") proved.add(folderOf(path));
    if (TASK_LIST.test(path)) continue;
    for (const folder of foldersUp(folderOf(path))) {
      const count = counts.getOrInsert(folder, { files: 0, tests: 0 });
      count.files++;
      if (says === "test") count.tests++;
    }
  }
  for (const [folder, { files, tests }] of counts) {
    if (tests >= TEST_FOLDER.files && tests >= files * TEST_FOLDER.share) proved.add(folder);
  }
  proved.delete("");
  return (path) => proved.size > 0 && foldersUp(folderOf(path)).some((folder) => proved.has(folder));
}

// Rust modules in files of their own that another file declares for tests only.

interface Declaring {
  readonly path: string;
  readonly lines: { readonly testModules: readonly string[] };
}

/** Files that hold a folder's module rather than one that is named after them. */
const FOLDER_MODULES = /(?:^|\/)(?:lib|main|mod)\.rs$/;

/** Says of any path whether it is, or lies in, a module that the files declare for tests only. */
export function testModuleFiles(files: readonly Declaring[]): (path: string) => boolean {
  const modules = new Set<string>();
  for (const { path, lines } of files) {
    const folder = FOLDER_MODULES.test(path) ? path.replace(/[^/]*$/, "") : path.replace(/\.rs$/, "/");
    for (const name of lines.testModules) modules.add(`${folder}${name}`);
  }
  return (path) => {
    if (modules.size === 0 || !path.endsWith(".rs")) return false;
    if (modules.has(path.slice(0, -".rs".length))) return true;
    return foldersUp(folderOf(path)).some((folder) => modules.has(folder));
  };
}

// Which files are tests: the defaults of the usual test runners and build tools, case-sensitive.

/** Directory segments that hold tests in any language. */
export const TEST_SEGMENTS: readonly string[] = words(`
  test tests __tests__ __mocks__ __fixtures__ __snapshots__ spec specs e2e cypress testdata test-fixtures
  test_utils test_data test_driver integration_test integration_tests unit_tests unittests
`);

/** Path shapes. */
export const TEST_DIRECTORIES: readonly RegExp[] = [
  // Source sets of Maven and Gradle, also of single platforms.
  /(^|\/)src\/(test|\w*Test|testFixtures)\//,
  // Maven's integration tests; `src/it/` alone is where a site keeps its Italian.
  /(^|\/)src\/it\/(java|kotlin|scala|groovy|resources[^/]*)\//,
  // Projects of .NET: `A.Tests`, `A.UnitTests`, `A.Tests.Shared`, `FunctionalTests`.
  /(^|\/)([^/]+\.)?([A-Z]\w*)?Tests(\.[^/]+)?\/.*\.(cs|vb|fs|razor|cshtml)$/,
  /(^|\/)[^/]+\.([A-Z]\w*)?Tests?\//,
  // Targets of Xcode and Swift packages, bundles of Symfony.
  /(^|\/)\w*Tests\/.*\.(swift|m|mm|h|php)$/,
  // Cargo's benchmarks: targets that are never shipped.
  /(^|\/)benches\/.*\.rs$/,
  // Perl's distributions.
  /(^|\/)x?t\/(.*\/)?[^/]+\.(t|pl|pm)$/,
];

/** File names that runners pick up by default. */
export const TEST_NAMES: readonly RegExp[] = [
  /\.(test|spec|cy|e2e)(-d)?\.[cm]?[jt]sx?$/,
  // Deno.
  /_test\.[jt]sx?$/,
  // pytest; `tests.py` is where Django puts the tests of an application, and `test.py` is what helps others to test.
  /^(test_.*|tests)\.py$/,
  /_tests?\.py$/,
  /^conftest\.py$/,
  /_test\.(go|rb|dart|exs|clj|cljs|cljc|gd)$/,
  /_spec\.(rb|lua)$/,
  /_tests?\.rs$/,
  /^tests\.rs$/,
  // C and C++.
  /^tests?[-_].*\.(c|cc|cpp|cxx|h|hpp)$/,
  /[-_](test|tests|unittest)\.(c|cc|cpp|cxx)$/,
  /^tests?\.(c|cc|cpp|cxx)$/,
  /^tst_.*\.(cpp|h)$/,
  // Surefire, PHPUnit, NUnit, XCTest, ScalaTest, Spock.
  /(Test|Tests|TestCase|IT|ITCase|Spec)\.(java|kt|cs|php|scala|swift|groovy|hs)$/,
  /Suite\.scala$/,
  /^Test[A-Z].*\.java$/,
  /(_SUITE|_tests)\.erl$/,
  /\.Tests\.ps1$/,
  /\.(bats|t\.sol|tftest\.hcl)$/,
  /^test_.*\.(ml|gd)$/,
  // Sublime Text runs them against a syntax, whatever their language.
  /^syntax_test_/,
];

/**
 * The sources that a Java, Kotlin, Scala or Groovy build ships. Below it no name makes a test: `TestStepResult` is a result, and a
 * package `test` helps others.
 */
const SHIPPED = /(^|\/)src\/(main|\w+Main)\/.*\.(java|kts?|scala|groovy)$/;

const SEGMENTS = new Set(TEST_SEGMENTS);

/** The part of a path whose names say something: not the packages of a Java build, as in `com/google/samples/`. */
export function withoutPackages(path: string): string {
  const shipped = SHIPPED.exec(path);
  return shipped === null ? path : path.slice(0, shipped.index + 1);
}

/** Whether a path is a test file. */
export function isTestFile(path: string): boolean {
  const folders = withoutPackages(path);
  const segments = folders.split("/");
  const name = segments.pop() ?? "";
  return (
    segments.some((segment) => SEGMENTS.has(segment)) ||
    TEST_DIRECTORIES.some((pattern) => pattern.test(folders)) ||
    (folders === path && TEST_NAMES.some((pattern) => pattern.test(name)))
  );
}
