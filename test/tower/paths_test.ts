/** Every address of the Tower is spelled in one file, so that a route and its links cannot drift apart. */

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { paths } from "../../src/tower/paths.ts";
import { PAGES, ROUTES } from "../support/route_table.ts";

const FOLDER = join(import.meta.dir, "..", "..", "src", "tower");
const FILES = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter(
  (name) => /\.tsx?$/.test(name) && name !== "paths.ts",
);

/** What begins like an address in a text of the code: `"/flags"`, a template that goes on from one with `/…`, or a bare `?part=`. */
const SPELLED = [
  /["'`]\/[a-z][\w/:*-]*["'`?$#]/,
  /\$\{[^}]*\}\/[a-z]/,
  /\$\{(?:paths|\w*[pP]ath\()[^}]*\}\?/,
];
/** Ends of addresses that are not the Tower's: those of the ingest, of a repository and of a data folder, in commands to be copied. */
const ELSEWHERE = /\$\{(?:destination|ingest|token|data|root|repository)/;

describe("addresses", () => {
  test("are spelled in paths.ts and nowhere else", () => {
    const spelled = FILES.flatMap((name) =>
      readFileSync(join(FOLDER, name), "utf8")
        .split("\n")
        .filter((line) => !/^\s*(?:\/?\*|\/\/|import |\} from )/.test(line) && !ELSEWHERE.test(line))
        .filter((line) => SPELLED.some((sign) => sign.test(line)))
        .map((line) => `${name}: ${line.trim()}`),
    );
    expect(spelled).toStrictEqual([]);
  });

  test("of every page and act are there", () => {
    const known = new Set(
      Object.values(paths).map((place) =>
        typeof place === "string" ? place : (place as { pattern?: string }).pattern,
      ),
    );
    const patterns = Object.keys(ROUTES).flatMap((route) => {
      const [listener, , path = ""] = route.split(" ");
      return listener === "tower" && !/^\/(?:api\/|healthz|readyz|metrics|openapi|problems)/.test(path)
        ? [path]
        : [];
    });
    expect([...patterns, ...PAGES].filter((pattern) => !known.has(pattern))).toStrictEqual([]);
  });
});
