import { describe, expect, test } from "bun:test";
import { grammarLoader } from "../../../src/measure/complexity.ts";
import type { ModuleFacts } from "../../../src/measure/modules/facts.ts";
import { pythonFacts } from "../../../src/measure/modules/python_facts.ts";
import { pythonResolver } from "../../../src/measure/modules/resolve_python.ts";
import { pythonEntries } from "../../../src/measure/modules/roots.ts";
import { readSettings } from "../../../src/measure/modules/settings.ts";
import { sideFiles } from "../../../src/measure/modules/unused.ts";
import { words } from "../../support/words.ts";
import { tools } from "../run.ts";

const { parser } = await grammarLoader(tools.grammars ?? [])("python");

function factsOf(text: string, isPackage = false): ModuleFacts {
  const tree = parser.parse(text);
  if (tree === null) throw new Error("no tree");
  try {
    return pythonFacts(tree, text, isPackage);
  } finally {
    tree.delete();
  }
}

/** What a text imports, without the package that it lies in. */
function imports(text: string, isPackage = false) {
  return factsOf(text, isPackage)
    .imports.slice(1)
    .map(({ specifier, names }) => (names === "all" ? specifier : `${specifier}: ${names.join(" ")}`));
}

describe("what a Python file says about others", () => {
  test.each([
    ["absolute", "import a.b, c as d", ["a.b", "c"]],
    ["relative", "from ..x import (y as z, w)\nfrom . import q", ["..x: y w", ".: q"]],
    ["everything", "from k import *", ["k"]],
    ["in a function", "def f():\n    from a import b", ["a: b"]],
    ["for the type checker", "if TYPE_CHECKING:\n    from a import b", ["a: b"]],
    ["with a way out", "try:\n    import a\nexcept ImportError:\n    import b", ["a", "b"]],
    ["by text", 'import_module("plugin")\n__import__("a.b")', ["plugin", "a.b:"]],
    ["a dotted text", 'ROUTERS = ["p.routers.Main", "p.app:make"]', ["p.routers.Main:", "p.app:"]],
    ["a text with a hole", 'import_module(f"a.{x}.b")\nimport_module("a.%s" % x)', ["a.*.b", "a.*"]],
    ["put together", 'import_module("a.jobs." + name)\nimport_module("a.{}".format(x))', ["a.jobs.*", "a.*"]],
    ["below itself", 'import_module(f"{__name__}.{x}")', [".*"]],
    [
      "a listed package",
      "iter_modules(__path__)\nwalk_packages(plugins.__path__)",
      [".*", "plugins.**", ".plugins.**"],
    ],
    ["a listed folder", "for f in os.listdir(here):\n    import_module(f)", [".**"]],
    ["one name in every package", 'autodiscover_modules("hooks")', ["*.hooks"]],
    ["a setting with a hole", 'ROOT_URLCONF = "p.urls.%s"\nkey = "p.urls.%s"', ["p.urls.*"]],
    ["no text of prose", 'x = "a. b"\ny = "see a.b, please"\nz = "1.5"', []],
  ])("%s", (_, text, expected) => {
    expect(imports(text)).toEqual(expected);
  });

  test("a package that says its names, or loads them late, takes the submodules of those names", () => {
    expect(imports('__all__ = ["one", "two"]', true)).toEqual([".: one two"]);
    expect(imports('def __getattr__(name):\n    return load({"one": 1}[name])', true)).toEqual([".: one"]);
    expect(imports('__all__ = ["one"]')).toEqual([]);
  });

  test("a first line that names Python, a main guard and a bare call of main make a program", () => {
    expect(factsOf("#!/usr/bin/env python3\n").isProgram).toBe(true);
    expect(factsOf('if __name__ == "__main__":\n    main()').isProgram).toBe(true);
    expect(factsOf("app.run()").isProgram).toBe(true);
    expect(factsOf('"""Usage: python once.py"""').isProgram).toBe(true);
    expect(factsOf("import a\nwhile True:\n    send()").isProgram).toBe(true);
    expect(factsOf("application = get_wsgi_application()").isProgram).toBe(true);
    expect(factsOf('os.environ.setdefault("DJANGO_SETTINGS_MODULE", "a.settings")').isProgram).toBe(true);
    expect(factsOf("def main():\n    serve()").isProgram).toBe(true);
    expect(factsOf("from .settings import *\nDEBUG = False").isProgram).toBe(true);
    expect(factsOf("from .names import *\nA = 1").isProgram).toBe(false);
    expect(factsOf("def f():\n    pass\nfor x in y:\n    f()").isProgram).toBe(false);
    expect(factsOf("register(x)\ndef f():\n    main()").isProgram).toBe(false);
  });

  test("depth and size of a hostile file do not matter", () => {
    expect(imports(`x = ${"(".repeat(100_000)}`)).toEqual([]);
    expect(imports(`import ${"a.".repeat(10_000)}a`)).toEqual([]);
    expect(imports('import __proto__\nimport_module("*")\nimport_module(f"{a}")')).toEqual(["__proto__"]);
  });
});

