/**
 * The shape of the source, read from its text: who may import whom, and which doors lead outside. Every exception stands here with
 * its reason.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const ROOT = join(import.meta.dir, "..");

/** Folders and files at the top of `src`, from the ground up. A line may import from the lines above it, and within itself. */
const LEVELS: readonly (readonly string[])[] = [
  ["lib"],
  ["rules"],
  ["platform", "db"],
  // What providers speak: pure requests and answers, and the doors to them.
  ["provider"],
  // The action of repositories: what it is made of, and writing it into a checkout.
  ["action"],
  ["audit", "monitoring", "refusals", "tokens", "jobs", "objects"],
  ["assets", "operators", "constants", "health", "wall_links"],
  ["credentials"],
  ["flags", "annotations", "ledger", "reports", "series"],
  ["pulse", "codebase", "signals", "insights"],
  // Asks a provider as the signals do, and books what that cost; looks at what an operator chose.
  ["panels", "calendars"],
  ["flow", "live", "connections", "archive", "channels"],
  ["freshness", "machine", "check", "rebuild", "removal", "integrations"],
  // What is sent to channels, of flags and of how integrations stand.
  ["notices"],
  // Checks every copy it makes and every file it restores.
  ["backup"],
  ["tower"],
  // Only types: every outside thing, once. Below the commands, which are given them.
  ["deps.ts"],
  // The table of jobs: a command runs one of them by its name.
  ["schedule.ts"],
  ["command"],
  [
    "schema.ts",
    "app.ts",
    "bind_fault.ts",
    "boot.ts",
    "control.ts",
    "damage_worker.ts",
    "data_folder.ts",
    "health_routes.ts",
    "ingest_app.ts",
    "listener_edge.ts",
    "meta_routes.ts",
    "openapi.ts",
    "openapi_operation.ts",
    "scrape.ts",
    "starting.ts",
    "where.ts",
  ],
  ["serve.ts", "run_command.ts", "bundle.ts"],
  ["prepare.ts"],
  ["main.ts", "start.ts", "cli.ts", "build.ts"],
  ["tower_command.ts"],
  // Providers for tests, benches and the demo. It imports nothing of what it is there to try, and nothing of the service imports it.
  ["simulator"],
  // Starts the service beside the simulators and fills it through its own doors.
  ["demo"],
];

/** Folders of tools without a feature of their own: each file is its own door. */
const OPEN_FOLDERS = new Set([
  "calendars",
  "channels",
  "ledger",
  "lib",
  "notices",
  "panels",
  "platform",
  "provider",
]);

/** Files that hold decisions and calculations: data in, decision out. */
const CORE_NOUNS = new Set(
  "baseline block chain comparison detail difference figures measures reading rebuild rule rules sentence series stretch thresholds transitions window".split(
    " ",
  ),
);

