/** Where the reach begins: what somebody other than the repository's own modules loads. */

import { isAutoImported, isAutoImporting } from "./auto_imports.ts";
import { below, type Effort, folderOf, foldersUp, joinPath, type ModuleFacts, type Tree } from "./facts.ts";
import { moduleFinder } from "./graph.ts";
import { type ScriptResolver, usualStart } from "./resolve_script.ts";
import { isScriptEntry } from "./script_entries.ts";
import type { PackageSettings, Settings } from "./settings.ts";

// Where Python programs start: what is run, and what tools and frameworks load by name or by place.

/** The Python files that nothing has to import. `published` are the folders of packages that are made for others. */
export function pythonEntries(
  paths: readonly string[],
  facts: ReadonlyMap<string, Pick<ModuleFacts, "imports" | "isProgram">>,
  published: ReadonlySet<string> = new Set(),
): string[] {
  const files = paths.filter((path) => path.endsWith(".py"));
  const used = importedPackages(files, facts);
  const all = new Set(files);
  const conventions = holding([...PYTHON_CONVENTIONS, ...DJANGO_CONVENTIONS], paths, used);
  return files.filter(
    (path) =>
      facts.get(path)?.isProgram === true ||
      isPublic(path, published) ||
      conventions.some(({ files: pattern }) => pattern.test(path)) ||
      (HAND_STARTED.test(path) && !all.has(`${folderOf(path)}/__init__.py`)),
  );
}

/** Whoever installs a package may import each of its modules whose name begins with no underscore. */
function isPublic(path: string, published: ReadonlySet<string>): boolean {
  if (published.size === 0 || !foldersUp(folderOf(path)).some((folder) => published.has(folder)))
    return false;
  return path.split("/").every((part) => !part.startsWith("_") || part === "__init__.py");
}

/** The conventions that hold in this tree. */
function holding(conventions: readonly Convention[], paths: readonly string[], used: ReadonlySet<string>) {
  return conventions.filter(
    ({ uses, beside }) =>
      (uses === undefined || uses.some((name) => used.has(name))) &&
      (beside === undefined || paths.some((path) => beside.test(path))),
  );
}

/** The first names of everything that is imported. */
function importedPackages(
  files: readonly string[],
  facts: ReadonlyMap<string, Pick<ModuleFacts, "imports">>,
): ReadonlySet<string> {
  const used = new Set<string>();
  for (const path of files) {
    for (const { specifier } of facts.get(path)?.imports ?? []) used.add(specifier.split(".", 1)[0] ?? "");
  }
  return used;
}

export type Roots = ReturnType<typeof moduleRoots>;

export interface RootInput {
  readonly facts: ReadonlyMap<string, ModuleFacts>;
  readonly settings: ReadonlyMap<string, Settings>;
  /** Files of the project's own that are no tests. */
  readonly own: ReadonlySet<string>;
  readonly isTest: (path: string) => boolean;
  /** Whether the file is of those that stand beside the code and are never listed. */
  readonly isSide: (path: string) => boolean;
}

/** The roots among the modules. */
export function moduleRoots(input: RootInput, tree: Tree, scripts: ScriptResolver, effort: Effort) {
  const { facts, settings, own, isTest, isSide } = input;
  const depends = dependenciesOf(settings);
  const all = new Set<string>();
  const add = (path: string) => {
    if (facts.has(path)) all.add(path);
  };
  const auto = new Map<string, boolean>();
  /** Whether a framework imports the file by the names of what it holds. */
  const autoImports = (path: string): boolean => {
    const folder = folderOf(path);
    return auto.getOrInsertComputed(folder, () => isAutoImporting(depends(folder))) && isAutoImported(path);
  };
  const published = publishedFolders(settings, tree);
  for (const path of pythonEntries(tree.paths, facts, published)) add(path);
  const foreign = holding(FOREIGN_CONVENTIONS, tree.paths, new Set());
  for (const path of tree.paths) if (foreign.some(({ files }) => files.test(path))) add(path);
  for (const [path, one] of facts) {
    if (isSide(path)) add(path);
    const folder = folderOf(path);
    const inside = below(scripts.packageOf(path), path);
    const dependsHere = depends(folder);
    const isEntry =
      isTest(path) ||
      one.isProgram ||
      (!path.endsWith(".py") && (isScriptEntry(inside, dependsHere) || isScriptEntry(path, dependsHere)));
    // Generated files and other people's: who loads them is not seen here.
    const isForeign = !own.has(path) && !path.endsWith(".d.ts");
    if (isEntry || (isForeign && !isTest(path))) add(path);
  }
  for (const path of namedBySettings(settings, [...facts.keys()], tree, scripts, effort)) add(path);
  return { all, autoImports };
}

