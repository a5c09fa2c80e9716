import { describe, expect, test } from "bun:test";
import { readContract } from "../../src/base/contract.ts";
import { CodebaseReportSchema, MEASURE_KEYS, MEASURE_UNITS } from "../../src/reports/measures.ts";
import { codebaseReport, fullCodebaseReport } from "../support/make/codebase_report.ts";

function judge(report: unknown) {
  return readContract(CodebaseReportSchema, report);
}

function brokenIn(changes: object): string[] {
  const result = judge({ ...codebaseReport(), ...changes });
  return result.ok ? [] : result.errors.map(({ pointer, rule }) => `${pointer} ${rule}`);
}

/** A report without one field of the path that leads to it. */
function without(path: readonly string[]): unknown {
  const copy = structuredClone(fullCodebaseReport()) as unknown as Record<string, unknown>;
  const parent = path.slice(0, -1).reduce((node, key) => node[key] as Record<string, unknown>, copy);
  delete parent[path.at(-1) ?? ""];
  return copy;
}

const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe("what a codebase report may hold (spec, Codebase report)", () => {
  test("a full report passes as it is", () => {
    expect(judge(fullCodebaseReport())).toEqual({ ok: true, value: fullCodebaseReport(), ignored: [] });
  });

  test("asset, generatedAt and measures are enough, and what is absent stays absent (decisions 3)", () => {
    expect(judge(codebaseReport())).toEqual({ ok: true, value: codebaseReport(), ignored: [] });
  });

  test("a figure outside its unit is told what it must be", () => {
    const measures = { files: -1, duplication_percent: 100.1, test_ratio: -0.1, build_passed: 2 };
    const result = judge({ ...codebaseReport(), measures });
    expect(
      result.ok ? [] : result.errors.map(({ pointer, message }) => `${pointer} ${message}`).sort(),
    ).toEqual([
      "/measures/build_passed must be 1 (passed) or 0 (failed)",
      "/measures/duplication_percent must be a number from 0 to 100",
      "/measures/files must be a whole number from 0 to 9007199254740991",
      "/measures/test_ratio must be a number of 0 or more",
    ]);
  });

  for (const field of ["asset", "generatedAt", "measures"]) {
    test(`${field} is required`, () => {
      const result = judge(without([field]));
      expect(result).toMatchObject({ ok: false, errors: [{ pointer: `/${field}`, rule: "required" }] });
    });
  }

  for (const field of [
    "repository",
    "paths",
    "tools",
    "unmeasured",
    "notes",
    "byLanguage",
    "findings",
    "dismissed",
  ]) {
    test(`${field} may be absent, and null is not absent`, () => {
      expect(judge(without([field])).ok).toBe(true);
      expect(brokenIn({ [field]: null })).toEqual([`/${field} type`]);
    });
  }

  for (const list of ["duplicates", "complexFunctions", "unused", "largestFiles"]) {
    test(`findings.${list} may be absent or empty, and the two stay different (spec, Measures 3)`, () => {
      const absent = judge(without(["findings", list]));
      expect(absent.ok && list in (absent.value.findings ?? {})).toBe(false);
      const empty = judge({ ...codebaseReport(), findings: { [list]: [] } });
      expect(empty).toMatchObject({ ok: true, value: { findings: { [list]: [] } } });
    });
  }

  for (const [list, fields] of [
    ["duplicates/0/files", ["lines"]],
    ["unused", ["name", "line"]],
  ] as const) {
    test(`${fields.join(" and ")} of findings.${list} may be absent, as in older reports, and stay so`, () => {
      const report = structuredClone(fullCodebaseReport());
      const items = list === "unused" ? report.findings?.unused : report.findings?.duplicates?.[0]?.files;
      for (const item of items ?? []) for (const field of fields) Reflect.deleteProperty(item, field);
      expect(judge(report)).toEqual({ ok: true, value: report, ignored: [] });
    });
  }

  for (const field of ["remote", "ref", "commit", "committedAt"]) {
    test(`repository.${field} may be absent`, () =>
      expect(judge(without(["repository", field])).ok).toBe(true));
  }

  test("a commit is 40 hexadecimal characters, in either case", () => {
    expect(brokenIn({ repository: { commit: "ABCDEFabcdef".padEnd(40, "0") } })).toEqual([]);
    for (const commit of ["", "0".repeat(39), "0".repeat(41), `${"0".repeat(39)}g`, `${"0".repeat(40)}\n`]) {
      expect(brokenIn({ repository: { commit } })).toEqual(["/repository/commit commit"]);
    }
  });

  test("generatedAt and committedAt are timestamps", () => {
    expect(brokenIn({ generatedAt: "2026-03-01" })).toEqual(["/generatedAt timestamp"]);
    expect(brokenIn({ generatedAt: 5 })).toEqual(["/generatedAt type"]);
    expect(brokenIn({ repository: { committedAt: "2026-02-30T00:00:00Z" } })).toEqual([
      "/repository/committedAt timestamp",
    ]);
  });

  for (const key of MEASURE_KEYS) {
    const rule = MEASURE_UNITS[key];
    test(`${key} is a ${rule}: a wrong number is refused, never read as absent`, () => {
      const over = { count: 2 ** 53, percent: 100.01, ratio: Number.POSITIVE_INFINITY, pass: 2 }[rule];
      for (const wrong of [-1, over, "1", true, null, []]) {
        expect(brokenIn({ measures: { [key]: wrong } })).toEqual([`/measures/${key} ${rule}`]);
      }
      expect(brokenIn({ measures: { [key]: 1 } })).toEqual([]);
    });
  }

  test("-0 is 0", () => {
    const result = judge(codebaseReport({ measures: { code_lines: -0, test_ratio: -0 } }));
    expect(result.ok && Object.is(result.value.measures.code_lines, 0)).toBe(true);
    expect(result.ok && Object.is(result.value.measures.test_ratio, 0)).toBe(true);
  });

  test("a measure key that the contract does not know is named, not stored and not an error", () => {
    const result = judge({
      ...codebaseReport(),
      measures: { code_line: 5, files: 1 },
      unmeasured: { codelines: "x" },
      notes: { code_lined: "x" },
    });
    expect(result).toMatchObject({
      ok: true,
      ignored: ["/measures/code_line", "/unmeasured/codelines", "/notes/code_lined"],
    });
    expect(result.ok && result.value.measures).toEqual({ files: 1 });
  });
});

