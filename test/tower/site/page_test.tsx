import { describe, expect, test } from "bun:test";
import type { UtcDay } from "../../../src/base/time.ts";
import { type CodebaseViewInput, codebaseView } from "../../../src/reports/codebase_view.ts";
import { CODEBASE_RULES } from "../../../src/sites/rule_catalogue.ts";
import { renderDocument } from "../../../src/tower/jsx/jsx-runtime.ts";
import { CodebasePage } from "../../../src/tower/site/codebase_page.tsx";
import { attribute, byId, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
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
  test("a measured 0 is a plain 0", () => {
    const tree = page(only({ vulnerable_dependencies: 0, duplication_percent: 0 }));
    expect(row(tree, "Vulnerable packages")[1]).toBe("0");
    expect(row(tree, "Repeated code")[1]).toBe("0%");
  });

  test("without a comparison report it says No report from a month before yet", () => {
    expect(textOf(page(only({ code_lines: 5 })))).toContain("No report from a month before yet");
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