/** Every statement that changes or removes a row, with why it may. */
const CHANGES: readonly (readonly [file: string, statement: string, why: string])[] = [
  ["src/db/read_model.ts", "DELETE {name}", "a row of a read model that its records do not lead to"],
  [
    "src/calendars/store.ts",
    "update(calendar)",
    "what is to come is a read model of the calendar: what came goes out of it, each good read replaces it",
  ],
  [
    "src/calendars/store.ts",
    "delete(calendar)",
    "a calendar that is removed goes with its address; its acts stand in the audit",
  ],
  [
    "src/archive/manifest_copy.ts",
    "DELETE archive_copy",
    "a file beside the objects that the next run writes again from the manifest",
  ],
  [
    "src/archive/skip_store.ts",
    "DELETE archive_skip",
    "what was left out as it was last looked at; a report that is asked for has rows of its own",
  ],
  [
    "src/flags/store.ts",
    "UPDATE flag",
    "a flag is resolved in its current row, while the record of it is appended",
  ],
  ["src/flags/store.ts", "update(flag)", "the flag's current row; it is rebuilt from flag_record"],
  [
    "src/monitoring/store.ts",
    "DELETE monitoring_failure",
    "a failure that ended is none that lasts; its beginning and end stand in monitoring_event",
  ],
  [
    "src/refusals/store.ts",
    "DELETE refused_report",
    "what was refused is no report: the newest kinds are kept, so that a flood cannot fill the disk",
  ],
  ["src/refusals/store.ts", "DELETE refused_streak", "a good report ends the refusals in a row"],
  [
    "src/pulse/store.ts",
    "update(pulseFreshness)",
    "that a last report lies ahead of the clock is seen after it was noted",
  ],
  [
    "src/flags/snooze_store.ts",
    "delete(flagSnooze)",
    "a snooze that is taken back; the act stands in flag_record",
  ],
  [
    "src/jobs/store.ts",
    "DELETE job_lease",
    "a job that is given free; how its run ended stands in job_end from the same transaction on",
  ],
  [
    "src/signals/attempt_pack_store.ts",
    "DELETE pull_attempt",
    "an attempt that stands in a pack, and is not the latest of its target; a trigger refuses any other",
  ],
  [
    "src/series/store.ts",
    "DELETE series_block",
    "the days of series as they stand, of which none may be left; they are rebuilt from what was told",
  ],
  [
    "src/pulse/waiting_store.ts",
    "DELETE pulse_waiting",
    "a report that is judged waits no longer; its verdicts and flags stand in the same transaction",
  ],
  [
    "src/signals/waiting_store.ts",
    "DELETE signal_waiting",
    "a site and source that is judged waits no longer; what the rules say of it stands in the same transaction",
  ],
  [
    "src/insights/store.ts",
    "DELETE insight",
    "what is older than the newest dates of a family; it was made of reports, which the archive keeps",
  ],
  [
    "src/notices/outbox_store.ts",
    "UPDATE notice",
    "how far a delivery is: held, sent, received or given up; a receipt is never overwritten",
  ],
  [
    "src/notices/outbox_store.ts",
    "DELETE notice",
    "a message that was never sent and has nothing to say any more, or whose channel is paused or gone",
  ],
  [
    "src/notices/outbox_store.ts",
    "DELETE notice_item",
    "what quiet hours hold back, where a newer message says the same at once",
  ],
  ["src/notices/outbox_store.ts", "UPDATE notice_channel", "when the newest heartbeat was sent"],
  [
    "src/reports/body_store.ts",
    "DELETE {bodies}",
    "a body that stands in a pack from the same transaction on; a trigger refuses any other",
  ],
  [
    "src/reports/body_store.ts",
    "DELETE {packs}",
    "a pack whose every body stands in a larger one of the same transaction; a trigger refuses any other",
  ],
  [
    "src/flow/tally_store.ts",
    "DELETE flow_progress",
    "how far a report is recorded that is now recorded whole; what it came to stands in flow_tally",
  ],
  [
    "src/credentials/sealed_texts.ts",
    "UPDATE {table}",
    "a text sealed with another key, or given up: the row keeps its current revision",
  ],
  [
    "src/credentials/store.ts",
    "update(credential)",
    "a credential's current row: its label, its providers, another secret; each act stands in the audit",
  ],
  [
    "src/credentials/store.ts",
    "delete(credential)",
    "a credential that an operator removes: a secret that is not wanted is not kept; the act stands in the audit",
  ],
  [
    "src/credentials/attachment_store.ts",
    "delete(attachment)",
    "which property a site's figures come from now; each change stands in the audit",
  ],
  [
    "src/credentials/attachment_store.ts",
    "UPDATE detachment",
    "a connection that was taken away follows its account to another secret, which stands in the audit",
  ],
  [
    "src/credentials/attachment_store.ts",
    "DELETE detachment",
    "a connection that is made again or forgotten; that it was taken away, and each of these, stands in the audit",
  ],
  [
    "src/credentials/property_store.ts",
    "delete(property)",
    "what a credential gives access to is as it was last told, and no record",
  ],
  [
    "src/health/pause_store.ts",
    "DELETE health_pause",
    "what is paused now; each pause and each end that an operator makes stands in the audit",
  ],
  [
    "src/archive/damage_store.ts",
    "DELETE archive_damage",
    "an object that is whole again; that it was damaged stands in monitoring_event",
  ],
  [
    "src/live/lease_store.ts",
    "UPDATE live_lease",
    "when a question about traffic may be asked again, as it stands now; no record of it is kept",
  ],
  [
    "src/panels/store.ts",
    "update(panel)",
    "a panel that is removed is asked for no more; the act stands in the audit, and its runs stay",
  ],
  ["src/assets/store.ts", "update(asset)", "the portfolio's current row; each change stands in the audit"],
  [
    "src/assets/store.ts",
    "delete(assetFamily)",
    "a site's declared families are replaced whole; the act stands in the audit",
  ],
  [
    "src/assets/group_store.ts",
    "DELETE asset_group",
    "a site that is in no group any more; the act stands in the audit",
  ],
  [
    "src/assets/store.ts",
    "delete(asset)",
    "a mistaken site of which nothing is stored is taken out; the act stands in the audit",
  ],
  [
    "src/assets/store.ts",
    "delete(siteToken)",
    "the tokens of a site that is taken out; their revocation stands in the audit",
  ],
  [
    "src/operators/store.ts",
    "delete(operator)",
    "an operator who is removed; the act stands in the audit, and what they did under their name",
  ],
  [
    "src/operators/store.ts",
    "delete(apiToken)",
    "the tokens of an operator who is removed; their revocation stands in the audit",
  ],
  [
    "src/tokens/mod.ts",
    "UPDATE {table}",
    "revocation and last use of a token; a revocation stands in the audit",
  ],
  ["src/operators/store.ts", "update(operator)", "a changed password; the act stands in the audit"],
  ["src/operators/session_store.ts", "update(operatorSession)", "when a session was last seen"],
  ["src/operators/session_store.ts", "delete(operatorSession)", "sessions end; the act stands in the audit"],
  ["src/operators/device_store.ts", "update(operatorDevice)", "when a browser was last signed in with"],
  [
    "src/operators/device_store.ts",
    "delete(operatorDevice)",
    "a browser that is known no more only counts as a stranger's; it opens nothing",
  ],
  [
    "src/operators/look_store.ts",
    "DELETE operator_look",
    "when an operator last looked; who is removed looks no more",
  ],
  ["src/operators/setup_link_store.ts", "update(setupLink)", "a set-up link is used once"],
  ["src/operators/session_store.ts", "delete(setupLink)", "set-up links end with every session"],
  ["src/operators/setup_link_store.ts", "delete(setupLink)", "an earlier set-up link ends with the next one"],
  [
    "src/operators/throttle_store.ts",
    "delete(signInThrottle)",
    "counts of failed sign-ins end with their window",
  ],
];

