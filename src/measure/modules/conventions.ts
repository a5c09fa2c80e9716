/** Files that a tool or a framework finds by their place, each with why. Data only: `roots_by_convention.ts` reads it. */

export interface Convention {
  /** Compared with the whole path. */
  readonly files: RegExp;
  /** The convention holds only where some file imports one of these packages. */
  readonly uses?: readonly string[];
  /** The convention holds only where the tree holds a path like this one. */
  readonly beside?: RegExp;
  readonly why: string;
}

/** What starts Python programs and what Python's tools load. */
export const PYTHON_CONVENTIONS: readonly Convention[] = [
  { files: /(^|\/)__main__\.py$/, why: "`python -m package` runs it" },
  { files: /(^|\/)(manage|wsgi|asgi)([_-]\w+)?\.py$/, why: "Django's and every application server's door" },
  { files: /(^|\/)main\.py$/, why: "what people and application servers start" },
  {
    files:
      /^([\w.-]+\/){0,2}(app|application|run|server|worker|bot|celery|celery_app|celeryconfig|cli|index)\.py$/,
    why: "what `flask run`, `celery -A` and people start, near the root",
  },
  { files: /(^|\/)(conftest|pytest_plugins?)\.py$/, why: "pytest loads it" },
  {
    files: /(^|\/)(setup|versioneer|hatch_build|build_hooks?|_build_backend)\.py$/,
    why: "builders of packages run it",
  },
  {
    files: /(^|\/)(_?version|__version__|__about__|_?build_info)\.py$/,
    why: "builders of packages write and read it",
  },
  {
    files: /(^|\/)(noxfile|fabfile|dodo|pavement|conanfile|locustfile|toxfile|wscript|runtests)\.py$/,
    why: "a task runner of that name loads it",
  },
  { files: /^([\w.-]+\/)?tasks\.py$/, why: "Invoke loads it near the root" },
  { files: /(^|\/)gunicorn[\w.-]*\.py$/, why: "Gunicorn's settings are a module" },
  { files: /(^|\/)(sitecustomize|usercustomize)\.py$/, why: "the interpreter loads it" },
  {
    files: /(^|\/)((local|dev|prod|production|test|base)_)?settings([_-][\w-]+)?\.py$/,
    why: "a settings module is named by the environment",
  },
  {
    files: /(^|\/)settings\/[\w-]+\.py$/,
    why: "settings modules are named by the environment",
  },
  {
    files: /(^|\/)(conf|pelicanconf|publishconf|jupyter_\w*config|ipython_config)\.py$/,
    why: "settings of documentation and notebook tools",
  },
  {
    files: /(^|\/)(lambda_function|lambda_handler|streamlit_app|function_app)\.py$/,
    why: "hosts of functions and Streamlit look for it",
  },
  {
    files:
      /(^|\/)(__hooks__|pyinstaller|_pyinstaller|hooks)\/(hook-[\w.-]+|rthook\w*|(pre|post)_[\w-]+)\.py$/,
    why: "PyInstaller and project templates run their hooks",
  },
  {
    files:
      /(^|\/)alembic\/(versions\/[^/]+|env)\.py$|(^|\/)(migrations|versions)\/(versions\/[^/]+|env)\.py$/,
    why: "Alembic runs its folder",
  },
  { files: /(^|\/)\w*migrations?\w*\/[^/]+\.py$/, why: "frameworks run the migrations of a folder in turn" },
  {
    files: /(^|\/)(dags|plugins)\/([^/]+\/)*[^/]+\.py$/,
    uses: ["airflow"],
    why: "Airflow loads both folders",
  },
  {
    files: /(^|\/)(spiders\/([^/]+\/)*[^/]+|middlewares|pipelines|items|extensions)\.py$/,
    uses: ["scrapy"],
    why: "Scrapy finds spiders by folder and names the rest in its settings",
  },
  {
    files:
      /(^|\/)((action|become|cache|callback|cliconf|connection|doc_fragments|filter|httpapi|inventory|lookup|netconf|shell|strategy|terminal|test|vars)(_plugins)?|modules|library)\/([^/]+\/)*[^/]+\.py$/,
    uses: ["ansible"],
    why: "Ansible finds modules and plug-ins by folder",
  },
  {
    files: /(^|\/)library\/[^/]+\.py$|(^|\/)[\w-]+_plugins\/[^/]+\.py$/,
    beside: /(^|\/)(playbooks?|roles|ansible)\//,
    why: "Ansible finds modules and plug-ins by folder",
  },
  {
    files: /(^|\/)pages\/[^/]+\.py$/,
    uses: ["streamlit", "dash"],
    why: "Streamlit and Dash show each file of the folder as a page",
  },
  {
    files: /(^|\/)custom_components\/([^/]+\/)+[^/]+\.py$/,
    uses: ["homeassistant"],
    why: "Home Assistant loads platforms by name",
  },
  { files: /(^|\/)(__manifest__|__openerp__)\.py$/, why: "Odoo's modules" },
  { files: /^([^/]+\/)?[^/]+\.py$/, uses: ["sublime_plugin"], why: "Sublime Text loads a package's modules" },
  {
    files: /(^|\/)tasks\.py$/,
    uses: ["celery", "dramatiq", "huey", "django_q", "procrastinate"],
    why: "task queues discover it in every app",
  },
];

