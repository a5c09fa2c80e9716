import { describe, expect, test } from "bun:test";
import { grammarLoader } from "../../../src/measure/complexity.ts";
import type { ModuleFacts } from "../../../src/measure/modules/facts.ts";
import { pythonFacts } from "../../../src/measure/modules/python_facts.ts";
import { pythonResolver } from "../../../src/measure/modules/resolve_python.ts";
import { pythonEntries } from "../../../src/measure/modules/roots.ts";
import { readSettings } from "../../../src/measure/modules/settings.ts";
import { sideFiles } from "../../../src/measure/modules/unused.ts";
import { recordEach } from "../../support/mixtures.ts";
import { texts, words } from "../../support/words.ts";
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

test("what a Python file says about others, recorded", () => {
  const texts = [
    ...["import a.b, c as d", "from ..x import (y as z, w)\nfrom . import q", "from k import *"],
    ...["def f():\n    from a import b", "if TYPE_CHECKING:\n    from a import b"],
    ...[
      "try:\n    import a\nexcept ImportError:\n    import b",
      'import_module("plugin")\n__import__("a.b")',
    ],
    ...['ROUTERS = ["p.routers.Main", "p.app:make"]', 'import_module(f"a.{x}.b")\nimport_module("a.%s" % x)'],
    'import_module("a.jobs." + name)\nimport_module("a.{}".format(x))',
    ...['import_module(f"{__name__}.{x}")', "iter_modules(__path__)\nwalk_packages(plugins.__path__)"],
    ...["for f in os.listdir(here):\n    import_module(f)", 'autodiscover_modules("hooks")'],
    ...['ROOT_URLCONF = "p.urls.%s"\nkey = "p.urls.%s"', 'x = "a. b"\ny = "see a.b, please"\nz = "1.5"'],
    ...['__all__ = ["one", "two"]', 'def __getattr__(name):\n    return load({"one": 1}[name])'],
    'import __proto__\nimport_module("*")\nimport_module(f"{a}")',
  ];
  recordEach(texts, (text) => [factsOf(text).imports, factsOf(text, true).imports]);
});

test("depth and size of a hostile Python file do not matter", () => {
  expect(factsOf(`x = ${"(".repeat(100_000)}`).imports).toHaveLength(1);
  expect(factsOf(`import ${"a.".repeat(10_000)}a`).imports).toHaveLength(1);
});

test("which Python files are programs, recorded", () => {
  const texts = [
    ...["#!/usr/bin/env python3\n", 'if __name__ == "__main__":\n    main()', "app.run()"],
    ...['"""Usage: python once.py"""', "import a\nwhile True:\n    send()"],
    ...[
      "application = get_wsgi_application()",
      'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "a.settings")',
    ],
    ...["def main():\n    serve()", "from .settings import *\nDEBUG = False", "from .names import *\nA = 1"],
    ...["def f():\n    pass\nfor x in y:\n    f()", "register(x)\ndef f():\n    main()"],
  ];
  recordEach(texts, (text) => factsOf(text).isProgram);
  // Far down in a file they are the same, but for what has to be its first line.
  const far = "# A comment.\n".repeat(100);
  const down = texts.slice(1).filter((text) => factsOf(far + text).isProgram !== factsOf(text).isProgram);
  expect(down).toStrictEqual([]);
});

test("which files a Python name means, recorded", () => {
  const paths = words(`
    backend/app/__init__.py backend/app/core/__init__.py backend/app/core/db.py backend/app/jobs/daily.py
    backend/app/jobs/hourly.py backend/app/jobs/tasks.py backend/app/tasks.py backend/manage.py
    scripts/load.py scripts/shared.py src/lib/__init__.py src/lib/one.py
  `);
  const resolve = pythonResolver({ paths });
  const asked: readonly (readonly [from: string, specifier: string, names: readonly string[] | "all"])[] = [
    ["backend/manage.py", "app.core.db", "all"],
    ["backend/app/tasks.py", "app.core", ["db", "other"]],
    ["backend/manage.py", "app.core.db.Session", "all"],
    ["backend/app/core/db.py", "..tasks", ["run"]],
    ["backend/app/core/db.py", ".", []],
    ["backend/manage.py", "app.jobs", ["daily"]],
    ["scripts/load.py", "shared", ["x"]],
    ["scripts/load.py", "lib.one", ["x"]],
    ["backend/manage.py", "django.db", ["models"]],
    ["scripts/load.py", "db", "all"],
    ["backend/manage.py", "app.tasks.run:", "all"],
    ["scripts/load.py", "shared.name:", "all"],
    ["backend/app/tasks.py", "app.jobs.*", "all"],
    ["backend/manage.py", "*.tasks", "all"],
    ["backend/manage.py", "*.*", "all"],
  ];
  recordEach(asked, ([from, specifier, names]) => resolve(from, specifier, names));
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
    const paths = words(
      "a/__main__.py a/main.py conftest.py tools/once.py db/migrations/0001.py alembic/versions/1.py",
    );
    expect(entries(paths)).toEqual(paths);
    expect(entries(["a/util.py", "tools/__init__.py", "tools/once.py", "a/deep/in/app.py"])).toStrictEqual(
      [],
    );
  });

  test("the modules of a Django app are found by name where Django is used, with or without a project", () => {
    const paths = words(`
      blog/admin.py blog/management/commands/send.py blog/management/commands/send-again.py
      blog/templatetags/text.py blog/wagtail_hooks.py
    `);
    expect(entries(paths, ["django.db"])).toEqual(paths);
    expect(entries(paths)).toStrictEqual([]);
    expect(entries(["blog/text_tags.py", "blog/services.py"], ["django"])).toStrictEqual([]);
  });

  test("the public modules of a package that is published", () => {
    const paths = ["kit/lib/__init__.py", "kit/lib/tools.py", "kit/lib/_inner.py", "site/tools.py"];
    expect(pythonEntries(paths, new Map(), new Set(["kit"]))).toEqual(paths.slice(0, 2));
  });
});

test("a Python project's settings: who sorts a package for the readers of an index publishes it", () => {
  const classifier = "Programming Language :: Python :: 3";
  expect(readSettings("pyproject.toml", `classifiers = ["${classifier}"]`)).toMatchObject({
    isPublished: true,
  });
  expect(readSettings("setup.py", `setup(classifiers=["${classifier}", "Private :: No"])`)).toMatchObject({
    isPublished: false,
  });
  expect(readSettings("setup.cfg", "[metadata]\nname = x")).toMatchObject({ isPublished: false });
});

test("files that are never called unused: documentation, examples, stubs and what a generator copies; not a package named docs", () => {
  const paths = texts(
    "docs/conf.py|a/examples/b.py|a/b.pyi|project_template/c.py|a/{{ name }}/d.py|.tool-test.mjs",
    "apps/a.b/content/c/+assets/d.svelte",
  );
  expect(paths.filter((path) => !sideFiles(paths)(path))).toStrictEqual([]);
  expect(sideFiles(["docs/__init__.py"])("docs/search.py")).toBe(false);
  expect(sideFiles([])("src/templates/page.ts")).toBe(false);
});