interface Source {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
  /** Specifiers of every import and re-export, types included. */
  readonly imports: readonly string[];
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();
}

/** Text without comments; strings stay, so that specifiers are kept. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}

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

/** The part of `src` a file belongs to: its folder, or the file itself at the top. */
const partOf = (path: string): string => path.split("/")[1] ?? "";
const levelOf = (part: string): number => LEVELS.findIndex((level) => level.includes(part));

interface Edge {
  readonly from: string;
  readonly to: string;
}

/** The repository's own name and version, which the service answers with. */
const PACKAGE = /^(?:\.\.\/)+package\.json$/;

const EDGES: readonly Edge[] = SOURCES.flatMap(({ path, imports }) =>
  imports
    .filter((specifier) => specifier.startsWith(".") && !PACKAGE.test(specifier))
    .map((specifier) => ({ from: path, to: normalize(join(dirname(path), specifier)) })),
);

/** The one file that gathers the tables of every feature. */
const GATHERER = "src/schema.ts";

const written = (edges: readonly Edge[]) => edges.map(({ from, to }) => `${from} -> ${to}`);
const pathsWhere = (holds: (source: Source) => boolean) => SOURCES.filter(holds).map(({ path }) => path);
/** The names in the braces that a pattern finds, as the part of each that `part` finds. */
function namesIn(text: string, braces: RegExp, part: RegExp): string[] {
  return [...text.matchAll(braces)]
    .flatMap(([, inner]) => (inner ?? "").split(","))
    .map((name) => name.trim().replace(/^type /, ""))
    .flatMap((name) => {
      const [, one, other] = part.exec(name) ?? [];
      return one ?? other ?? [];
    });
}

/** Every name that a file takes from another, as `<path> <name>`. */
function namesTaken({ path, text }: Source): string[] {
  const statements = [
    ...text.matchAll(/\b(?:import|export)\s+(?:type\s+)?(\{[^}]*\})\s*from\s*"(\.[^"]+)"/g),
    ...text.matchAll(/(\{[^{}]*\}) = await import\(\s*"(\.[^"]+)"/g),
  ];
  return statements.flatMap(([, braces, specifier]) =>
    namesIn(braces ?? "", /\{([^}]*)\}/g, /^(\w+)/).map(
      (name) => `${normalize(join(dirname(path), specifier ?? ""))} ${name}`,
    ),
  );
}

