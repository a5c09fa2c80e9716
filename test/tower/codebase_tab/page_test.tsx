import { describe, expect, test } from "bun:test";
import { type CodebaseViewInput, codebaseView } from "../../../src/codebase/view.ts";
import type { UtcDay } from "../../../src/lib/utc_day.ts";
import { CODEBASE_RULES } from "../../../src/rules/mod.ts";
import { CodebasePage } from "../../../src/tower/codebase_tab/page.tsx";
import { renderDocument } from "../../../src/tower/jsx/jsx-runtime.ts";
import { attribute, byId, elements, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import {
  DESTINATION,
  FLAGS,
  reportsOf,
  richInput,
  SITE,
  sentReport,
  shellOf,
  viewReport,
} from "../../support/tower_data.ts";

function page(changes: Partial<CodebaseViewInput> = {}) {
  return parsed(
    renderDocument(
      <CodebasePage
        shell={shellOf()}
        site={SITE}
        view={codebaseView(richInput(changes))}
        annotations={[]}
        destination={DESTINATION}
      />,
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
  test("starts with the sentence", () => {
    const [lede] = elements(page(), (element) => attribute(element, "class") === "lede");
    expect(lede === undefined ? "" : textOf(lede)).toMatch(
      /^The code grew [\d.]+% in 30 days while visitors grew 14\.2%\.$/,
    );
  });

  test("gives each figure with its companions", () => {
    const tree = page();
    expect(row(tree, "Lines of code").at(-1)).toBe("5,102 comment lines · 618 files · 6 languages");
    expect(row(tree, "Repeated code").at(-1)).toBe("3,982 repeated lines · 61 blocks");
    expect(row(tree, "Hard-to-change functions").at(-1)).toBe(
      "3,911 functions · highest complexity 61 · average 3.4",
    );
    expect(row(tree, "Test coverage by size")[1]).toBe("0.71");
  });

  test("reads Build and Tests as Passed or Failed with the count of 30 days", () => {
    const tree = page();
    expect(row(tree, "Build").slice(1, 3)).toEqual(["Passed", "Passed"]);
    expect(row(tree, "Tests")[1]).toBe("Failed");
    expect(row(tree, "Build").at(-1)).toMatch(/^\d+ of 10 reports passed in 30 days$/);
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

  test("marks the reports where the measuring tools were updated, in the chart and in its table", () => {
    const tree = page();
    const rows = rowsOf(tree, "One row per report, newest first");
    expect(rows.filter((cells) => cells.at(-1) === "Measuring tools updated").length).toBe(2);
    expect(textOf(byId(tree, "over-time"))).toContain("Measuring tools updated");
  });

  test("the table of the numbers holds 100 rows at most and says so", () => {
    const tree = page({ reports: reportsOf(1_095, 1, DAY), range: "all" });
    const captions = tagged(tree, "caption").map(textOf);
    const caption = captions.find((words) => words.startsWith("The newest 100 of 1095"));
    expect(rowsOf(tree, caption ?? "").length).toBe(101);
  });

  test("shows each flag with its message and the numbers the rule used", () => {
    const text = textOf(page());
    expect(text).toContain("8.6% of the code is repeated.");
    expect(text).toContain("Fires at, duplication percent");
    expect(text).toContain("codebase-duplication");
  });

  test("marks each rule's flag over the figure that the rule judges", () => {
    const [first] = FLAGS;
    if (first === undefined) throw new Error("no flag");
    const flags = CODEBASE_RULES.map((rule) => ({ ...first, id: rule, rule, message: `a flag of ${rule}` }));
    const marked = tagged(page({ flags }), "svg").flatMap((plot) => {
      const [figure] = (attribute(plot, "aria-label") ?? "").split(" by report");
      const titles = tagged(plot, "title").map(textOf);
      const over = flags.filter(({ message }) => titles.includes(message));
      return attribute(plot, "role") === "img" ? over.map(({ rule }) => `${figure}: ${rule}`) : [];
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

  test("names the ways to send a report, and the one that is not built", () => {
    const text = textOf(page({ reports: [] }));
    expect(text).toContain("No codebase report yet");
    expect(text).toContain("bun run tower measure path/to/checkout --post");
    expect(text).toContain("./.github/actions/codebase-report");
    expect(text).toContain("Central pull Coming later");
  });
});
