import { describe, expect, test } from "bun:test";
import { Walk } from "../../support/tower.ts";

describe("POST /theme", () => {
  test("keeps the look for a year and comes back to the page", async () => {
    const walk = await new Walk().signedIn();
    const response = await walk.post("/theme", { theme: "dark", to: "/settings/tokens?q=a" });
    expect(response.headers.get("location")).toBe("/settings/tokens?q=a");
    expect(response.headers.get("set-cookie")).toContain("Max-Age=31536000");
    expect(await (await walk.get("/settings/tokens")).text()).toContain('data-theme="dark"');
  });

  test("an unknown look is the system's, and another host is the portfolio", async () => {
    const walk = await new Walk().signedIn();
    const response = await walk.post("/theme", { theme: "<b>", to: "//evil.example" });
    expect(response.headers.get("location")).toBe("/");
    expect(walk.cookie("theme")).toBe("system");
  });

  test("comes from our own pages only", async () => {
    const walk = new Walk();
    expect((await walk.post("/theme", { theme: "dark" }, { origin: "https://evil.example" })).status).toBe(
      403,
    );
  });
});
