/** Whether a text names `candidate`. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { loadedByName, searchMentions } from "../../../src/measure/modules/unused.ts";
import { recordEach } from "../../support/mixtures.ts";
import { texts } from "../../support/words.ts";

function isNamed(
  candidate: string,
  text: string,
  { from = "tasks.sh", others = [] as readonly string[], packages = [] as readonly string[] } = {},
): boolean {
  const search = searchMentions([candidate], [candidate, from, ...others], new Set(packages));
  search.read(from, text);
  return search.takeNamedBy(from).length === 1;
}

const SCRIPT = "src/lib/format.js";
const MODULE = "app/jobs/report.py";

describe("what names a file", () => {
  test("by a name, a path, an ending or a command, and by no other word; recorded", () => {
    type Mention = readonly [candidate: string, from: string, text: string];
    const naming: readonly Mention[] = [
      [SCRIPT, "x.html", "<a>format.js</a>"],
      [SCRIPT, "app.rb", 'load "lib/format"'],
      [SCRIPT, "a/b.vue", 'worker("@/lib/format")'],
      [SCRIPT, "src/a.js", `fork("\${root}/lib/format.js")`],
      [SCRIPT, "src/a.js", `load("\${dir}/format")`],
      [SCRIPT, "src/x.json", '"../src/./lib/format"'],
      ["deploy.js", ".github/workflows/ci.yml", "run: node ./deploy.js"],
      [SCRIPT, "Dockerfile", "CMD node /srv/site/lib/format.js"],
      ["src/work/job.ts", "src/a.json", '"./work/job.js"'],
      ["src/jobs/mail/index.js", "a.yml", "run: jobs/mail"],
      ["app/javascript/avo.custom.js", "config/importmap.rb", 'pin "avo.custom"'],
      [SCRIPT, "src/lib/all.js", "//= require format"],
      [SCRIPT, "t/page.html", "{% static 'lib/format.js' %}"],
      [SCRIPT, "src/all.js", "//= require_tree ./lib"],
      [SCRIPT, "README.md", "Run `node src/lib/format.js`."],
      [SCRIPT, "docs/a.md", "```sh\nnode src/lib/format.js\n```"],
      [SCRIPT, "docs/a.rst", "Then::\n\n    ./src/lib/format.js --all\n"],
      [MODULE, "setup.cfg", "daily = app.jobs.report:main"],
      [MODULE, "config.rb", 'run "app.jobs.report.Main"'],
      [MODULE, "Procfile", "worker: python -m jobs.report"],
      ["server/web.py", "server/Procfile", "gunicorn web:app"],
      [MODULE, "docs/api.rst", ".. automodule:: app.jobs.report"],
      ["app/mail/__init__.py", "docs/api.rst", ".. automodule:: app.mail"],
      ["app/(all)/[id]/page.tsx", "app/routes/a.ts", 'route("./(all)/[id]/page.tsx")'],
      ["src/node/hooks/words.ts", "src/parts.json", '"my-pkg/node/hooks/words"'],
      [SCRIPT, "src/a.js", `src = "\${url}/build/lib/format.js"`],
      ["fn/report.py", "serverless.yml", "handler: fn/report.main"],
    ];
    const others = ["app/__init__.py", "app/jobs/__init__.py"];
    recordEach(naming, ([candidate, from, text]) => isNamed(candidate, text, { from, others }));
    const packages = ["date-fns", "@scope/pkg"];
    const not: readonly Mention[] = [
      [SCRIPT, "a.yml", "format: long"],
      [SCRIPT, "a.rb", 'require "date/format"'],
      [SCRIPT, "a.rb", 'require "other/lib/format"'],
      [SCRIPT, "a.json", '"date-fns/lib/format.js"'],
      [SCRIPT, "a.json", '"@scope/pkg/lib/format.js"'],
      [SCRIPT, "a.go", "  // see src/lib/format.js"],
      [SCRIPT, "a.py", '# """\n# see src/lib/format.js'],
      [SCRIPT, "a.java", "/*\n src/lib/format.js\n*/"],
      [MODULE, "b.py", '"""\nas app.jobs.report does, "app.jobs.report"\n"""'],
      [SCRIPT, "CHANGELOG.md", "removed src/lib/format.js"],
      [SCRIPT, "de.po", "#: src/lib/format.js:12\nsrc/lib/format.js"],
      [MODULE, "pyproject.toml", '[[tool.mypy.overrides]]\nmodule = "app.jobs.report"'],
      [MODULE, "a.go", "x := app.jobs.report"],
      [SCRIPT, "README.md", "src/lib/format.js is dead, and so is `src/lib/format.js`"],
      [SCRIPT, "README.md", "`node a.js` replaced `src/lib/format.js`"],
      [SCRIPT, "README.md", "```\nsrc/lib/format.js   the old one\n```"],
      [SCRIPT, "a.svg", "<a>src/lib/format.js</a>"],
      [SCRIPT, "README.md", "see lib/format"],
      ["app/utils/html.py", "a.cfg", "x = django.utils.html"],
      [SCRIPT, "web/a.js", `load("\${dir}/format")`],
    ];
    recordEach(not, ([candidate, from, text]) => isNamed(candidate, text, { from, packages }));
  });

  test("not a base name that several files share, but for the one beside the text", () => {
    const others = ["src/other/format.js"];
    expect(isNamed(SCRIPT, "format.js", { from: "a/b.yml", others })).toBe(false);
    expect(isNamed(SCRIPT, "format.js", { from: "src/lib/run.sh", others })).toBe(true);
  });

  test("of several files of one ending the nearest is meant, also when it is no candidate", () => {
    const others = ["web/src/lib/format.js"];
    expect(isNamed(SCRIPT, 'x("@/lib/format")', { from: "web/src/a.vue", others })).toBe(false);
    expect(isNamed(SCRIPT, 'x("@/lib/format")', { from: "src/a.vue", others })).toBe(true);
  });

  test("not a word that is one of the module's own specifiers", () => {
    const search = searchMentions([SCRIPT], [SCRIPT], new Set());
    search.read("a.js", 'import "@/lib/format"', (word) => word === "@/lib/format");
    expect(search.takeNamedBy("a.js")).toStrictEqual([]);
  });
});

