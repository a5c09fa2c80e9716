import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { prepareStatic, readStatic } from "../../src/tower/tower.tsx";
import { vendored } from "../../src/tower/vendor.ts";

const PUBLIC = join(import.meta.dir, "../../public");
const bytes = (text: string) => new TextEncoder().encode(text);

describe("static files", () => {
  const files = readStatic(PUBLIC);

  test("every page's files have an address with a content hash, and are found by it", () => {
    for (const name of ["tower.css", "htmx.min.js", "favicon.svg"]) {
      const url = files.url(name);
      expect(url).toMatch(/^\/static\/[a-z.]+\.[0-9a-f]{16}\.(?:css|js|svg)$/);
      expect(files.find(url)?.url).toBe(url);
    }
    expect(files.find("/static/tower.css")).toBeUndefined();
    expect(files.find("/static/../package.json")).toBeUndefined();
  });

  test("another content has another address", () => {
    const urls = ["a", "b"].map((text) => prepareStatic([["x.css", bytes(text)]]).url("x.css"));
    expect(new Set(urls).size).toBe(2);
  });

  test("files of other kinds are not served, and two of one name are refused", () => {
    expect(() => prepareStatic([["README.md", bytes("x")]]).url("README.md")).toThrow();
    expect(() =>
      prepareStatic([
        ["x.css", bytes("a")],
        ["x.css", bytes("b")],
      ]),
    ).toThrow();
  });

  test("what is vendored is what the script makes of the packages, and nothing else", () => {
    const folder = join(PUBLIC, "vendor");
    const made = vendored();
    expect(readdirSync(folder).sort()).toEqual([...made.keys()].sort());
    const other = [...made].filter(([name, bytes]) => !readFileSync(join(folder, name)).equals(bytes));
    expect(other.map(([name]) => name)).toStrictEqual([]);
    expect(made.get("htmx.min.js")?.byteLength).toBeGreaterThan(10_000);
  });
});