describe("which files a Python name means", () => {
  const paths = words(`
    backend/app/__init__.py backend/app/core/__init__.py backend/app/core/db.py backend/app/jobs/daily.py
    backend/app/jobs/hourly.py backend/app/jobs/tasks.py backend/app/tasks.py backend/manage.py
    scripts/load.py scripts/shared.py src/lib/__init__.py src/lib/one.py
  `);
  const resolve = pythonResolver({ paths });

  test.each<readonly [string, string, string, readonly string[] | "all", readonly string[]]>([
    [
      "absolute, with the packages above",
      "backend/manage.py",
      "app.core.db",
      "all",
      ["backend/app/__init__.py", "backend/app/core/__init__.py", "backend/app/core/db.py"],
    ],
    [
      "a name that is a submodule",
      "backend/app/tasks.py",
      "app.core",
      ["db", "other"],
      ["backend/app/__init__.py", "backend/app/core/__init__.py", "backend/app/core/db.py"],
    ],
    [
      "what follows the module is in it",
      "backend/manage.py",
      "app.core.db.Session",
      "all",
      ["backend/app/__init__.py", "backend/app/core/__init__.py", "backend/app/core/db.py"],
    ],
    ["relative", "backend/app/core/db.py", "..tasks", ["run"], ["backend/app/tasks.py"]],
    ["the own package", "backend/app/core/db.py", ".", [], ["backend/app/core/__init__.py"]],
    [
      "a folder without __init__",
      "backend/manage.py",
      "app.jobs",
      ["daily"],
      ["backend/app/__init__.py", "backend/app/jobs/daily.py"],
    ],
    ["beside a script", "scripts/load.py", "shared", ["x"], ["scripts/shared.py"]],
    [
      "from a folder of sources",
      "scripts/load.py",
      "lib.one",
      ["x"],
      ["src/lib/__init__.py", "src/lib/one.py"],
    ],
    ["somebody else's", "backend/manage.py", "django.db", ["models"], []],
    ["no module inside a package by its bare name", "scripts/load.py", "db", "all", []],
    [
      "a text",
      "backend/manage.py",
      "app.tasks.run:",
      "all",
      ["backend/app/__init__.py", "backend/app/tasks.py"],
    ],
    ["a field of something written as text", "scripts/load.py", "shared.name:", "all", []],
    [
      "a pattern",
      "backend/app/tasks.py",
      "app.jobs.*",
      "all",
      ["backend/app/jobs/daily.py", "backend/app/jobs/hourly.py", "backend/app/jobs/tasks.py"],
    ],
    [
      "one name everywhere",
      "backend/manage.py",
      "*.tasks",
      "all",
      ["backend/app/jobs/tasks.py", "backend/app/tasks.py"],
    ],
    ["holes alone", "backend/manage.py", "*.*", "all", []],
  ])("%s", (_, from, specifier, names, expected) => {
    expect(resolve(from, specifier, names) ?? []).toEqual([...expected]);
  });
});

describe("where Python programs start", () => {
  const entries = (paths: readonly string[], uses: readonly string[] = []) =>
    pythonEntries(
      paths,
      new Map([
        [
          paths[0] ?? "",
          { imports: uses.map((specifier) => ({ specifier, names: "all" as const })), isProgram: false },
        ],
      ]),
    );

  test("programs, scripts outside of packages, migrations and what tools load", () => {
    const paths = [
      "a/__main__.py",
      "a/main.py",
      "conftest.py",
      "tools/once.py",
      "db/migrations/0001.py",
      "alembic/versions/1.py",
    ];
    expect(entries(paths)).toEqual(paths);
    expect(entries(["a/util.py", "tools/__init__.py", "tools/once.py", "a/deep/in/app.py"])).toEqual([]);
  });

  test("the modules of a Django app are found by name where Django is used, with or without a project", () => {
    const paths = [
      "blog/admin.py",
      "blog/management/commands/send.py",
      "blog/management/commands/send-again.py",
      "blog/templatetags/text.py",
      "blog/wagtail_hooks.py",
    ];
    expect(entries(paths, ["django.db"])).toEqual(paths);
    expect(entries(paths)).toEqual([]);
    expect(entries(["blog/text_tags.py", "blog/services.py"], ["django"])).toEqual([]);
  });

  test("the public modules of a package that is published", () => {
    const paths = ["kit/lib/__init__.py", "kit/lib/tools.py", "kit/lib/_inner.py", "site/tools.py"];
    expect(pythonEntries(paths, new Map(), new Set(["kit"]))).toEqual(paths.slice(0, 2));
  });
});

describe("a Python project's settings", () => {
  test("who sorts a package for the readers of an index publishes it", () => {
    const classifier = "Programming Language :: Python :: 3";
    expect(readSettings("pyproject.toml", `classifiers = ["${classifier}"]`)).toMatchObject({
      isPublished: true,
    });
    expect(readSettings("setup.py", `setup(classifiers=["${classifier}", "Private :: No"])`)).toMatchObject({
      isPublished: false,
    });
    expect(readSettings("setup.cfg", "[metadata]\nname = x")).toMatchObject({ isPublished: false });
  });
});

describe("files that are never called unused", () => {
  test("documentation, examples, stubs and what a generator copies; not a package named docs", () => {
    const paths = [
      "docs/conf.py",
      "a/examples/b.py",
      "a/b.pyi",
      "project_template/c.py",
      "a/{{ name }}/d.py",
      ".tool-test.mjs",
      "apps/a.b/content/c/+assets/d.svelte",
    ];
    expect(paths.filter((path) => !sideFiles(paths)(path))).toEqual([]);
    expect(sideFiles(["docs/__init__.py"])("docs/search.py")).toBe(false);
    expect(sideFiles([])("src/templates/page.ts")).toBe(false);
  });
});
