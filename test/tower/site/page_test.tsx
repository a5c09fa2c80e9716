import { describe, expect, test } from "bun:test";
import type { UtcDay } from "../../../src/base/time.ts";
import { type CodebaseViewInput, codebaseView } from "../../../src/reports/codebase_view.ts";
import { MEASURE_KEYS, type Measures } from "../../../src/reports/measures.ts";
import { CODEBASE_RULES } from "../../../src/sites/rule_catalogue.ts";
import { renderDocument } from "../../../src/tower/jsx/jsx-runtime.ts";
import { CodebasePage } from "../../../src/tower/site/codebase_page.tsx";
import { attribute, byId, elements, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import {
  DESTINATION,
  FLAGS,
  inPage,
  reportsOf,
  richInput,
  SITE,
  sentReport,
  viewReport,
} from "../../support/tower_data.ts";

function page(changes: Partial<CodebaseViewInput> = {}) {
  return parsed(
    renderDocument(
      inPage(() => (
        <CodebasePage
          site={SITE}
          view={codebaseView(richInput(changes))}
          annotations={{ marks: [], newest: null }}
          destination={DESTINATION}
        />
      )),
    ),
  );
}

const DAY = "2026-11-18" as UtcDay;
const only = (measures: Parameters<typeof viewReport>[1]) => ({
  reports: [viewReport(DAY, measures)],
  comparison: null,
  latestBody: sentReport(),
});

function row(tree: ReturnType<typeof page>, label: string): readonly string[] {
  const found = rowsOf(tree, "Codebase figures").find(([head]) => head === label);
  if (found === undefined) throw new Error(`no row ${label}`);
  return found;
}

describe("the Codebase tab", () => {
  test("lists the open flags worst first, whichever was raised last", () => {
    const [open] = FLAGS;
    if (open === undefined) throw new Error("no flag");
    const flags = (["info", "warn", "error"] as const).map((severity) => ({
      ...open,
      id: severity,
      severity,
    }));
    const items = elements(byId(page({ flags }), "main"), (element) => element.tagName === "li");
    const severities = items.map((item) => attribute(item, "data-sev")).filter((one) => one !== undefined);
    expect(severities).toEqual(["error", "warn", "info"]);
  });

  test("an unmeasured figure reads Not measured with its reason, and never 0", () => {
    const tree = page(only({}));
    for (const cells of rowsOf(tree, "Codebase figures").slice(1)) {
      expect(cells[1]).toBe("Not measured");
      expect(cells.at(-1)?.length).toBeGreaterThan(10);
    }
    expect(row(tree, "Vulnerable packages").at(-1)).toBe(
      "The sender's workflow did not pass this figure in.",
    );
  });

  test("a measured 0 is a plain 0", () => {
    const tree = page(only({ vulnerable_dependencies: 0, duplication_percent: 0 }));
    expect(row(tree, "Vulnerable packages")[1]).toBe("0");
    expect(row(tree, "Repeated code")[1]).toBe("0%");
  });

  test("without a comparison report it says No report from a month before yet", () => {
    expect(textOf(page(only({ code_lines: 5 })))).toContain("No report from a month before yet");
  });

  test("an empty list reads Nothing unused found. and an omitted one Not measured", () => {
    expect(textOf(page({ latestBody: sentReport({ findings: { unused: [] } }) }))).toContain(
      "Nothing unused found.",
    );
    const omitted = textOf(page({ latestBody: sentReport({ findings: {} }) }));
    expect(omitted).not.toContain("Nothing unused found.");
    expect(omitted).toContain("The report carries no such list.");
  });

  test("the sentence says that its counter was updated between the two reports, and only then", () => {
    const tools = (line_counter: string) => ({ tools: { line_counter, duplication: "5.3.2" } });
    const before = viewReport("2026-10-19" as UtcDay, { code_lines: 100 }, tools("codelines 1.0.0"));
    const said = (line_counter: string, measures: Measures = { code_lines: 125 }) =>
      textOf(
        page({
          reports: [before, viewReport(DAY, measures, tools(line_counter))],
          comparison: { report: before, body: undefined },
        }),
      );
    expect(said("codelines 1.1.0")).toContain(
      "Measuring tools updated between the two, so a part of the change may be theirs.",
    );
    expect(said("codelines 1.0.0")).not.toContain("Measuring tools updated");
    expect(said("codelines 1.1.0", {})).toContain("Lines of code: Not measured. Visitors");
    expect(said("codelines 1.1.0", {})).not.toContain("a part of the change");
  });

  test("every figure has its tool's version beside it, also a 0", () => {
    const tools = {
      line_counter: "codelines 1.1.0",
      duplication: "jscpd 5.3.2",
      complexity: "tree-sitter 1",
      unused: "codemodules 1.0.0",
      history: "codehistory 1.0.0",
      dependencies: "codepackages 1.0.0",
    };
    const zeros = Object.fromEntries(MEASURE_KEYS.map((key) => [key, 0]));
    const tree = page({ reports: [viewReport(DAY, zeros, { tools })], comparison: null });
    const by = rowsOf(tree, "Codebase figures").map((cells) => cells.at(-2));
    expect(by).toEqual([
      "Measured by",
      "codelines 1.1.0",
      "jscpd 5.3.2",
      "codemodules 1.0.0",
      "tree-sitter 1",
      "codelines 1.1.0",
      "",
      "",
      "",
      "codehistory 1.0.0",
      "codehistory 1.0.0",
      "codehistory 1.0.0",
      "codepackages 1.0.0",
    ]);
  });

  test("unused exports are told by name and place, the same name in two files twice; each copy by its own length", () => {
    const one = (path: string, line: number) => ({ kind: "export", path, name: "sleep", line });
    const tree = page({
      latestBody: sentReport({
        findings: {
          unused: [one("src/a.ts", 12), one("src/b.ts", 3), { kind: "file", path: "src/old.ts" }],
          duplicates: [
            {
              lines: 41,
              files: [
                { path: "src/x.ts", startLine: 1, lines: 41 },
                { path: "src/y.ts", startLine: 9, lines: 1 },
                { path: "src/z.ts", startLine: 5 },
              ],
            },
          ],
        },
      }),
    });
    expect(rowsOf(tree, "Unused code").slice(1)).toEqual([
      ["sleepsrc/a.ts:12", "export"],
      ["sleepsrc/b.ts:3", "export"],
      ["src/old.ts", "file"],
    ]);
    expect(rowsOf(tree, "Repeated blocks").slice(1)).toEqual([
      ["src/x.ts:1 41 linessrc/y.ts:9 1 linesrc/z.ts:5", "41"],
    ]);
  });

  test("names that every object has are names like others: of tools, and of what was left out", () => {
    const tools = (version: string) => ({ toString: version, valueOf: version });
    const [then, latest] = reportsOf(31, 1, DAY).map((report, day) => ({
      ...report,
      tools: tools(`${day}`),
    }));
    if (then === undefined || latest === undefined) throw new Error("no two reports");
    const tree = page({
      reports: [then, latest],
      comparison: { report: then, body: sentReport({ tools: then.tools }) },
      latestBody: sentReport({
        tools: latest.tools,
        dismissed: [{ kind: "constructor", path: "a.ts", reason: "x", count: 1 }],
      }),
    });
    expect(rowsOf(tree, "Left out by the repository")[1]).toEqual(["constructor a.tsx", "1"]);
    expect(textOf(byId(tree, "block-measured-with"))).toContain("toString");
    expect(textOf(tree)).not.toContain("native code");
  });

  test("marks each rule's flag over the figure that the rule judges", () => {
    const [first] = FLAGS;
    if (first === undefined) throw new Error("no flag");
    const flags = CODEBASE_RULES.map((rule) => ({ ...first, id: rule, rule, message: `a flag of ${rule}` }));
    const marked = tagged(page({ flags }), "svg").flatMap((plot) => {
      const [figure] = (attribute(plot, "aria-label") ?? "").split(" by day");
      const titles = tagged(plot, "title").map(textOf);
      const over = flags.filter(({ message }) => titles.includes(message));
      return attribute(plot, "role") === "group" ? over.map(({ rule }) => `${figure}: ${rule}`) : [];
    });
    expect(marked).toEqual([
      "Lines of code: codebase-growth",
      "Repeated code: codebase-duplication",
      "Unused code: codebase-unused",
      "Hard-to-change functions: codebase-complexity",
    ]);
  });

  test("gives no score, no grade, no arrow and no cause", () => {
    expect(textOf(byId(page(), "main"))).not.toMatch(/score|grade|because|caused|quality|▲|▼|↑|↓/i);
  });
});