/** The edges between what two files belong to, those within one left out. */
const between = (whole: (path: string) => string) => (edge: Edge) => ({
  from: whole(edge.from),
  to: whole(edge.to),
});

function reachedFrom(starts: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>(starts);
  // A set is walked in the order of its insertion, what is added on the way included.
  for (const path of reached) for (const { from, to } of EDGES) if (from === path) reached.add(to);
  return reached;
}

/** What lies on a circle or between two: what is left when all that nothing of the rest imports, or that imports none of it, is gone. */
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

const nameOf = (path: string) => (path.split("/").at(-1) ?? "").replace(/\.tsx?$/, "");

describe("import rules", () => {
  test("every part of src has a level", () => {
    const parts = new Set(SOURCES.map(({ path }) => partOf(path)));
    expect([...parts].filter((part) => part !== "measure" && levelOf(part) < 0)).toEqual([]);
  });

  test("levels are imported only downward", () => {
    const upward = EDGES.filter(({ from, to }) => {
      const [a, b] = [partOf(from), partOf(to)];
      if (a === b || a === "measure" || b === "measure") return false;
      return levelOf(b) > levelOf(a);
    });
    expect(written(upward)).toEqual([]);
  });

  test("no level names a part that is gone, and no core noun a file that is gone", () => {
    const parts = new Set(SOURCES.map(({ path }) => partOf(path)));
    const names = new Set(SOURCES.map(({ path }) => nameOf(path)));
    expect([...LEVELS.flat(), ...OPEN_FOLDERS].filter((part) => !parts.has(part))).toEqual([]);
    expect([...CORE_NOUNS].filter((noun) => !names.has(noun))).toEqual([]);
  });

  test("no exception is made for a file that is gone", () => {
    const own = readFileSync(join(import.meta.dir, "architecture_test.ts"), "utf8");
    const named = [...own.matchAll(/"(src\/[\w/.-]+\.tsx?)/g)].map(([, path]) => path ?? "");
    expect(named.length).toBeGreaterThan(10);
    expect([...new Set(named)].filter((path) => !SOURCES.some((source) => source.path === path))).toEqual([]);
  });

  test("schema.ts gathers every table.ts, so that a migration drops none", () => {
    const tables = pathsWhere(({ path }) => path.endsWith("/table.ts"));
    const gathered = EDGES.filter(({ from }) => from === GATHERER).map(({ to }) => to);
    expect(gathered.sort()).toEqual(tables);
  });

  test("no part imports another in a circle", () => {
    expect(circles(EDGES.map(between(partOf)))).toEqual([]);
  });

  test("no file imports another in a circle, types included", () => {
    expect(circles(EDGES)).toEqual([]);
  });

  test("no folder of the pages imports another in a circle", () => {
    const within = EDGES.filter(
      ({ from, to }) => /^src\/tower\/\w+\//.test(from) && /^src\/tower\/\w+\//.test(to),
    );
    expect(circles(within.map(between(dirname)))).toEqual([]);
  });

  test("every file is reached from where a process or a tool begins", () => {
    const begun = [
      "src/main.ts",
      "src/start.ts",
      "src/tower_command.ts",
      "src/build.ts",
      // Started by the bundle or from the sources, as main.ts finds it.
      "src/serve.ts",
      "src/db/generate.ts",
      "src/db/kit.ts",
      "src/tower/vendor.ts",
      "src/action/generate.ts",
      // Where drizzle-kit finds the tables.
      GATHERER,
      "src/measure/main.ts",
      "src/measure/file_reader_process.ts",
      "src/simulator/main.ts",
      "src/demo/main.ts",
      // What the compiler writes for every element.
      "src/tower/jsx/jsx-runtime.ts",
    ];
    const reached = reachedFrom(begun);
    expect(begun.filter((path) => !SOURCES.some((source) => source.path === path))).toEqual([]);
    expect(pathsWhere(({ path }) => !reached.has(path))).toEqual([]);
  });

  test("from another folder only its mod.ts or contract.ts; only schema.ts gathers table.ts", () => {
    const inner = EDGES.filter(({ from, to }) => {
      const [a, b] = [partOf(from), partOf(to)];
      if (a === b || OPEN_FOLDERS.has(b) || b.includes(".") || a === "measure" || b === "measure")
        return false;
      if (from === GATHERER && nameOf(to) === "table") return false;
      // The tables of each kind of report are made of what every kind keeps.
      if (nameOf(from) === "table" && to === "src/reports/report_table.ts") return false;
      // Runs before there are packages, and the door of db needs one.
      if (from === "src/prepare.ts" && to === "src/db/lock.ts") return false;
      return !/^src\/[a-z_]+\/(?:[a-z_]+\/)?(?:mod|contract)\.ts$/.test(to);
    });
    expect(written(inner)).toEqual([]);
  });

  test("every name that a mod.ts hands out is used by another folder", () => {
    // What the simulators hand out is there for tests.
    const doors = SOURCES.filter(({ path }) => path.endsWith("/mod.ts") && partOf(path) !== "simulator");
    const used = new Set(SOURCES.flatMap((source) => namesTaken(source)));
    const unused = doors.flatMap(({ path, text }) =>
      namesIn(text, /\bexport\s+(?:type\s+)?\{([^}]*)\}/g, / as (\w+)$|(\w+)$/)
        .map((name) => `${path} ${name}`)
        .filter((name) => !used.has(name)),
    );
    expect(doors.length).toBeGreaterThan(20);
    expect(unused).toEqual([]);
  });

  test("the measuring command imports lib, the HTTP door and the report's contract, and only cli.ts imports it", () => {
    // platform/clock.ts, too: the time of the machine comes in through it alone.
    const allowed =
      /^src\/(?:measure\/|lib\/|platform\/(?:http|http_door|clock)\.ts$|codebase\/(?:contract|measures)\.ts$)/;
    const fromMeasure = EDGES.filter(({ from, to }) => partOf(from) === "measure" && !allowed.test(to));
    const intoMeasure = EDGES.filter(
      ({ from, to }) => partOf(to) === "measure" && partOf(from) !== "measure" && from !== "src/cli.ts",
    );
    expect(written([...fromMeasure, ...intoMeasure])).toEqual([]);
  });

  test("the simulators import lib and the clock alone, so that no mistake of an adapter is made twice", () => {
    const allowed = /^src\/(?:simulator\/|lib\/|platform\/clock\.ts$)/;
    const others = EDGES.filter(({ from, to }) => partOf(from) === "simulator" && !allowed.test(to));
    expect(written(others)).toEqual([]);
  });

  test("what the measuring command reaches holds no database", () => {
    const reached = reachedFrom(pathsWhere(({ path }) => partOf(path) === "measure"));
    const loaded = SOURCES.filter(({ path }) => reached.has(path));
    expect(
      loaded.filter(
        ({ path, imports }) =>
          partOf(path) === "db" || imports.some((name) => /^(?:bun:sqlite|drizzle-orm|elysia)/.test(name)),
      ),
    ).toEqual([]);
  });

  test("what runs before there are packages needs none", () => {
    const begun = new Set(["src/start.ts", "src/tower_command.ts", "src/demo/main.ts"]);
    const needing: string[] = [];
    for (const path of begun) {
      const { text = "" } = SOURCES.find((source) => source.path === path) ?? {};
      // What is imported in a function's way is so once the packages are there.
      for (const name of importsOf(text.replaceAll("import(", ""))) {
        if (name.startsWith(".")) begun.add(normalize(join(dirname(path), name)));
        else if (!/^(?:node|bun):/.test(name)) needing.push(`${path} ${name}`);
      }
    }
    expect(begun.size).toBeGreaterThan(6);
    expect(needing).toEqual([]);
  });

  test("nothing imports main.ts, start.ts or cli.ts but what makes sure of its packages, and src never imports test", () => {
    const begun = EDGES.filter(
      ({ from, to }) => /^src\/(?:main|start|cli)\.ts$/.test(to) && from !== "src/tower_command.ts",
    );
    expect(written([...begun, ...EDGES.filter(({ to }) => !to.startsWith("src/"))])).toEqual([]);
  });

  test("every import leads to a file that is there, by its full name", () => {
    const known = new Set(filesBelow("src"));
    expect(written(EDGES.filter(({ to }) => !known.has(to)))).toEqual([]);
  });
});

describe("doors to the outside", () => {
  test("core nouns import no database, platform, provider or framework", () => {
    const others = ["measure", "db", "platform", "tower"];
    const cores = SOURCES.filter(
      ({ path }) => CORE_NOUNS.has(nameOf(path)) && !others.includes(partOf(path)),
    );
    const impure = EDGES.filter(
      ({ from, to }) =>
        cores.some(({ path }) => path === from) && ["db", "platform", "provider"].includes(partOf(to)),
    );
    expect(written(impure)).toEqual([]);
    expect(
      cores.filter(({ imports }) =>
        imports.some((name) => /^(?:elysia|drizzle|croner|bun:|node:)/.test(name)),
      ),
    ).toEqual([]);
  });

  test("drizzle only in stores, tables, what keeps tokens and db; a large feature has several stores, each named for what it keeps", () => {
    const others = pathsWhere(
      ({ path, imports }) =>
        imports.some((name) => name.startsWith("drizzle-orm")) &&
        partOf(path) !== "db" &&
        !/(?:^|_)(?:store|table|tokens)$/.test(nameOf(path)) &&
        path !== "src/wall_links/mod.ts",
    );
    expect(others).toEqual([]);
  });

  test("no page asks a table: each feature is asked through its own door", () => {
    const asking = pathsWhere(
      ({ path, text, imports }) =>
        partOf(path) === "tower" &&
        (imports.some((name) => name.startsWith("drizzle-orm")) || /["`]\s*(?:SELECT|WITH)\s/.test(text)),
    );
    expect(asking).toEqual([]);
  });

  test("SQLite itself only in db", () => {
    expect(
      pathsWhere(({ path, imports }) => imports.includes("bun:sqlite") && partOf(path) !== "db"),
    ).toEqual([]);
  });

  test("elysia only in routes, app.ts and platform", () => {
    // tower/pages.tsx composes the routes of the pages, as app.ts composes those of the listeners; kit/route.ts mounts each page's.
    const composing = [
      "src/app.ts",
      "src/ingest_app.ts",
      "src/starting.ts",
      "src/tower/pages.tsx",
      "src/tower/kit/route.ts",
    ];
    const others = pathsWhere(
      ({ path, imports }) =>
        imports.includes("elysia") &&
        partOf(path) !== "platform" &&
        !composing.includes(path) &&
        !/routes$/.test(nameOf(path)),
    );
    expect(others).toEqual([]);
  });

  test("fetch is called only in platform/http.ts, and in control.ts for the service's own socket", () => {
    expect(pathsWhere(({ text }) => /(?<![.\w])fetch\(/.test(text))).toEqual([
      "src/control.ts",
      "src/platform/http.ts",
    ]);
  });

  test("there is one retry policy: one file sends a request again, one place makes the service's door, and two ask through it", () => {
    // The demo sends what sites would, which is no part of the service either.
    const naming = (words: RegExp) =>
      pathsWhere(({ path, text }) => words.test(text) && partOf(path) !== "demo");
    // The second is the measuring command's own, which runs without the service.
    expect(naming(/(?<!function )\bhttpDoor\(/)).toEqual(["src/boot.ts", "src/measure/post.ts"]);
    // A bucket is asked once: whoever wanted what it holds asks again.
    expect(naming(/(?<!function )\bhttpRequest\(/)).toEqual([
      "src/objects/bucket_client.ts",
      "src/platform/http_door.ts",
      // An address that an operator typed is asked once: whoever has a notice or a calendar has a schedule, too.
      "src/platform/outbound.ts",
    ]);
    // Neither is in a loop that would ask again what came to nothing, but for the token that is refused: `test/provider/ask_test.ts`.
    expect(naming(/(?:\bhttp|\))\.request\(/)).toEqual([
      "src/measure/post.ts",
      "src/provider/client.ts",
      "src/provider/google/tokens.ts",
    ]);
    expect(naming(/(?<!function )\bretryAfterMs\(/)).toEqual([
      "src/platform/http_door.ts",
      "src/provider/answer.ts",
    ]);
  });

  test("nothing goes out by another way than fetch", () => {
    const others = pathsWhere(
      ({ text, imports }) =>
        /\bBun\.(?:connect|udpSocket)\(|\bnew (?:WebSocket|EventSource|XMLHttpRequest)\(/.test(text) ||
        imports.some((name) => /^(?:node:)?(?:https?|http2|tls|dgram)$/.test(name)),
    );
    expect(others).toEqual([]);
  });

  test("the environment is read only in platform/config.ts, and in measure/process_io.ts for the measuring command", () => {
    const readers = pathsWhere(({ text }) =>
      /\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b/.test(text),
    );
    expect(
      readers.filter((path) => path !== "src/platform/config.ts" && path !== "src/measure/process_io.ts"),
    ).toEqual([]);
  });

  test("the time and chance of the machine come in only through platform", () => {
    const readers = pathsWhere(
      ({ path, text }) =>
        partOf(path) !== "platform" &&
        /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bcrypto\.(?:randomUUID|getRandomValues)\b|\brandomUUIDv7\b/.test(
          text,
        ),
    );
    expect(readers).toEqual([]);
  });

  test("JSX only under tower", () => {
    expect(pathsWhere(({ path }) => path.endsWith(".tsx") && partOf(path) !== "tower")).toEqual([]);
  });
});

describe("append-only", () => {
  test("every update and delete in src is on the list, with its reason, and the list names nothing that is gone", () => {
    const built = /\.(update|delete)\(\s*(\w+)\s*\)\s*(?=\.(?:set|where|run)\b)/g;
    const written = /["`]\s*(?:(UPDATE)\s+(\w+|\$\{\w+\})\s+SET|(DELETE)\s+FROM\s+(\w+\b|\$\{\w+\}))/gi;
    const found = SOURCES.flatMap(({ path, text }) => [
      ...[...text.matchAll(built)].map((match) => `${path} ${match[1]}(${match[2]})`),
      ...[...text.matchAll(written)].map(
        (match) => `${path} ${match[1] ?? match[3]} ${(match[2] ?? match[4])?.replace("$", "")}`,
      ),
    ]);
    expect([...new Set(found)].sort()).toEqual(
      CHANGES.map(([file, statement]) => `${file} ${statement}`).sort(),
    );
  });

  test("nothing is replaced in the place of a row that was there", () => {
    expect(pathsWhere(({ text }) => /["`]\s*(?:INSERT\s+OR\s+REPLACE|REPLACE\s+INTO)\b/i.test(text))).toEqual(
      [],
    );
  });
});

describe("the repository", () => {
  test("has its fixed top level", () => {
    const listed = Bun.spawnSync(["git", "ls-files", "--cached", "--others", "--exclude-standard"], {
      cwd: ROOT,
    }).stdout.toString();
    const top = new Set(
      listed
        .split("\n")
        .filter((path) => path !== "")
        .map((path) => path.split("/")[0] ?? ""),
    );
    const allowed = [
      "src",
      "public",
      "drizzle",
      "test",
      "bunfig.toml",
      "package.json",
      "tsconfig.json",
      "Dockerfile",
      "README.md",
      "bun.lock",
    ];
    expect([...top].filter((name) => !name.startsWith(".") && !allowed.includes(name))).toEqual([]);
  });

  test("its lock file names no host: every package comes from wherever the machine's registry is", () => {
    expect(readFileSync(join(ROOT, "bun.lock"), "utf8")).not.toMatch(/https?:\/\//);
  });

  test("every package the service runs with is named in src: none is there for nothing", () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    const unused = Object.keys(dependencies).filter(
      (name) => !SOURCES.some(({ text }) => new RegExp(`["'\`/]${name}["'\`/]`).test(text)),
    );
    expect(unused).toEqual([]);
  });

  test("files are named in snake_case and stay readable in one sitting", () => {
    expect(pathsWhere(({ path }) => !/^src(?:\/[a-z0-9_]+)+(?:-runtime)?\.tsx?$/.test(path))).toEqual([]);
    expect(pathsWhere(({ text }) => text.split("\n").length > 400)).toEqual([]);
  });

  test("there is no default export but the one drizzle-kit reads, no any, and no switched-off check", () => {
    expect(pathsWhere(({ text }) => /^export default\b/m.test(text))).toEqual(["src/db/kit.ts"]);
    expect(pathsWhere(({ text }) => /(?::|<|\bas)\s*any\s*(?=[;,)\]>=|&[{]|$)/m.test(text))).toEqual([]);
    const notes = filesBelow("src").filter((path) =>
      /@ts-(?:ignore|expect-error|nocheck)|biome-ignore|\bTODO\b|\bFIXME\b/.test(
        readFileSync(join(ROOT, path), "utf8"),
      ),
    );
    expect(notes).toEqual([]);
  });
});
