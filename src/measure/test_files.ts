/** Which files are tests: the defaults of the usual test runners, case-sensitive. */

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
];

/** Directory shapes: Maven and Gradle source sets, .NET test projects. */
export const TEST_DIRECTORIES: readonly RegExp[] = [
  /(^|\/)src\/(test|androidTest|commonTest|integrationTest)\//,
  /(^|\/)[^/]+\.Tests?\//,
];

/** File names that runners pick up by default. */
export const TEST_NAMES: readonly RegExp[] = [
  /\.(test|spec|cy|e2e)(-d)?\.[cm]?[jt]sx?$/,
  /^test_.*\.py$/,
  /_test\.(py|go|rb|cc|cpp|dart|exs)$/,
  /^conftest\.py$/,
  /_spec\.rb$/,
  /(Test|Tests|TestCase|IT|Spec)\.(java|kt|cs|php|scala|swift|groovy)$/,
  /^Test.*\.java$/,
  /_unittest\.(cc|cpp)$/,
];

const SEGMENTS = new Set(TEST_SEGMENTS);

/** Whether a path is a test file. */
export function isTestFile(path: string): boolean {
  const segments = path.split("/");
  const name = segments.pop() ?? "";
  return (
    segments.some((segment) => SEGMENTS.has(segment)) ||
    TEST_DIRECTORIES.some((pattern) => pattern.test(path)) ||
    TEST_NAMES.some((pattern) => pattern.test(name))
  );
}
