/**
 * The directions of the source, read from its imports: which room may import which, and the few doors that lead outside. Every exception
 * stands here with its reason.
 */

import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const ROOT = join(import.meta.dir, "..");

/** The rooms of `src`, from the ground up: each imports those above its line, and itself. */
const ROOMS = [
  "base",
  "store",
  "access",
  "providers",
  "health",
  "sites",
  "flags",
  "reports",
  "ledger",
  "signals",
  "rules",
  "archive",
  "integrations",
  "notices",
  "keep",
  "tower",
  "app",
];

/** Where processes begin, at the top of `src`. */
const ENTRIES = ["main.ts", "start.ts", "cli.ts", "tower_command.ts"];

interface Source {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
  /** Specifiers of every import and re-export, types and workers included. */
  readonly imports: readonly string[];
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();
}

const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");

function importsOf(text: string): string[] {
  const patterns = [
    /(?:^|\n)\s*(?:import|export)\b[^"';]*?\bfrom\s*"([^"]+)"/g,
    /(?:^|\n)\s*import\s*"([^"]+)"/g,
    /\bimport\(\s*"([^"]+)"\s*\)/g,
    /new URL\(\s*"(\.[^"]+)"/g,
  ];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ""));
}

const SOURCES: readonly Source[] = filesBelow("src").map((path) => {
  const text = withoutComments(readFileSync(join(ROOT, path), "utf8"));
  return { path, text, imports: importsOf(text) };
});

interface Edge {
  readonly from: string;
  readonly to: string;
}

const EDGES: readonly Edge[] = SOURCES.flatMap(({ path, imports }) =>
  imports
    .filter((specifier) => specifier.startsWith(".") && !specifier.endsWith("/package.json"))
    .map((specifier) => ({ from: path, to: normalize(join(dirname(path), specifier)) })),
);

/** The room of a file, or the file's own name at the top of `src`. */
const roomOf = (path: string): string => path.split("/")[1] ?? "";
const levelOf = (path: string): number => ROOMS.indexOf(roomOf(path));
const written = (edges: readonly Edge[]) => edges.map(({ from, to }) => `${from} -> ${to}`);
const pathsWhere = (holds: (source: Source) => boolean) => SOURCES.filter(holds).map(({ path }) => path);

function reachedFrom(starts: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>(starts);
  // A set is walked in the order of its insertion, what is added on the way included.
  for (const path of reached) for (const { from, to } of EDGES) if (from === path) reached.add(to);
  return reached;
}

/** The files on a circle or between two: the rest after files that import nothing left, or that nothing left imports, are taken away. */
function circles(edges: readonly Edge[]): string[] {
  let left = edges.filter(({ from, to }) => from !== to);
  for (;;) {
    const importers = new Set(left.map(({ from }) => from));
    const imported = new Set(left.map(({ to }) => to));
    const rest = left.filter(({ from, to }) => imported.has(from) && importers.has(to));
    if (rest.length === left.length) return [...importers].sort();
    left = rest;
  }
}