describe("what is said beside figures and findings", () => {
  test("a note may stand on a key without a value: it is kept, and no page shows it", () => {
    const report = codebaseReport({ notes: { unused_files: "of 12 covered files" } });
    expect(judge(report)).toEqual({ ok: true, value: report, ignored: [] });
  });

  test("a line of a file and a place's own lines are whole numbers of 1 or more", () => {
    for (const wrong of [0, -1, 1.5, 2 ** 53, "3", null]) {
      expect(
        brokenIn({
          findings: {
            duplicates: [{ lines: 3, files: [{ path: "a", startLine: 1, lines: wrong }] }],
            unused: [{ kind: "export", path: "a", line: wrong }],
          },
        }),
      ).toEqual(["/findings/duplicates/0/files/0/lines one-or-more", "/findings/unused/0/line one-or-more"]);
    }
  });

  test("the path of a dismissal is a glob that keeps the rules of a path; its count may be 0", () => {
    const entry = { kind: "path", path: "src/**/*.{js,ts}", reason: "Copied.", count: 0 };
    expect(brokenIn({ dismissed: [entry] })).toEqual([]);
    expect(brokenIn({ dismissed: [{ ...entry, path: "**/../x" }] })).toEqual([
      "/dismissed/0/path path-segment",
    ]);
    expect(brokenIn({ dismissed: [{ ...entry, path: "/x/**" }] })).toEqual([
      "/dismissed/0/path path-relative",
    ]);
    expect(brokenIn({ dismissed: [{ ...entry, path: "x\\*" }] })).toEqual([
      "/dismissed/0/path path-backslash",
    ]);
    for (const count of [-1, 0.5, "1"]) {
      expect(brokenIn({ dismissed: [{ ...entry, count }] })).toEqual(["/dismissed/0/count count"]);
    }
    for (const field of ["kind", "path", "reason", "count"]) {
      const { [field]: _, ...rest } = entry as Record<string, unknown>;
      expect(brokenIn({ dismissed: [rest] })).toEqual([`/dismissed/0/${field} required`]);
    }
  });

  test("names that a page shows in one line hold no control character", () => {
    expect(
      brokenIn({
        findings: { unused: [{ kind: "export", path: "a", name: "a\nb" }] },
        dismissed: [{ kind: "a\u0085", path: "a", name: "\u0000", reason: "x", count: 1 }],
      }),
    ).toEqual([
      "/findings/unused/0/name control-character",
      "/dismissed/0/kind control-character",
      "/dismissed/0/name control-character",
    ]);
  });

  test("a field of a finding that the contract does not know is named and not stored", () => {
    const result = judge({
      ...codebaseReport(),
      findings: { unused: [{ kind: "export", path: "a", names: ["b"] }] },
      dismissed: [{ kind: "path", path: "a", reason: "x", count: 1, until: "2027" }],
    });
    expect(result).toMatchObject({
      ok: true,
      ignored: ["/findings/unused/0/names", "/dismissed/0/until"],
    });
  });
});