describe("folders that are loaded as a whole", () => {
  const three = ["db/jobs/1.js", "db/jobs/2.js", "db/jobs/3.js"];
  const loaded = (text: string, from = "run.js", all: readonly string[] = three, candidates = three) => {
    const search = searchMentions(candidates, all, new Set());
    search.read(from, text);
    return search.takeNamedBy(from).length;
  };

  test("by what names it in code, in which file, and how much of it is reached; recorded", () => {
    const six = [...three, "db/jobs/4.js", "db/jobs/5.js", "db/jobs/6.js"];
    const app = ["docs/1.py", "docs/2.py", "docs/search.py"];
    const two = three.slice(1);
    const asked: readonly Parameters<typeof loaded>[] = [
      ...[['directory: "./db/jobs"'], ['"../db/jobs/*.js"', "a/run.js"], ["see ./db/jobs", "README.md"]],
      ...[["COPY db/jobs /x", "Dockerfile"], ['content: ["./db/**/*.js"]'], ['"db/jobs/lib/x.css"']],
      [`"db/jobs/\${name}.html"`],
      ['"./db/jobs"', "run.js", six.slice(0, 5)],
      // Where most of it is reached its files are taken one by one.
      ['"./db/jobs"', "run.js", six],
      [`import("./db/jobs/\${name}")`, "run.js", six],
      // An address of the application is no folder.
      ['path("docs/", views.index)', "urls.py", app, app],
      [`fetch("docs/\${id}")`, "a.js", app, app],
      ['for name in os.listdir("docs/"): load(name)', "a.py", app, app],
      ["fs.readdirSync(__dirname)", "db/jobs/index.js"],
      ...[[`"./db/\${kind}/\${name}.js"`], [`"./db/\${kind}/\${part}/\${name}.js"`]],
      ['pin_all_from "db"', "config/importmap.rb"],
      ...["jobs", "db/jobs"].map(
        (folder) => [`autoload(path.join(ROOT, "${folder}"))`, "run.js", six] as const,
      ),
      ...["functions", "publish"].map((key) => [`${key} = "db/jobs"`, "netlify.toml", six] as const),
      ...[['path.join(STATIC, "jobs")'], ['"jobs"']],
      ['path.join(STATIC, "jobs")', "run.js", two, two],
    ] as never;
    recordEach(asked, (one) => loaded(...one));
  });

  test("three files of one name in folders beside each other", () => {
    const named = ["a/x/transport.py", "a/y/transport.py", "a/z/transport.py"];
    expect(loadedByName(named, named)).toEqual(named);
    expect(loadedByName(named.slice(1), named)).toStrictEqual([]);
    expect(loadedByName(["a/x/format.py", "a/y/format.py", "a/z/format.py"], [])).toStrictEqual([]);
    expect(loadedByName(["a/b/x/job.py", "c/d/y/job.py", "e/f/z/job.py"], [])).toStrictEqual([]);
  });
});

describe("any text", () => {
  test("each file is given once, to whoever asks first", () => {
    const search = searchMentions([SCRIPT], [SCRIPT], new Set());
    search.read("a.sh", "src/lib/format.js");
    search.read("b.sh", "src/lib/format.js");
    expect(search.takeNamedBy("b.sh")).toEqual([SCRIPT]);
    expect(search.takeNamedBy("a.sh")).toStrictEqual([]);
  });

  test("the order of the texts and of the files does not matter", () => {
    const segment = fc.constantFrom("a", "b", "lib", "format", "jobs", "__proto__");
    const path = fc
      .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom(".js", ".py", "/index.ts"))
      .map(([segments, end]) => segments.join("/") + end);
    const word = fc
      .tuple(
        fc.constantFrom("", "./", "../", "@/", `\${x}/`, '"'),
        fc.array(segment, { maxLength: 4 }),
        fc.constantFrom("", ".js", ".py", "/", "/*"),
      )
      .map(([before, segments, after]) => before + segments.join("/") + after);
    fc.assert(
      fc.property(
        fc.uniqueArray(path, { maxLength: 12 }),
        fc.array(fc.array(word, { maxLength: 5 }), { maxLength: 6 }),
        (files, texts) => {
          const named = (paths: readonly string[], order: readonly number[]) => {
            const search = searchMentions(paths, paths, new Set());
            for (const i of order) search.read(`t/${i}.yml`, texts[i]?.join(" ") ?? "");
            return order.flatMap((i) => search.takeNamedBy(`t/${i}.yml`)).sort();
          };
          const order = texts.map((_, i) => i);
          expect(named([...files].reverse(), [...order].reverse())).toEqual(named(files, order));
        },
      ),
      { numRuns: 200 },
    );
  });

  test("a hostile text takes no more steps than it has characters", () => {
    const files = Array.from({ length: 2_000 }, (_, i) => `d${i}/lib/format.js`);
    const search = searchMentions(files, files, new Set());
    for (const text of texts('"""|/|a/|../|${|lib/format.js |{|//= |a.b|<!--| -m a')) {
      search.read(`${text.charCodeAt(0)}.vue`, text.repeat(2 ** 17 / text.length));
      search.read(`${text.charCodeAt(0)}.py`, text.repeat(2 ** 17 / text.length));
    }
    expect(search.takeNamedBy("108.py")).toHaveLength(2_000);
  });
});