test("the files and names that the guide and the rooms' first files lead to are there", () => {
  const code = SOURCES.map(({ text }) => text).join("\n");
  const words = new Set(code.match(/\w+/g));
  const heads = ROOMS.map((room) => {
    const path = `src/${room}/${room}${room === "tower" ? ".tsx" : ".ts"}`;
    const [head = ""] = readFileSync(join(ROOT, path), "utf8").split("*/");
    return { path, text: head, room };
  });
  const path = ".github/ARCHITECTURE.md";
  const guide = { path, text: readFileSync(join(ROOT, path), "utf8"), room: "" };
  const lost = [guide, ...heads].flatMap(({ path, text, room }) =>
    [...text.matchAll(/`([^`\n]+)`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => {
        if (/^[\w./-]+\.tsx?$/.test(name))
          return !["", "src", "test", `src/${room}`].some((folder) => existsSync(join(ROOT, folder, name)));
        return /^[a-z]+[A-Z][A-Za-z]*$/.test(name) && !words.has(name);
      })
      .map((name) => `${path}: ${name}`),
  );
  expect(lost).toStrictEqual([]);
});

describe("directions", () => {
  test("src holds the rooms, measure and demo beside them, and the entry points alone at its top", () => {
    const found = [...new Set(SOURCES.map(({ path }) => roomOf(path)))].sort();
    expect(found).toEqual([...ROOMS, ...ENTRIES, "demo", "measure"].sort());
  });

  test("a room imports only rooms below it", () => {
    const upward = EDGES.filter(
      ({ from, to }) => levelOf(from) >= 0 && (levelOf(to) < 0 || levelOf(to) > levelOf(from)),
    );
    // The parcel that `action write` puts into a repository is the measuring command's own matter.
    const allowed = /^src\/measure\/action\//;
    expect(written(upward.filter(({ to }) => !allowed.test(to)))).toStrictEqual([]);
  });

  test("no file imports another in a circle, types included", () => {
    // A worker may take its messages' types from the file that starts it.
    expect(circles(EDGES.filter(({ to }) => !/worker\.ts$/.test(to)))).toStrictEqual([]);
  });

  test("every import leads to a file of src, and every file is reached from where a process or a tool begins", () => {
    const known = new Set(SOURCES.map(({ path }) => path));
    // The document of thresholds that a new data folder gets is a text.
    const isText = ({ to }: { readonly to: string }) => to === "src/sites/constants.toml";
    expect(written(EDGES.filter((edge) => !known.has(edge.to) && !isText(edge)))).toStrictEqual([]);
    const begun = [
      ...ENTRIES.map((name) => `src/${name}`),
      "src/app/build.ts",
      // Started by the bundle or from the sources, as main.ts and cli.ts find them.
      "src/app/serve.ts",
      "src/app/run_command.ts",
      "src/store/generate.ts",
      "src/store/kit.ts",
      "src/tower/vendor.ts",
      "src/tower/jsx/jsx-runtime.ts",
      "src/measure/action/generate.ts",
      "src/measure/main.ts",
      "src/measure/file_reader_process.ts",
      "src/demo/main.ts",
    ];
    expect(begun.filter((path) => !known.has(path))).toStrictEqual([]);
    const reached = reachedFrom(begun);
    expect(pathsWhere(({ path }) => !reached.has(path))).toStrictEqual([]);
  });

  test("measure imports the report's contract and a few files of base alone, and reaches no database", () => {
    // The contract's own files; and what is worse copied: the words of a command line, the one HTTP client, whole files, counts in words.
    const allowed =
      /^src\/(?:measure\/|reports\/measures\.ts$|base\/(?:contract|repository|time|command_line|http_client|files|text)\.ts$)/;
    expect(written(EDGES.filter(({ from, to }) => roomOf(from) === "measure" && !allowed.test(to)))).toEqual(
      [],
    );
    const reached = reachedFrom(pathsWhere(({ path }) => roomOf(path) === "measure"));
    expect(
      SOURCES.filter(({ path }) => reached.has(path))
        .filter(({ imports }) => imports.some((name) => /^(?:bun:sqlite|drizzle-orm|elysia)/.test(name)))
        .map(({ path }) => path),
    ).toStrictEqual([]);
  });

  test("the simulators import base alone, so that no mistake of an adapter is made twice", () => {
    const simulator = EDGES.filter(({ from }) => from.startsWith("src/demo/simulator/"));
    expect(written(simulator.filter(({ to }) => !/^src\/(?:demo\/simulator|base)\//.test(to)))).toStrictEqual(
      [],
    );
  });

  test("what runs before there are packages imports none", () => {
    const begun = new Set(["src/start.ts", "src/tower_command.ts", "src/demo/main.ts"]);
    const needing: string[] = [];
    for (const path of begun) {
      const { text = "" } = SOURCES.find((source) => source.path === path) ?? {};
      // A dynamic import loads once the packages are there.
      for (const name of importsOf(text.replaceAll("import(", ""))) {
        if (name.startsWith(".")) begun.add(normalize(join(dirname(path), name)));
        else if (!/^(?:node|bun):/.test(name)) needing.push(`${path} ${name}`);
      }
    }
    expect(begun.size).toBeGreaterThan(6);
    expect(needing).toStrictEqual([]);
  });
});

describe("doors to the outside", () => {
  const importing = (name: RegExp) =>
    pathsWhere(({ imports }) => imports.some((specifier) => name.test(specifier)));

  test("no page asks a table, and SQLite itself is opened in store", () => {
    expect(importing(/^drizzle-orm/).filter((path) => roomOf(path) === "tower")).toStrictEqual([]);
    expect(
      pathsWhere(({ path, text }) => roomOf(path) === "tower" && /["`]\s*(?:SELECT|WITH)\s/.test(text)),
    ).toStrictEqual([]);
    expect(importing(/^bun:sqlite$/).filter((path) => roomOf(path) !== "store")).toStrictEqual([]);
  });

  test("requests go out through fetch, called in base/http_client.ts, and in control.ts for the service's own socket", () => {
    expect(pathsWhere(({ text }) => /(?<![.\w])fetch\(/.test(text))).toEqual([
      "src/app/control.ts",
      "src/base/http_client.ts",
    ]);
    expect(importing(/^(?:node:)?(?:https?|http2|tls|dgram)$/)).toStrictEqual([]);
  });

  test("the environment, the time and the chance of the machine come in through base", () => {
    expect(
      pathsWhere(
        ({ path, text }) =>
          !["base", "measure"].includes(roomOf(path)) &&
          /\bprocess\.env\b|\bBun\.env\b|\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bcrypto\.(?:randomUUID|getRandomValues)\b|\brandomUUIDv7\b/.test(
            text,
          ),
      ),
    ).toStrictEqual([]);
  });

  test("markup is written in tower alone", () => {
    expect(pathsWhere(({ path }) => path.endsWith(".tsx") && roomOf(path) !== "tower")).toStrictEqual([]);
  });
});