describe("bounds of the lists (spec, Limits)", () => {
  const block = { lines: 3, files: [{ path: "a", startLine: 1 }] };
  const lists: readonly (readonly [pointer: string, bound: number, make: (count: number) => object])[] = [
    ["/paths", 20, (n) => ({ paths: many(n, "src") })],
    ["/byLanguage", 12, (n) => ({ byLanguage: many(n, { language: "Go", files: 1, code_lines: 1 }) })],
    ["/findings/duplicates", 20, (n) => ({ findings: { duplicates: many(n, block) } })],
    [
      "/findings/duplicates/0/files",
      10,
      (n) => ({ findings: { duplicates: [{ lines: 3, files: many(n, { path: "a", startLine: 1 }) }] } }),
    ],
    [
      "/findings/complexFunctions",
      20,
      (n) => ({
        findings: { complexFunctions: many(n, { path: "a", name: "f", line: 1, complexity: 16, length: 9 }) },
      }),
    ],
    ["/findings/unused", 50, (n) => ({ findings: { unused: many(n, { kind: "file", path: "a" }) } })],
    [
      "/findings/largestFiles",
      10,
      (n) => ({ findings: { largestFiles: many(n, { path: "a", code_lines: 1 }) } }),
    ],
    ["/dismissed", 50, (n) => ({ dismissed: many(n, { kind: "path", path: "a", reason: "x", count: 1 }) })],
  ];
  for (const [pointer, bound, make] of lists) {
    test(`${pointer} may have ${bound} items and not ${bound + 1}`, () => {
      expect(brokenIn(make(0))).toEqual([]);
      expect(brokenIn(make(bound))).toEqual([]);
      expect(brokenIn(make(bound + 1))).toEqual([`${pointer} max-items`]);
    });
  }

  const texts: readonly (readonly [pointer: string, bound: number, make: (text: string) => object])[] = [
    ["/paths/0", 512, (t) => ({ paths: [t] })],
    ["/repository/remote", 2_048, (t) => ({ repository: { remote: t } })],
    ["/repository/ref", 512, (t) => ({ repository: { ref: t } })],
    ["/tools/image", 512, (t) => ({ tools: { image: t } })],
    ["/tools/lines", 200, (t) => ({ tools: { lines: t } })],
    ["/unmeasured/files", 2_000, (t) => ({ unmeasured: { files: t } })],
    ["/byLanguage/0/language", 200, (t) => ({ byLanguage: [{ language: t, files: 1, code_lines: 1 }] })],
    [
      "/findings/duplicates/0/files/0/path",
      512,
      (t) => ({ findings: { duplicates: [{ lines: 1, files: [{ path: t, startLine: 1 }] }] } }),
    ],
    [
      "/findings/complexFunctions/0/path",
      512,
      (t) => ({
        findings: { complexFunctions: [{ path: t, name: "f", line: 1, complexity: 16, length: 9 }] },
      }),
    ],
    [
      "/findings/complexFunctions/0/name",
      200,
      (t) => ({
        findings: { complexFunctions: [{ path: "a", name: t, line: 1, complexity: 16, length: 9 }] },
      }),
    ],
    ["/findings/unused/0/kind", 200, (t) => ({ findings: { unused: [{ kind: t, path: "a" }] } })],
    ["/findings/unused/0/path", 512, (t) => ({ findings: { unused: [{ kind: "file", path: t }] } })],
    ["/findings/unused/0/name", 200, (t) => ({ findings: { unused: [{ kind: "x", path: "a", name: t }] } })],
    ["/notes/files", 2_000, (t) => ({ notes: { files: t } })],
    ["/dismissed/0/kind", 200, (t) => ({ dismissed: [{ kind: t, path: "a", reason: "x", count: 1 }] })],
    ["/dismissed/0/path", 512, (t) => ({ dismissed: [{ kind: "path", path: t, reason: "x", count: 1 }] })],
    [
      "/dismissed/0/name",
      200,
      (t) => ({ dismissed: [{ kind: "path", path: "a", name: t, reason: "x", count: 1 }] }),
    ],
    ["/dismissed/0/reason", 200, (t) => ({ dismissed: [{ kind: "path", path: "a", reason: t, count: 1 }] })],
    [
      "/findings/largestFiles/0/path",
      512,
      (t) => ({ findings: { largestFiles: [{ path: t, code_lines: 1 }] } }),
    ],
  ];
  for (const [pointer, bound, make] of texts) {
    test(`${pointer} may have ${bound} code points and not ${bound + 1} (decisions 3, Names and lengths)`, () => {
      for (const letter of ["x", "😀"]) {
        expect(brokenIn(make(letter.repeat(bound)))).toEqual([]);
        expect(brokenIn(make(letter.repeat(bound + 1)))).toEqual([`${pointer} max-length`]);
      }
      expect(brokenIn(make("\ud83d"))).toEqual([`${pointer} well-formed`]);
      expect(brokenIn(make(7 as never))).toEqual([`${pointer} type`]);
    });
  }

  test("a tool's name may have 200 code points and no control character; its value 201 are refused", () => {
    expect(brokenIn({ tools: { ["x".repeat(200)]: "1" } })).toEqual([]);
    expect(brokenIn({ tools: { ["x".repeat(201)]: "1" } })).toEqual([`/tools/${"x".repeat(201)} max-length`]);
    expect(brokenIn({ tools: { "a\nb": "1" } })).toEqual(["/tools/a\nb control-character"]);
  });

  test("every path of a report keeps the path rules", () => {
    for (const path of ["../a", "/a", "a\\b", "a\u0000", ""]) {
      const item = (extra: object) => [{ path, ...extra }];
      const broken = brokenIn({
        paths: [path],
        findings: {
          duplicates: [{ lines: 1, files: item({ startLine: 1 }) }],
          complexFunctions: item({ name: "f", line: 1, complexity: 16, length: 9 }),
          unused: item({ kind: "file" }),
          largestFiles: item({ code_lines: 1 }),
        },
        dismissed: item({ kind: "path", reason: "x", count: 1 }),
      });
      expect(broken).toHaveLength(6);
    }
  });

  test("refs hold no control character", () => {
    expect(brokenIn({ repository: { ref: "main\r\nx" } })).toEqual(["/repository/ref control-character"]);
  });

  test("counts inside lists are whole numbers of 0 or more", () => {
    expect(brokenIn({ byLanguage: [{ language: "Go", files: -1, code_lines: 1.5 }] })).toEqual([
      "/byLanguage/0/files count",
      "/byLanguage/0/code_lines count",
    ]);
    expect(brokenIn({ findings: { largestFiles: [{ path: "a", code_lines: "9" }] } })).toEqual([
      "/findings/largestFiles/0/code_lines count",
    ]);
  });

  test("an item of a list that is no object is one broken rule", () => {
    expect(brokenIn({ findings: { unused: ["a", null, []] } })).toEqual([
      "/findings/unused/0 type",
      "/findings/unused/1 type",
      "/findings/unused/2 type",
    ]);
  });
});
