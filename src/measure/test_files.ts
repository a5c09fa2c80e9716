/** Which files are tests: the defaults of the usual test runners and build tools, case-sensitive. */

/** Directory segments that hold tests in any language. */
export const TEST_SEGMENTS: readonly string[] = [
  "test",
  "tests",
  "__tests__",
  "__mocks__",
  "__fixtures__",
  "__snapshots__",
  "spec",
  "specs",
  "e2e",
  "cypress",
  "testdata",
  "test-fixtures",
  // Snake case is of Python, Ruby and Dart; `test-utils` is the name of packages that help others to test.
  "test_utils",
  "test_data",
  "test_driver",
  "integration_test",
  "integration_tests",
  "unit_tests",
  "unittests",
];

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

/** Whether a path is a test file. */
export function isTestFile(path: string): boolean {
  const shipped = SHIPPED.exec(path);
  const folders = shipped === null ? path : path.slice(0, shipped.index + 1);
  const segments = folders.split("/");
  const name = segments.pop() ?? "";
  return (
    segments.some((segment) => SEGMENTS.has(segment)) ||
    TEST_DIRECTORIES.some((pattern) => pattern.test(folders)) ||
    (shipped === null && TEST_NAMES.some((pattern) => pattern.test(name)))
  );
}