/** What packages and tools name in their settings as files to begin with. */
function* namedBySettings(
  settings: ReadonlyMap<string, Settings>,
  modules: readonly string[],
  tree: Tree,
  scripts: ScriptResolver,
  effort: Effort,
): Generator<string> {
  const find = moduleFinder(modules, effort);
  const matching = (folder: string, pattern: string) => find(joinPath(folder, pattern) ?? "");
  for (const [path, one] of settings) {
    const folder = folderOf(path);
    for (const target of targetsOf(one)) {
      if (!target.includes("*")) yield* scripts.inPackage(folder, target);
      else if (one.kind === "config" && namesFiles(target)) {
        const found = matching(folder, target);
        if (found.length <= MAX_STARTS) yield* found;
      }
    }
    if (one.kind !== "package") continue;
    for (const pattern of patternsOf(one))
      for (const built of builtFrom(tree, folder, pattern)) yield* matching(folder, built);
    yield* usualStart(tree, folder);
  }
}

/** A pattern of more files than these is no list of entry points: it says what a tool looks through. */
const MAX_STARTS = 100;

/** A pattern of every file in every folder names none. */
function namesFiles(pattern: string): boolean {
  return !/\*\*.*\/(?:\*+|\{[^}]*\})(?:\.[\w*{},]+)?$|\*\*$/.test(pattern);
}

/** The folders of Python packages that are published. A project's own program beside one says that it is an application. */
function publishedFolders(settings: ReadonlyMap<string, Settings>, tree: Tree): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const [path, one] of settings) {
    if (one.kind === "distribution" && one.isPublished) folders.add(folderOf(path));
  }
  for (const folder of folders) if (tree.has(joinPath(folder, "manage.py") ?? "")) folders.delete(folder);
  return folders;
}

/** Whether a folder's package, or one around it, depends on a package; a trailing `*` stands for any rest. */
function dependenciesOf(
  settings: ReadonlyMap<string, Settings>,
): (folder: string) => (name: string) => boolean {
  const lists = new Map<string, readonly string[]>();
  for (const [path, one] of settings) if (one.kind === "package") lists.set(folderOf(path), one.dependencies);
  const known = new Map<string, Map<string, boolean>>();
  return (folder) => {
    const up = foldersUp(folder).filter((one) => lists.has(one));
    const answers = known.getOrInsert(up[0] ?? "", new Map());
    return (name) =>
      answers.getOrInsertComputed(name, () => {
        const isIt = name.endsWith("*")
          ? (one: string) => one.startsWith(name.slice(0, -1))
          : (one: string) => one === name;
        return up.some((one) => lists.get(one)?.some(isIt) === true);
      });
  };
}

/** What settings name as files: entry points of packages and bundlers, programs in scripts. */
function targetsOf(one: Settings): readonly string[] {
  if (one.kind === "config") return one.entries;
  if (one.kind === "paths") return one.files;
  if (one.kind === "distribution") return [];
  return [...one.paths, ...one.exports.flatMap(({ targets }) => targets)];
}

