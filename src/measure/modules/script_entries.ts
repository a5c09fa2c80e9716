/**
 * Files of JavaScript and TypeScript projects that something outside of the code loads: a tool, a framework's router, a person.
 * Paths are as seen from the folder of their package. A row with `when` holds where a package of that name is among the
 * dependencies of the file's package or of one around it.
 */

import { words } from "../../base/text.ts";

interface EntryRow {
  /** Names of packages; a trailing `*` stands for any rest. */
  readonly when?: readonly string[];
  readonly paths: RegExp;
}

const SCRIPT = String.raw`\.[cm]?[jt]sx?$`;

function anywhere(...patterns: readonly string[]): EntryRow {
  return { paths: new RegExp(patterns.map((pattern) => `(?:${pattern})`).join("|")) };
}

function using(packages: string, ...patterns: readonly string[]): EntryRow {
  return { when: words(packages), ...anywhere(...patterns) };
}

/** Loaded by tools by their names, in any project. */
const TOOLS: readonly EntryRow[] = [
  // Settings that are programs, and what test runners load first.
  anywhere(
    String.raw`(^|/)[\w.@-]+\.(config|conf|setup)(\.[\w-]+)?${SCRIPT}`,
    String.raw`(^|/)\.?[\w-]+rc${SCRIPT}`,
  ),
  anywhere(
    `(^|/)(vitest|jest|karma|test|global)[.-]?(setup|teardown|globals?|env|environment|preset)?[.-]?(setup|teardown|shim|bundle|main|workspace)?${SCRIPT}`,
  ),
  anywhere(
    `(^|/)(setupTests|setupProxy|setup-?jest|setup-?vitest|react-app-env|globalSetup|globalTeardown)${SCRIPT}`,
  ),
  anywhere(
    `(^|/)(gulpfile|Gruntfile|gruntfile|Jakefile|ember-cli-build|plopfile|Gulpfile|dangerfile|wallaby|testem|tasks?\\.config|knexfile|prettier|stylelint)${SCRIPT}`,
  ),
  anywhere(`^(webpack|rollup|vite|esbuild|babel|metro|postcss|tailwind|gatsby|svgo)[.-][\\w.-]*${SCRIPT}`),
  // Task runners read their whole folders.
  anywhere("^(gulp|grunt|gulpfile\\.[cm]?[jt]s)/", `^(config|build|webpack|rollup|vite)/[^/]+${SCRIPT}`),
  // Stories, and folders that tools mark with underscores: mocks, fixtures, snapshots.
  anywhere("\\.(stories|story|stories\\.[\\w-]+)\\.[\\w.]+$", "(^|/)__\\w+__/"),
  // Performance and browser tests, run one by one.
  anywhere(
    "^(k6|cypress|playwright|e2e|perf([-_][\\w-]+)?|load-?tests?|test-?utils|bench(marks?)?|benches)/",
    "\\.(bench|perf|type-?test|test-d|e2e-spec|po)\\.[cm]?[jt]sx?$",
  ),
  // Run by hand or by a deployment, and examples for readers.
  anywhere(
    "^(\\.[^/]+|scripts?|bin|tools?|tooling|hack|codemods?|examples?|samples?|demos?|playgrounds?|docs?|documentation|fixtures?|templates?|recipes|generators?|patches|snippets|starters?|boilerplates?|deploy(ment)?|infra(structure)?|ci|\\.?devcontainer)/",
  ),
  anywhere("(^|/)(migrations?|seeds?|seeders?|codemods?|jscodeshift|fixtures)/"),
  // Mail that a renderer finds by its folder.
  anywhere("(^|/)(emails?|email-?templates?|mails?)/[^/]+\\.[jt]sx$"),
  // Functions that a host runs for each request.
  anywhere(
    "^(functions|api|lambdas?|edge-functions|convex|trigger)/",
    "(^|/)(netlify|supabase)/(edge-)?functions/",
  ),
  // Workers that a browser loads by their address.
  anywhere(
    `(^|/)(sw|service-?worker|serviceWorker|firebase-messaging-sw|registerServiceWorker|mockServiceWorker)${SCRIPT}`,
  ),
  // Start of an application or a package, as their generators lay it out.
  anywhere(
    `^(src/|source/|lib/|app/|client/|server/|frontend/|web/|electron/)?(index|main|mod|app|App|server|cli|worker|bootstrap|polyfills?|entry([-.][\\w-]+)?|client|preload|background|electron|extension|run|start|setup)(\\.(web|node|browser|server|client|dev|prod|production|native|ios|android))?${SCRIPT}`,
  ),
  // Texts that are gathered for translation; nothing else has to take them.
  anywhere(`(^|/)(extra-?)?(translations?|i18n-strings)${SCRIPT}`),
  // A module beside others that shows what they are: tells the compiler, not the program.
  { paths: /^(?!.*(components|auto-imports|imports|typed-router)\.d\.ts$).*\.d\.[cm]?ts$/ },
  // Files with a plus are pages and hooks of routers (SvelteKit, Vike).
  { paths: /(^|\/)\+[\w.@-]+\.\w+$/ },
  // Rules and plug-ins that a linter loads from the repository.
  anywhere(
    "(^|/)(eslint|lint|tslint|stylelint)[\\w-]*(rules?|plugins?|local)[\\w-]*/",
    "^(eslint|eslint-[\\w-]+|stylelint-[\\w-]+)/",
  ),
];

