import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HELP, readArguments, readPassedIn } from "../../src/measure/arguments.ts";
import { ingestAddress } from "../../src/measure/post.ts";
import { readPaths } from "../../src/measure/usable.ts";
import { recordEach } from "../support/mixtures.ts";
import { words } from "../support/words.ts";

const ENV = { ASSET: "harbor" };
/** As long as the name of an image may be. */
const LONGEST = `${"i".repeat(512 - 72)}@sha256:${"a".repeat(64)}`;
const DIGEST = `img@sha256:${"a".repeat(64)}`;

function command(args: readonly string[], env: Record<string, string> = ENV) {
  const read = readArguments(args, env);
  if (read.kind !== "run") throw new Error(read.kind === "usage" ? read.message : read.kind);
  return read.command;
}

describe("the command line (measure.md 3)", () => {
  test("a checkout alone writes to standard output, and so does --out -", () => {
    expect(command(["repo"])).toMatchSnapshot();
    expect(command(["repo", "--all"]).all).toBe(true);
    expect(command(["repo", "--out", "-"]).destination).toEqual({ kind: "stdout" });
    expect(command(["repo", "--out", "r.json"]).destination).toEqual({ kind: "file", path: "r.json" });
  });

  test("--post takes its address and token from the environment", () => {
    const env = { ...ENV, ASSET_TOKEN: "t0ken" };
    expect(command(["repo", "--post"], env).destination).toEqual({
      kind: "post",
      base: "http://127.0.0.1:4610",
      token: "t0ken",
    });
    expect(command(["repo", "--post"], { ...env, INGEST_URL: "https://x.test" }).destination).toMatchObject({
      base: "https://x.test",
    });
  });

  test("the image counts with its digest only, the ref comes from the workflow", () => {
    expect(
      command(["repo"], { ...ENV, MEASURE_IMAGE: DIGEST, GITHUB_REF_NAME: "", CI_COMMIT_REF_NAME: "main" }),
    ).toMatchObject({ image: DIGEST, ref: "main" });
    expect(command(["repo"], { ...ENV, MEASURE_IMAGE: LONGEST })).toMatchObject({ image: LONGEST });
    expect(command(["repo"], { ...ENV, MEASURE_IMAGE: `i${LONGEST}` })).not.toHaveProperty("image");
    expect(command(["repo"], { ...ENV, MEASURE_IMAGE: "img:latest" }).image).toBeUndefined();
  });

  test("what is wrong usage is said in words, recorded", () => {
    const posts = { ...ENV, ASSET_TOKEN: "t" };
    const calls: readonly (readonly [args: string, env: Record<string, string>])[] = [
      ...(["", "a b", "repo --nope", "repo --out", "repo --post", "repo --path ../x"] as const).map(
        (args) => [args, ENV] as const,
      ),
      ...[{}, { ASSET: "-x" }].map((env) => ["repo", env] as const),
      ["repo --measure code_lines=1", ENV],
      ["repo --out x --post", posts],
      ["repo --post", { ...ENV, ASSET_TOKEN: "a b" }],
      ["repo --post", { ...posts, INGEST_URL: "ftp://x" }],
    ];
    recordEach(calls, ([args, env]) => readArguments(args === "" ? [] : words(args), env));
  });

  test("--help needs nothing else", () => {
    expect(readArguments(["--help"], {}).kind).toBe("help");
    expect(HELP).toMatchSnapshot();
  });
});

describe("--measure (measure.md 3.10)", () => {
  test("passes, failures, counts and what sends nothing", () => {
    const value = (...texts: readonly string[]) => readPassedIn(texts);
    for (const text of ["1", "true", "success", "passed"])
      expect(value(`build_passed=${text}`)).toEqual({ build_passed: 1 });
    for (const text of ["0", "false", "failure", "failed"])
      expect(value(`tests_passed=${text}`)).toEqual({ tests_passed: 0 });
    for (const text of ["", "skipped", "cancelled", "neutral"])
      expect(value(`build_passed=${text}`, `vulnerable_dependencies=${text}`)).toEqual({});
    expect(value("vulnerable_dependencies=0")).toEqual({ vulnerable_dependencies: 0 });
    expect(value("vulnerable_dependencies=12")).toEqual({ vulnerable_dependencies: 12 });
  });

  test("anything else is refused in words, recorded", () => {
    const counts = ["-1", "1.5", "1e3", "99999999999999999"].map((text) => `vulnerable_dependencies=${text}`);
    const texts = words("build_passed build_passed=maybe build_passed=constructor functions=1 =1");
    recordEach([...texts, ...counts], (text) => readPassedIn([text]));
  });
});

describe("--path (measure.md 3.10)", () => {
  test("paths are normalised, each once, and nothing means the whole tree", () => {
    expect(readPaths([])).toEqual(["."]);
    expect(readPaths(["./src/", "src", "a//b/./c", ".", "./"])).toEqual(["src", "a/b/c", "."]);
  });

  test("20 are allowed, 21 are not", () => {
    const paths = (count: number) => readPaths(Array.from({ length: count }, (_, i) => `p${i}`));
    expect(paths(20)).toHaveLength(20);
    expect(paths(21)).toBe("--path: at most 20; pass a parent directory");
  });

  test("a path never leaves the repository", () => {
    for (const path of ["", "/", "/etc", "..", "a/../..", "a\\b", "C:/x", "a\nb", "x".repeat(513)]) {
      expect(readPaths([path])).toBeString();
    }
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("..", ".", "a", "/", "\\", "", "\u0007"), { maxLength: 8 }),
        (parts) => {
          const read = readPaths([parts.join("/")]);
          if (typeof read !== "string") for (const path of read) expect(path.split("/")).not.toContain("..");
        },
      ),
    );
  });
});

test("the ingest's route is added to its base, and once", () => {
  const once = ingestAddress("https://in.example/tower/");
  expect([once, ingestAddress(once)]).toEqual(Array(2).fill("https://in.example/tower/api/codebase-report"));
});