/** What Django and its apps find by name. A library for Django is an app as well, with no project around it. */
export const DJANGO_CONVENTIONS: readonly Convention[] = [
  {
    files: /(^|\/)(apps|models|admin|urls|signals|tests|checks)\.py$/,
    why: "modules of an app that Django loads by name, or that a project includes by name",
  },
  { files: /(^|\/)management\/commands\/[\w-]+\.py$/, why: "`manage.py` finds commands by folder" },
  { files: /(^|\/)templatetags\/([^/]+\/)*[\w-]+\.py$/, why: "`{% load %}` finds tags by folder" },
  {
    files: /(^|\/)(locale|formats)\/([^/]+\/)*[\w-]+\.py$/,
    why: "formats are found by language",
  },
  {
    files:
      /(^|\/)(context_processors|middleware|routing|sitemaps|feeds|backends|jinja2|dashboard|receivers)\.py$/,
    why: "projects name it in their settings",
  },
  {
    files:
      /(^|\/)(translation|search_indexes|documents|autocomplete_light_registry|model_factories|imagegenerators|wagtail_hooks|management|panels|stats_panels)\.py$/,
    why: "add-ons discover it in every app",
  },
  {
    files: /(^|\/)(cms_(plugins|apps?|toolbars?|menus?|config|wizards)|menu)\.py$/,
    why: "django CMS discovers it in every app",
  },
].map((convention) => ({ ...convention, uses: ["django", "wagtail", "cms", "rest_framework"] }));

/** Scripts of frameworks that are not written in JavaScript. */
export const FOREIGN_CONVENTIONS: readonly Convention[] = [
  {
    files: /(^|\/)controllers\/([^/]+\/)*[\w-]+[_-]controller\.[cm]?[jt]sx?$/,
    why: "Stimulus loads every controller of the folder",
  },
  {
    files: /(^|\/)channels\/([^/]+\/)*[\w-]+[_-]channel\.[cm]?[jt]sx?$/,
    beside: /(^|\/)config\/cable\.yml$/,
    why: "Action Cable loads every channel of the folder",
  },
  {
    files:
      /(^|\/)app\/(javascript|frontend|javascripts|webpacker|packs)\/(packs|entrypoints|entries)\/([^/]+\/)*[^/]+$/,
    why: "Webpacker and Vite Ruby build each file of the folder",
  },
  {
    files: /(^|\/)app\/(javascript|frontend)\/[^/]+\.[cm]?[jt]sx?$/,
    beside: /(^|\/)(Gemfile|[\w-]+\.gemspec)$/,
    why: "jsbundling builds each file at the top of the folder",
  },
  {
    files:
      /(^|\/)(app|lib)\/assets\/(javascripts|config|builds)\/(application|manifest|[\w-]+_manifest)(\.coffee)?\.js$/,
    why: "the asset pipeline's list",
  },
  {
    files: /(^|\/)resources\/(js|ts|assets\/js)\/(app|bootstrap|ssr|main|echo)\.[cm]?[jt]sx?$/,
    beside: /(^|\/)artisan$/,
    why: "Laravel builds it",
  },
  {
    files: /(^|\/)assets\/js\/(app|main)\.[cm]?[jt]sx?$/,
    beside: /(^|\/)mix\.exs$/,
    why: "Phoenix builds it",
  },
  { files: /\.(razor|cshtml)\.[cm]?js$/, why: "the script of a component or page beside it" },
  { files: /\.user\.js$/, why: "people install user scripts" },
];

/** A folder whose files people and machines start by hand; a package among them is none. */
export const HAND_STARTED =
  /(^|\/)(scripts?|bin|tools?|hack|contrib|ci|dev|devtools|maintenance|misc|release|etc|experiments?|notebooks?|research|training|one[-_]?off)\/([^/]+\/){0,2}[^/]+\.py$/;