describe("the repository", () => {
  test("has its fixed top level", () => {
    const listed = Bun.spawnSync(["git", "ls-files", "--cached", "--others", "--exclude-standard"], {
      cwd: ROOT,
    }).stdout.toString();
    const top = new Set(listed.split("\n").map((path) => path.split("/")[0] ?? ""));
    const allowed =
      "src public drizzle test bunfig.toml package.json tsconfig.json Dockerfile README.md bun.lock".split(
        " ",
      );
    expect(
      [...top].filter((name) => name !== "" && !name.startsWith(".") && !allowed.includes(name)),
    ).toStrictEqual([]);
  });

  test("its lock file names no host: every package comes from wherever the machine's registry is", () => {
    expect(readFileSync(join(ROOT, "bun.lock"), "utf8")).not.toMatch(/https?:\/\//);
  });

  test("every package the service runs with is named in src", () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    const unused = Object.keys(dependencies).filter(
      (name) => !SOURCES.some(({ text }) => new RegExp(`["'\`/]${name}["'\`/]`).test(text)),
    );
    expect(unused).toStrictEqual([]);
  });

  test("a room's first file carries its name and begins with what the room does", () => {
    const silent = ROOMS.filter((room) => {
      const first = SOURCES.find(({ path }) => new RegExp(`^src/${room}/${room}\\.tsx?$`).test(path));
      if (first === undefined) return true;
      const head = /^\s*\/\*\*([\s\S]*?)\*\//.exec(readFileSync(join(ROOT, first.path), "utf8"))?.[1] ?? "";
      return head.trim().split("\n").length < 7;
    });
    expect(silent).toStrictEqual([]);
  });

  test("files are named in snake_case and stay under 700 lines", () => {
    expect(pathsWhere(({ path }) => !/^src(?:\/[a-z0-9_]+)+(?:-runtime)?\.tsx?$/.test(path))).toStrictEqual(
      [],
    );
    expect(pathsWhere(({ text }) => text.split("\n").length > 700)).toStrictEqual([]);
  });

  test("there is no any and no switched-off check", () => {
    expect(pathsWhere(({ text }) => /(?::|<|\bas)\s*any\s*(?=[;,)\]>=|&[{]|$)/m.test(text))).toStrictEqual(
      [],
    );
    const notes = filesBelow("src").filter((path) =>
      /@ts-(?:ignore|expect-error|nocheck)|biome-ignore|\bTODO\b|\bFIXME\b/.test(
        readFileSync(join(ROOT, path), "utf8"),
      ),
    );
    expect(notes).toStrictEqual([]);
  });
});
