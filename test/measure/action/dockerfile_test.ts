import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { ignoredBy } from "../../../.ci/image/context.ts";
import {
  copiedFromContext,
  excerpt,
  readDockerfile,
  stagesFor,
  wordsOf,
} from "../../../src/measure/action/parcel.ts";
import { words } from "../../support/words.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const TEXT = readFileSync(join(ROOT, "Dockerfile"), "utf8");
const STAGES = readDockerfile(TEXT);
const MEASURE = stagesFor(STAGES, "measure");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const manifest = (name: string) => JSON.parse(read(`${name}package.json`)) as Manifest;

interface Manifest {
  readonly engines: { readonly bun: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

describe("reading a Dockerfile", () => {
  test("joins continued lines, leaves comments out, and knows each instruction's line, flags and stage", () => {
    const [one, two] = readDockerfile(
      "# top\nFROM image AS one\nRUN a \\\n  # inside\n  && b\n\nFROM one AS two\nCOPY --from=one /x /y\n",
    );
    expect(one).toMatchObject({ line: 2, name: "one", from: "image" });
    expect(one?.instructions).toMatchObject([{ line: 3, word: "RUN", text: "a && b" }]);
    expect(two?.instructions).toMatchObject([{ line: 8, word: "COPY", text: "/x /y" }]);
    expect(two?.instructions[0]?.flags.get("from")).toBe("one");
  });

  test("what is not understood names its line", () => {
    expect(() => readDockerfile("FROM a AS b\nONBUILD x")).toThrow(
      new Error("Dockerfile, line 2: ONBUILD is not understood"),
    );
    expect(() => readDockerfile("RUN x")).toThrow("line 1: RUN before the first FROM");
    expect(() => readDockerfile("FROM a AS b\nRUN x \\")).toThrow("line 2");
    expect(() => stagesFor(STAGES, "else")).toThrow("there is no stage else");
    for (const text of ["a b", '{"a": "b"}', '["a", 1]'])
      expect(() => wordsOf({ line: 3, word: "CMD", text, flags: new Map() })).toThrow(
        "line 3: CMD is read in its JSON form alone",
      );
  });

  test("an excerpt holds the target's stages alone, and reads as they do", () => {
    const part = readDockerfile(excerpt(TEXT, "measure"));
    const steps = (stages: ReturnType<typeof readDockerfile>) =>
      stages.map(({ name, from, instructions }) => [name, from, instructions.map(({ text }) => text)]);
    expect(steps(part)).toEqual(steps(MEASURE));
    expect(part.map(({ name }) => name)).toEqual(["bun", "base", "measure"]);
  });
});

/** The files of this project that a file loads. */
function loads(path: string): string[] {
  const text = read(path).replace(/^import type [^;]*;$/gm, "");
  const loader = path.endsWith("x") ? "tsx" : "ts";
  return new Bun.Transpiler({ loader }).scanImports(text).map((one) => one.path);
}

function reachedFrom(starts: readonly string[]) {
  const files = new Set(starts);
  const packages = new Set<string>();
  for (const path of files) {
    for (const name of loads(path)) {
      if (name.startsWith(".")) files.add(posix.join(dirname(path), name));
      else if (!/^(?:node|bun):/.test(name)) packages.add(name);
    }
  }
  return { files: [...files], packages };
}

describe("the images", () => {
  const own = readdirSync(join(ROOT, "src/measure"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `src/measure/${path}`);
  const reached = reachedFrom(own);
  const copied = copiedFromContext(MEASURE);
  const isCopied = (path: string) => copied.some((one) => path === one || path.startsWith(`${one}/`));
  const step = MEASURE.flatMap(({ instructions }) => instructions.map(({ text }) => text)).find((text) =>
    text.includes("cp -R --parents "),
  );
  const taken = /cp -R --parents (.+) \/measure\/node_modules\//.exec(step ?? "")?.[1]?.split(" ") ?? [];

  test("the measuring image has every file that the measuring command loads, and of the service no other", () => {
    expect(own).toContain("src/measure/main.ts");
    expect(reached.files.length).toBeGreaterThan(own.length);
    expect(reached.files.filter((path) => !isCopied(path))).toStrictEqual([]);
    const ofService = copied.filter((path) => /^src\/(?!measure)/.test(path));
    expect(ofService.filter((path) => !reached.files.includes(path))).toStrictEqual([]);
  });

  test("no image has the demo or its simulators", () => {
    const isIgnored = ignoredBy(read(".dockerignore"));
    const demo = readdirSync(join(ROOT, "src/demo"), { recursive: true, encoding: "utf8" });
    expect(demo.length).toBeGreaterThan(5);
    expect(demo.filter((path) => !isIgnored(`src/demo/${path}`))).toStrictEqual([]);
  });

  test("and its packages, with what they need, and no other", () => {
    const { dependencies = {} } = manifest("src/measure/");
    const texts = reached.files.map(read);
    // A package may be named in a string only: then its files are read, or it is a program.
    const named = Object.keys(dependencies).filter((name) =>
      texts.some((text) => new RegExp(`["'\`/]${name}["'\`/]`).test(text)),
    );
    const needed = new Set([...reached.packages, ...named]);
    for (const name of needed) {
      // One of which some files are taken is none whose code runs.
      if (!taken.includes(name)) continue;
      for (const other of Object.keys(manifest(`node_modules/${name}/`).dependencies ?? {}))
        needed.add(other);
    }
    // Of jscpd, the program for one machine's kind; its launcher is for Node.
    needed.delete("jscpd");
    const packages = taken.map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? "");
    expect([...new Set(packages)].filter((name) => !name.startsWith("jscpd-")).sort()).toEqual(
      [...needed].sort(),
    );
    const files = taken.filter((path) => !path.includes("*"));
    expect(files.filter((path) => !existsSync(join(ROOT, "node_modules", path)))).toStrictEqual([]);
    expect(taken).toContain("jscpd-linux-*-gnu");
  });

  test("everything copied is there, and .dockerignore lets it through, but no data, no packages and no history", () => {
    const isIgnored = ignoredBy(read(".dockerignore"));
    const sources = copiedFromContext(STAGES);
    expect(sources.filter((path) => !existsSync(join(ROOT, path)) || isIgnored(path))).toStrictEqual([]);
    const outside = words("data/credentials.key node_modules/valibot .git/config .build/x test/x.ts .env");
    expect(outside.filter((path) => !isIgnored(path))).toStrictEqual([]);
    expect(isIgnored(".github/actions/codebase-report/action.yml")).toBe(false);
  });

  test("run on the version of Bun that the project names", () => {
    expect([...TEXT.matchAll(/bun-linux-\$kind@([\w.]+)/g)].map(([, version]) => version)).toEqual([
      manifest("").engines.bun,
    ]);
  });
});
