/** Folders that hold tests under a name of their own, told by what lies in them: `regress/` of one project, `checks/` of the next. */

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
    const folders = foldersOf(path);
    if (says === "test list") {
      const folder = folders.at(-1);
      if (folder !== undefined) proved.add(folder);
      continue;
    }
    if (TASK_LIST.test(path)) continue;
    for (const folder of folders) {
      const count = counts.get(folder) ?? { files: 0, tests: 0 };
      counts.set(folder, count);
      count.files++;
      if (says === "test") count.tests++;
    }
  }
  for (const [folder, { files, tests }] of counts) {
    if (tests >= TEST_FOLDER.files && tests >= files * TEST_FOLDER.share) proved.add(folder);
  }
  return (path) => proved.size > 0 && foldersOf(path).some((folder) => proved.has(folder));
}

/** The folders that a path lies in, from the top. */
function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