/** Entry points with a star in them. */
function patternsOf(one: PackageSettings): string[] {
  return one.exports
    .flatMap(({ targets }) => targets)
    .filter((target) => target.includes("*"))
    .map((target) => target.replace(/^\.\//, "").replace("*", "**/*"));
}

const BUILT = /^(?:(?:dist|lib|build|out|es|esm|cjs|types)\/)+/;

/** A pattern, and where the tree holds no such folder the patterns of the sources that the built files are made of. */
function builtFrom(tree: Tree, folder: string, pattern: string): string[] {
  const stem = pattern.replace(/(\.d)?\.[cm]?[jt]sx?$/, ".*");
  const rest = stem.replace(BUILT, "");
  const first = pattern.slice(0, pattern.indexOf("/"));
  if (rest === stem || tree.hasFolder(joinPath(folder, first) ?? "")) return [pattern, stem];
  return [`src/${rest}`, ...(rest.startsWith("*") ? [] : [rest])];
}

// Files that a tool or a framework finds by their place.

interface Convention {
  /** Compared with the whole path. */
  readonly files: RegExp;
  /** The convention holds only where some file imports one of these packages. */
  readonly uses?: readonly string[];
  /** The convention holds only where the tree holds a path like this one. */
  readonly beside?: RegExp;
}

/** What starts Python programs and what Python's tools load. */
export const PYTHON_CONVENTIONS: readonly Convention[] = [
  // `python -m package` runs it.
  { files: /(^|\/)__main__\.py$/ },
  // Django's and every application server's door.
  { files: /(^|\/)(manage|wsgi|asgi)([_-]\w+)?\.py$/ },
  // What people and application servers start.
  { files: /(^|\/)main\.py$/ },
  // What `flask run`, `celery -A` and people start, near the root.
  {
    files:
      /^([\w.-]+\/){0,2}(app|application|run|server|worker|bot|celery|celery_app|celeryconfig|cli|index)\.py$/,
  },
  // Pytest loads it.
  { files: /(^|\/)(conftest|pytest_plugins?)\.py$/ },
  // Builders of packages run it.
  { files: /(^|\/)(setup|versioneer|hatch_build|build_hooks?|_build_backend)\.py$/ },
  // Builders of packages write and read it.
  { files: /(^|\/)(_?version|__version__|__about__|_?build_info)\.py$/ },
  // A task runner of that name loads it.
  { files: /(^|\/)(noxfile|fabfile|dodo|pavement|conanfile|locustfile|toxfile|wscript|runtests)\.py$/ },
  // Invoke loads it near the root.
  { files: /^([\w.-]+\/)?tasks\.py$/ },
  // Gunicorn's settings are a module.
  { files: /(^|\/)gunicorn[\w.-]*\.py$/ },
  // The interpreter loads it.
  { files: /(^|\/)(sitecustomize|usercustomize)\.py$/ },
  // A settings module is named by the environment.
  { files: /(^|\/)((local|dev|prod|production|test|base)_)?settings([_-][\w-]+)?\.py$/ },
  // Settings modules are named by the environment.
  { files: /(^|\/)settings\/[\w-]+\.py$/ },
  // Settings of documentation and notebook tools.
  { files: /(^|\/)(conf|pelicanconf|publishconf|jupyter_\w*config|ipython_config)\.py$/ },
  // Hosts of functions and Streamlit look for it.
  { files: /(^|\/)(lambda_function|lambda_handler|streamlit_app|function_app)\.py$/ },
  // PyInstaller and project templates run their hooks.
  {
    files:
      /(^|\/)(__hooks__|pyinstaller|_pyinstaller|hooks)\/(hook-[\w.-]+|rthook\w*|(pre|post)_[\w-]+)\.py$/,
  },
  // Alembic runs its folder.
  {
    files:
      /(^|\/)alembic\/(versions\/[^/]+|env)\.py$|(^|\/)(migrations|versions)\/(versions\/[^/]+|env)\.py$/,
  },
  // Frameworks run the migrations of a folder in turn.
  { files: /(^|\/)\w*migrations?\w*\/[^/]+\.py$/ },
  // Airflow loads both folders.
  { files: /(^|\/)(dags|plugins)\/([^/]+\/)*[^/]+\.py$/, uses: ["airflow"] },
  // Scrapy finds spiders by folder and names the rest in its settings.
  { files: /(^|\/)(spiders\/([^/]+\/)*[^/]+|middlewares|pipelines|items|extensions)\.py$/, uses: ["scrapy"] },
  // Ansible finds modules and plug-ins by folder.
  {
    files:
      /(^|\/)((action|become|cache|callback|cliconf|connection|doc_fragments|filter|httpapi|inventory|lookup|netconf|shell|strategy|terminal|test|vars)(_plugins)?|modules|library)\/([^/]+\/)*[^/]+\.py$/,
    uses: ["ansible"],
  },
  // Ansible finds modules and plug-ins by folder.
  {
    files: /(^|\/)library\/[^/]+\.py$|(^|\/)[\w-]+_plugins\/[^/]+\.py$/,
    beside: /(^|\/)(playbooks?|roles|ansible)\//,
  },
  // Streamlit and Dash show each file of the folder as a page.
  { files: /(^|\/)pages\/[^/]+\.py$/, uses: ["streamlit", "dash"] },
  // Home Assistant loads platforms by name.
  { files: /(^|\/)custom_components\/([^/]+\/)+[^/]+\.py$/, uses: ["homeassistant"] },
  // Odoo's modules.
  { files: /(^|\/)(__manifest__|__openerp__)\.py$/ },
  // Sublime Text loads a package's modules.
  { files: /^([^/]+\/)?[^/]+\.py$/, uses: ["sublime_plugin"] },
  // Task queues discover it in every app.
  { files: /(^|\/)tasks\.py$/, uses: ["celery", "dramatiq", "huey", "django_q", "procrastinate"] },
];

/** What Django and its apps find by name. A library for Django is an app as well, with no project around it. */
export const DJANGO_CONVENTIONS: readonly Convention[] = [
  // Modules of an app that Django loads by name, or that a project includes by name.
  { files: /(^|\/)(apps|models|admin|urls|signals|tests|checks)\.py$/ },
  // `manage.py` finds commands by folder.
  { files: /(^|\/)management\/commands\/[\w-]+\.py$/ },
  // `{% load %}` finds tags by folder.
  { files: /(^|\/)templatetags\/([^/]+\/)*[\w-]+\.py$/ },
  // Formats are found by language.
  { files: /(^|\/)(locale|formats)\/([^/]+\/)*[\w-]+\.py$/ },
  // Projects name it in their settings.
  {
    files:
      /(^|\/)(context_processors|middleware|routing|sitemaps|feeds|backends|jinja2|dashboard|receivers)\.py$/,
  },
  // Add-ons discover it in every app.
  {
    files:
      /(^|\/)(translation|search_indexes|documents|autocomplete_light_registry|model_factories|imagegenerators|wagtail_hooks|management|panels|stats_panels)\.py$/,
  },
  // Django CMS discovers it in every app.
  { files: /(^|\/)(cms_(plugins|apps?|toolbars?|menus?|config|wizards)|menu)\.py$/ },
].map((convention) => ({ ...convention, uses: ["django", "wagtail", "cms", "rest_framework"] }));

/** Scripts of frameworks that are not written in JavaScript. */
export const FOREIGN_CONVENTIONS: readonly Convention[] = [
  // Stimulus loads every controller of the folder.
  { files: /(^|\/)controllers\/([^/]+\/)*[\w-]+[_-]controller\.[cm]?[jt]sx?$/ },
  // Action Cable loads every channel of the folder.
  {
    files: /(^|\/)channels\/([^/]+\/)*[\w-]+[_-]channel\.[cm]?[jt]sx?$/,
    beside: /(^|\/)config\/cable\.yml$/,
  },
  // Webpacker and Vite Ruby build each file of the folder.
  {
    files:
      /(^|\/)app\/(javascript|frontend|javascripts|webpacker|packs)\/(packs|entrypoints|entries)\/([^/]+\/)*[^/]+$/,
  },
  // Jsbundling builds each file at the top of the folder.
  {
    files: /(^|\/)app\/(javascript|frontend)\/[^/]+\.[cm]?[jt]sx?$/,
    beside: /(^|\/)(Gemfile|[\w-]+\.gemspec)$/,
  },
  // The asset pipeline's list.
  {
    files:
      /(^|\/)(app|lib)\/assets\/(javascripts|config|builds)\/(application|manifest|[\w-]+_manifest)(\.coffee)?\.js$/,
  },
  // Laravel builds it.
  {
    files: /(^|\/)resources\/(js|ts|assets\/js)\/(app|bootstrap|ssr|main|echo)\.[cm]?[jt]sx?$/,
    beside: /(^|\/)artisan$/,
  },
  // Phoenix builds it.
  { files: /(^|\/)assets\/js\/(app|main)\.[cm]?[jt]sx?$/, beside: /(^|\/)mix\.exs$/ },
  // The script of a component or page beside it.
  { files: /\.(razor|cshtml)\.[cm]?js$/ },
  // People install user scripts.
  { files: /\.user\.js$/ },
];

/** A folder whose files people and machines start by hand; a package among them is none. */
export const HAND_STARTED =
  /(^|\/)(scripts?|bin|tools?|hack|contrib|ci|dev|devtools|maintenance|misc|release|etc|experiments?|notebooks?|research|training|one[-_]?off)\/([^/]+\/){0,2}[^/]+\.py$/;