/** Loaded by a framework by where they lie. */
const FRAMEWORKS: readonly EntryRow[] = [
  using(
    "next",
    "(^|/)pages/.*\\.([jt]sx?|mdx?)$",
    "(^|/)app/(.*/)?(page|layout|route|loading|error|not-found|template|default|global-error|global-not-found|forbidden|unauthorized|sitemap|robots|manifest|icon\\d*|apple-icon\\d*|opengraph-image\\d*|twitter-image\\d*)\\.([jt]sx?|mdx?)$",
    `^(src/)?(middleware|proxy|instrumentation|instrumentation-client|mdx-components|i18n/request|i18n)${SCRIPT}`,
    `(^|/)i18n/request${SCRIPT}`,
  ),
  using(
    "nuxt nuxt-edge nuxt3 nuxt-nightly @nuxt/kit nitropack nitro",
    "(^|/)(pages|layouts|middleware|plugins|modules|server/(api|routes|middleware|plugins|tasks|handlers|websocket))/",
    "(^|/)(app|error|app\\.config|router\\.options|NuxtModule|module)\\.(vue|[cm]?[jt]s)$",
    "(^|/)(store)/[^/]+\\.[jt]s$",
    "(^|/)runtime/",
  ),
  using("nitropack nitro h3", "^(server/)?(api|routes|middleware|plugins|tasks)/"),
  using(
    "@sveltejs/kit",
    `(^|/)src/(hooks(\\.(server|client))?(/index)?|service-worker(/index)?|instrumentation\\.server|env)${SCRIPT}`,
    "(^|/)src/params/",
  ),
  using(
    "@remix-run/* react-router @react-router/*",
    `(^|/)app/(root|routes|entry\\.[\\w.]+)${SCRIPT}`,
    "(^|/)app/routes/",
  ),
  using(
    "astro",
    "(^|/)src/(pages|content|middleware|actions|live\\.config)(/|\\.)",
    `(^|/)content/config${SCRIPT}`,
  ),
  using("gatsby gatsby-*", "(^|/)src/(pages|api|html)(/|\\.)"),
  using("expo expo-router", "^(src/)?app/", "^plugins/"),
  using(
    "@angular/core",
    `(^|/)(main|polyfills|test|setup-?jest|server)(\\.\\w+)?\\.ts$`,
    "(^|/)environments?/environment[\\w.-]*\\.ts$",
    "(^|/)(public[-_]api|index)\\.ts$",
  ),
  using(
    "@docusaurus/* vitepress vuepress @rspress/*",
    "(^|/)src/(pages|theme|clientModules)(/|\\.)",
    "(^|/)(docs|blog|versioned_docs|theme)/",
    `^sidebars[\\w.-]*${SCRIPT}`,
  ),
  using(
    "@tanstack/*",
    "(^|/)(src|app)/routes?/",
    `(^|/)(src|app)/(router|routeTree\\.gen|client|server|ssr|start)${SCRIPT}`,
  ),
  using(
    "@solidjs/start solid-start @builder.io/* @qwik.dev/* waku preact-iso @analogjs/*",
    "(^|/)(src|app)/(routes|pages)/",
    `(^|/)src/(entry[\\w.-]*|root|app)${SCRIPT}`,
  ),
  using(
    "vue-router",
    "(^|/)src/(pages|layouts)/(.*/)?(index|\\[[^\\]]+\\]|default|404|_[\\w]+)\\.(vue|[jt]sx?)$",
  ),
  using(
    "vite-plugin-pages unplugin-vue-router vite-plugin-vue-layouts @generouted/* umi @umijs/* ice vike vike-* vite-plugin-ssr @ice/*",
    "(^|/)(pages|layouts|renderer)/",
  ),
  using("ember-source ember-cli @ember/*", "^(app|addon|addon-test-support|lib|config|mirage)/"),
  using("meteor-node-stubs", "^(client|server|imports/startup|lib|packages)/"),
  using("@strapi/* strapi", "^(src|config|api|extensions|database|plugins)/"),
  using("@adonisjs/*", "^(app|start|config|commands|providers|contracts|database|inertia/(pages|app))/"),
  using("sails", "^(api|config|tasks|assets)/"),
  using(
    "@redwoodjs/*",
    "(^|/)(api/src/(graphql|functions|services|directives|subscriptions|jobs)|web/src/(pages|layouts|App|Routes))",
  ),
  using(
    "@medusajs/*",
    "^src/(api|subscribers|workflows|jobs|links|modules|admin|loaders|migrations|services|models|repositories)/",
  ),
  using("@fastify/autoload fastify-autoload", "(^|/)(plugins|routes|services)/"),
  using(
    "@feathersjs/* egg midway @midwayjs/* @foal/* moleculer seneca thinkjs",
    "^(app|src|config|services|agent)(/|\\.)",
  ),
  using("@nestjs/core", "(^|/)(main|repl|cli|lambda|serverless)\\.ts$"),
  using(
    "typeorm sequelize @mikro-orm/* sequelize-typescript mongoose",
    "\\.(entity|subscriber|migration|seed)\\.[jt]s$",
  ),
  using("quasar @quasar/*", "^(src/(boot|router/index|App|stores?/index)|src-\\w+)(/|\\.)"),
  using(
    "wxt plasmo",
    "(^|/)(entrypoints|contents|popup|options|sidepanel|background|newtab|tabs|sandboxes)(/|\\.)",
  ),
  using("@raycast/api", "^src/[^/]+\\.[jt]sx?$", "^src/tools/"),
  using("@slidev/*", "(^|/)(components|layouts|setup|styles|snippets)/"),
  using("plop hygen yeoman-generator", "^(_templates|plop[\\w-]*|generators|app)/"),
  using("@storybook/* storybook", "(^|/)\\.?storybook[\\w-]*/"),
  using("mjml @react-email/* react-email @maizzle/*", "(^|/)(emails?|mails?|templates)/"),
  using("oclif @oclif/*", "^src/(commands|hooks)/"),
  using("gluegun", "(^|/)(commands|extensions)/"),
  // A dashboard's extension names its views by their stems.
  using("@stripe/ui-extension-sdk", "(^|/)src/views/"),
  // What the database's tables look like, read from it.
  using("drizzle-kit", `^drizzle/(schema|relations)${SCRIPT}`),
  // Components that articles name, wherever these lie.
  using("@nuxt/content @nuxtjs/mdc", "(^|/)components/(content|prose|mdc)/"),
  using("@shopify/hydrogen @shopify/cli", "(^|/)app/routes/", "^(extensions|web)/"),
  using("@keystone-6/core payload @payloadcms/*", "(^|/)(importMap|payload[.-]types|schema)\\.[jt]s$"),
  using("probot @octokit/* @actions/*", `^(src/)?(action|post|pre|cleanup)${SCRIPT}`),
  using(
    "discord.js @sapphire/* discordx",
    "(^|/)(commands|events|listeners|interactions|slashcommands|preconditions)/",
  ),
];

/** Whether something outside of the code loads the file. `path` is as seen from its package. */
export function isScriptEntry(path: string, depends: (name: string) => boolean): boolean {
  if (TOOLS.some((row) => row.paths.test(path))) return true;
  return FRAMEWORKS.some((row) => row.when?.some(depends) === true && row.paths.test(path));
}

/** The rows, for whoever records which version of them made a figure. */
export const SCRIPT_ENTRIES: readonly EntryRow[] = [...TOOLS, ...FRAMEWORKS];
