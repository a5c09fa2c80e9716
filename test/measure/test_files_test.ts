import { describe, expect, test } from "bun:test";
import { expectedStems, folderHint, isTestFile, testFolders } from "../../src/measure/test_files.ts";
import { recordEach } from "../support/mixtures.ts";
import { words } from "../support/words.ts";
import { measureFiles } from "./run.ts";

test("which files are tests by their paths (measure.md 3.4), recorded", () => {
  const paths = words(`
    test/a.js src/__tests__/a.ts a/e2e/b.py cypress/a.js pkg/testdata/a.go src/test/java/A.java
    app/src/androidTest/A.kt shared/src/jvmTest/A.kt src/it/java/A.java src/testFixtures/java/A.java
    My.Tests/A.cs My.Test/A.cs src/My.UnitTests/A.cs src/My.Tests.Shared/A.cs FunctionalTests/A.cs
    Tests/AppTests/A.swift AppUITests/A.swift Tests/Form/A.php benches/a.rs t/01-basic.t xt/lib/A.pm
    cms/test_utils/a.py a.test.ts a.spec-d.mts a.cy.jsx a_test.ts test_a.py a_test.py blog/tests.py
    conftest.py a_test.go a_spec.rb a_test.rb src/tests.rs src/a_tests.rs test_a.c test-a.c a-test.c
    a_test.c tst_a.cpp ATest.java ATests.kt ATestCase.php AIT.java ASpec.scala ASuite.scala TestA.java
    a_test.cc a_unittest.cc a_test.dart a_test.exs a.bats C++/syntax_test_a.cpp A.t.sol
    tests/a/src/main/java/A.java src/main/webapp/a.spec.ts
    contest/a.js latest.ts Manifest.php src/attest.py src/testing/a.ts src/contestants.py a.stories.tsx
    benchmarks/a.js examples/a.py Latest.java Test/a.js fastest_go.go framework/test.py
    packages/test-utils/index.ts src/ab-test.ts src/Contests/A.cs src/main/java/org/a/TestStepResult.java
    src/main/java/org/a/UserSpec.java src/main/java/org/a/test/Helper.java t/index.ts docs/src/it/index.ts
    shared/src/commonMain/kotlin/test/ATest.kt
  `);
  recordEach(paths, isTestFile);
});

/** The files that lie in folders of tests, of those that no runner would pick up. */
function inTestFolders(files: Readonly<Record<string, string>>): string[] {
  const isExpected = expectedStems(Object.keys(files));
  const isInside = testFolders(
    Object.entries(files).map(([path, text]) => folderHint(path, text, isExpected)),
  );
  return Object.keys(files).filter(isInside);
}

const FAILS = '#!/bin/sh\n[ $? -eq 0 ] || \\\n\tfail "it did not start"\n';

describe("folders of tests, by what lies in them", () => {
  test("most of its files compare or tell an outcome, have expected output beside them, or a number alone", () => {
    const folder = {
      "regress/agent.sh": FAILS,
      "regress/scp.sh": "./scp a b\ndiff a b\n",
      "regress/deep/exec.c": 'int main() { puts("FAIL: exec"); }\n',
      "regress/test7.sh": "./run 7\n",
      "regress/show.awk": "1\n",
      "regress/show.out.ok": "1\n",
      "regress/common.sh": "T=1\n",
    };
    expect(inTestFolders({ ...folder, "src/main.c": "int main() {}\n" })).toEqual(Object.keys(folder));
  });

  test("its task list lists tests, and installs nothing", () => {
    const script = "./run\n";
    const list = "TESTS!= echo *.sh\nall: $(TESTS)\n";
    expect(
      inTestFolders({ "checks/Makefile": list, "checks/a.sh": script, Makefile: list, "a.c": "" }),
    ).toEqual(["checks/Makefile", "checks/a.sh"]);
    const automake = "bin_PROGRAMS = a\nTESTS = b.sh\n";
    expect(inTestFolders({ "src/Makefile.am": automake, "src/a.c": "", "src/b.sh": script })).toStrictEqual(
      [],
    );
  });

  test("few such files, or many beside others, make none", () => {
    expect(inTestFolders({ "ci/a.sh": FAILS, "ci/b.sh": FAILS })).toStrictEqual([]);
    expect(
      inTestFolders({
        "ci/a.sh": FAILS,
        "ci/b.sh": FAILS,
        "ci/c.sh": FAILS,
        "ci/d.sh": "x\n",
        "ci/e.sh": "x\n",
      }),
    ).toStrictEqual([]);
    expect(inTestFolders({ "a.sh": FAILS, "b.sh": FAILS, "c.sh": FAILS })).toStrictEqual([]);
  });

  test("a run counts them as tests, and takes their code out of what is compared", async () => {
    const { report } = await measureFiles({
      "main.c": "int main() { return 0; }\n",
      ...Object.fromEntries(["a", "b", "c"].map((name) => [`regress/${name}.sh`, FAILS])),
    });
    expect(report.measures).toMatchObject({ files: 1, code_lines: 1, test_lines: 9 });
  });
});
