import { describe, expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { Live } from "../../../src/tower/kit/live.tsx";
import { attribute, byId, parsed } from "../../support/html.ts";

const part = (html: string) => byId(parsed(html), "part");

describe("a part that refreshes itself", () => {
  test("asks for itself at its period, and is morphed rather than replaced", () => {
    const live = part(
      render(
        <Live id="part" href="/flags?part=list" every={5}>
          x
        </Live>,
      ),
    );
    expect(attribute(live, "hx-get")).toBe("/flags?part=list");
    expect(attribute(live, "hx-trigger")).toBe("tick:5 from:body");
    expect(attribute(live, "hx-swap")).toBe("outerMorph");
    expect(attribute(live, "hx-select")).toBeUndefined();
  });

  test("is taken from its whole page where that is what it asks for", () => {
    const live = part(
      render(
        <Live id="part" href="/" fromPage label="Sites">
          x
        </Live>,
      ),
    );
    expect(attribute(live, "hx-select")).toBe("#part");
    expect(attribute(live, "hx-trigger")).toBe("tick:60 from:body");
    expect([live.tagName, attribute(live, "aria-label")]).toEqual(["section", "Sites"]);
  });

  test("stands still where nothing new can come, and is brought along where another answer changes it", () => {
    const still = part(
      render(
        <Live id="part" href={null} fromPage brought status>
          x
        </Live>,
      ),
    );
    for (const name of ["hx-get", "hx-trigger", "hx-select", "hx-swap"])
      expect(attribute(still, name)).toBeUndefined();
    expect(attribute(still, "hx-swap-oob")).toBe("outerMorph");
    expect(attribute(still, "aria-live")).toBe("polite");
  });
});
