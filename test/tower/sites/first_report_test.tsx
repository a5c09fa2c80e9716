import { describe, expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { FirstReport } from "../../../src/tower/sites/add_site_routes.tsx";
import { attribute, byId, parsed, tagged, textOf } from "../../support/html.ts";
import { inPage, NOW, refusedReport, TODAY } from "../../support/tower_data.ts";

describe("waiting for the first report", () => {
  test("asks every 5 seconds while it waits", () => {
    const tree = parsed(
      render(inPage(() => <FirstReport asset="kiln" heard={{ state: "waiting", rejected: null }} />)),
    );
    const part = byId(tree, "first-report");
    expect(attribute(part, "data-ask")).toBe("/sites/kiln/first-report?part=heard");
    expect(attribute(part, "data-every")).toBe("5");
    expect(attribute(part, "aria-live")).toBe("polite");
    expect(textOf(part)).toContain("Waiting for the first report");
  });

  test("shows why a report was refused", () => {
    const heard = { state: "waiting" as const, rejected: refusedReport("/measures") };
    expect(textOf(parsed(render(inPage(() => <FirstReport asset="kiln" heard={heard} />))))).toContain(
      "Report refused at 14:02:10, 422: /measures must be a whole number of 0 or more",
    );
  });

  test("turns when the report is there, links to what to see, and asks no more", () => {
    const heard = {
      state: "received" as const,
      report: "codebase" as const,
      receivedAt: NOW,
      date: TODAY,
      revision: 1,
      values: 17,
    };
    const part = byId(
      parsed(render(inPage(() => <FirstReport asset="kiln" heard={heard} />))),
      "first-report",
    );
    expect(part.attrs.some(({ name }) => name.startsWith("hx-"))).toBe(false);
    expect(textOf(part)).toContain("First codebase report received at 14:02:10 UTC: revision 1 of 20 Nov");
    expect(tagged(part, "a").map((link) => attribute(link, "href"))).toEqual(["/sites/kiln/codebase"]);
  });
});
