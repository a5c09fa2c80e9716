/**
 * Files of JavaScript and TypeScript projects that something outside of the code loads: a tool, a framework's router, a person.
 * Paths are as seen from the folder of their package. A row with `when` holds where a package of that name is among the
 * dependencies of the file's package or of one around it.
 */

interface EntryRow {
  /** Names of packages; a trailing `*` stands for any rest. */
  readonly when?: readonly string[];
  readonly paths: RegExp;
}

const SCRIPT = String.raw`\.[cm]?[jt]sx?$`;

function rows(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.map((pattern) => `(?:${pattern})`).join("|"));
}

/** Loaded by tools by their names, in any project. */
const TOOLS: readonly EntryRow[] = [
  // Settings that are programs, and what test runners load first.
  {
    paths: rows(
      String.raw`(^|/)[\w.@-]+\.(config|conf|setup)(\.[\w-]+)?${SCRIPT}`,
      String.raw`(^|/)\.?[\w-]+rc${SCRIPT}`,
    ),
  },
  {
    paths: rows(
      `(^|/)(vitest|jest|karma|test|global)[.-]?(setup|teardown|globals?|env|environment|preset)?[.-]?(setup|teardown|shim|bundle|main|workspace)?${SCRIPT}`,
    ),
  },
  {
    paths: rows(
      `(^|/)(setupTests|setupProxy|setup-?jest|setup-?vitest|react-app-env|globalSetup|globalTeardown)${SCRIPT}`,
    ),
  },
  {
    paths: rows(
      `(^|/)(gulpfile|Gruntfile|gruntfile|Jakefile|ember-cli-build|plopfile|Gulpfile|dangerfile|wallaby|testem|tasks?\\.config|knexfile|prettier|stylelint)${SCRIPT}`,
    ),
  },
  {
    paths: rows(
      `^(webpack|rollup|vite|esbuild|babel|metro|postcss|tailwind|gatsby|svgo)[.-][\\w.-]*${SCRIPT}`,
    ),
  },
  // Task runners read their whole folders.
  {
    paths: rows("^(gulp|grunt|gulpfile\\.[cm]?[jt]s)/", `^(config|build|webpack|rollup|vite)/[^/]+${SCRIPT}`),
  },
  // Stories, and folders that tools mark with underscores: mocks, fixtures, snapshots.
  {
    paths: rows("\\.(stories|story|stories\\.[\\w-]+)\\.[\\w.]+$", "(^|/)__\\w+__/"),
  },
  // Performance and browser tests, run one by one.
  {
    paths: rows(
      "^(k6|cypress|playwright|e2e|perf([-_][\\w-]+)?|load-?tests?|test-?utils|bench(marks?)?|benches)/",
      "\\.(bench|perf|type-?test|test-d|e2e-spec|po)\\.[cm]?[jt]sx?$",
    ),
  },
  // Run by hand or by a deployment, and examples for readers.
  {
    paths: rows(
      "^(\\.[^/]+|scripts?|bin|tools?|tooling|hack|codemods?|examples?|samples?|demos?|playgrounds?|docs?|documentation|fixtures?|templates?|recipes|generators?|patches|snippets|starters?|boilerplates?|deploy(ment)?|infra(structure)?|ci|\\.?devcontainer)/",
    ),
  },
  { paths: rows("(^|/)(migrations?|seeds?|seeders?|codemods?|jscodeshift|fixtures)/") },
  // Mail that a renderer finds by its folder.
  { paths: rows("(^|/)(emails?|email-?templates?|mails?)/[^/]+\\.[jt]sx$") },
  // Functions that a host runs for each request.
  {
    paths: rows(
      "^(functions|api|lambdas?|edge-functions|convex|trigger)/",
      "(^|/)(netlify|supabase)/(edge-)?functions/",
    ),
  },
  // Workers that a browser loads by their address.
  {
    paths: rows(
      `(^|/)(sw|service-?worker|serviceWorker|firebase-messaging-sw|registerServiceWorker|mockServiceWorker)${SCRIPT}`,
    ),
  },
  // Start of an application or a package, as their generators lay it out.
  {
    paths: rows(
      `^(src/|source/|lib/|app/|client/|server/|frontend/|web/|electron/)?(index|main|mod|app|App|server|cli|worker|bootstrap|polyfills?|entry([-.][\\w-]+)?|client|preload|background|electron|extension|run|start|setup)(\\.(web|node|browser|server|client|dev|prod|production|native|ios|android))?${SCRIPT}`,
    ),
  },
  // Texts that are gathered for translation; nothing else has to take them.
  { paths: rows(`(^|/)(extra-?)?(translations?|i18n-strings)${SCRIPT}`) },
  // A module beside others that shows what they are: tells the compiler, not the program.
  { paths: /^(?!.*(components|auto-imports|imports|typed-router)\.d\.ts$).*\.d\.[cm]?ts$/ },
  // Files with a plus are pages and hooks of routers (SvelteKit, Vike).
  { paths: /(^|\/)\+[\w.@-]+\.\w+$/ },
  // Rules and plug-ins that a linter loads from the repository.
  {
    paths: rows(
      "(^|/)(eslint|lint|tslint|stylelint)[\\w-]*(rules?|plugins?|local)[\\w-]*/",
      "^(eslint|eslint-[\\w-]+|stylelint-[\\w-]+)/",
    ),
  },
];

/** Loaded by a framework by where they lie. */
const FRAMEWORKS: readonly EntryRow[] = [
  {
    when: ["next"],
    paths: rows(
      "(^|/)pages/.*\\.([jt]sx?|mdx?)$",
      "(^|/)app/(.*/)?(page|layout|route|loading|error|not-found|template|default|global-error|global-not-found|forbidden|unauthorized|sitemap|robots|manifest|icon\\d*|apple-icon\\d*|opengraph-image\\d*|twitter-image\\d*)\\.([jt]sx?|mdx?)$",
      `^(src/)?(middleware|proxy|instrumentation|instrumentation-client|mdx-components|i18n/request|i18n)${SCRIPT}`,
      `(^|/)i18n/request${SCRIPT}`,
    ),
  },
  {
    when: ["nuxt", "nuxt-edge", "nuxt3", "nuxt-nightly", "@nuxt/kit", "nitropack", "nitro"],
    paths: rows(
      "(^|/)(pages|layouts|middleware|plugins|modules|server/(api|routes|middleware|plugins|tasks|handlers|websocket))/",
      "(^|/)(app|error|app\\.config|router\\.options|NuxtModule|module)\\.(vue|[cm]?[jt]s)$",
      "(^|/)(store)/[^/]+\\.[jt]s$",
      "(^|/)runtime/",
    ),
  },
  { when: ["nitropack", "nitro", "h3"], paths: rows("^(server/)?(api|routes|middleware|plugins|tasks)/") },
  {
    when: ["@sveltejs/kit"],
    paths: rows(
      `(^|/)src/(hooks(\\.(server|client))?(/index)?|service-worker(/index)?|instrumentation\\.server|env)${SCRIPT}`,
      "(^|/)src/params/",
    ),
  },
  {
    when: ["@remix-run/*", "react-router", "@react-router/*"],
    paths: rows(`(^|/)app/(root|routes|entry\\.[\\w.]+)${SCRIPT}`, "(^|/)app/routes/"),
  },
  {
    when: ["astro"],
    paths: rows(
      "(^|/)src/(pages|content|middleware|actions|live\\.config)(/|\\.)",
      `(^|/)content/config${SCRIPT}`,
    ),
  },
  {
    when: ["gatsby", "gatsby-*"],
    paths: rows("(^|/)src/(pages|api|html)(/|\\.)"),
  },
  {
    when: ["expo", "expo-router"],
    paths: rows("^(src/)?app/", "^plugins/"),
  },
  {
    when: ["@angular/core"],
    paths: rows(
      `(^|/)(main|polyfills|test|setup-?jest|server)(\\.\\w+)?\\.ts$`,
      "(^|/)environments?/environment[\\w.-]*\\.ts$",
      "(^|/)(public[-_]api|index)\\.ts$",
    ),
  },
  {
    when: ["@docusaurus/*", "vitepress", "vuepress", "@rspress/*"],
    paths: rows(
      "(^|/)src/(pages|theme|clientModules)(/|\\.)",
      "(^|/)(docs|blog|versioned_docs|theme)/",
      `^sidebars[\\w.-]*${SCRIPT}`,
    ),
  },
  {
    when: ["@tanstack/*"],
    paths: rows(
      "(^|/)(src|app)/routes?/",
      `(^|/)(src|app)/(router|routeTree\\.gen|client|server|ssr|start)${SCRIPT}`,
    ),
  },
  {
    when: [
      "@solidjs/start",
      "solid-start",
      "@builder.io/*",
      "@qwik.dev/*",
      "waku",
      "preact-iso",
      "@analogjs/*",
    ],
    paths: rows("(^|/)(src|app)/(routes|pages)/", `(^|/)src/(entry[\\w.-]*|root|app)${SCRIPT}`),
  },
  {
    when: ["vue-router"],
    paths: rows("(^|/)src/(pages|layouts)/(.*/)?(index|\\[[^\\]]+\\]|default|404|_[\\w]+)\\.(vue|[jt]sx?)$"),
  },
  {
    when: [
      "vite-plugin-pages",
      "unplugin-vue-router",
      "vite-plugin-vue-layouts",
      "@generouted/*",
      "umi",
      "@umijs/*",
      "ice",
      "vike",
      "vike-*",
      "vite-plugin-ssr",
      "@ice/*",
    ],
    paths: rows("(^|/)(pages|layouts|renderer)/"),
  },
  {
    when: ["ember-source", "ember-cli", "@ember/*"],
    paths: rows("^(app|addon|addon-test-support|lib|config|mirage)/"),
  },
  { when: ["meteor-node-stubs"], paths: rows("^(client|server|imports/startup|lib|packages)/") },
  { when: ["@strapi/*", "strapi"], paths: rows("^(src|config|api|extensions|database|plugins)/") },
  {
    when: ["@adonisjs/*"],
    paths: rows("^(app|start|config|commands|providers|contracts|database|inertia/(pages|app))/"),
  },
  { when: ["sails"], paths: rows("^(api|config|tasks|assets)/") },
  {
    when: ["@redwoodjs/*"],
    paths: rows(
      "(^|/)(api/src/(graphql|functions|services|directives|subscriptions|jobs)|web/src/(pages|layouts|App|Routes))",
    ),
  },
  {
    when: ["@medusajs/*"],
    paths: rows(
      "^src/(api|subscribers|workflows|jobs|links|modules|admin|loaders|migrations|services|models|repositories)/",
    ),
  },
  { when: ["@fastify/autoload", "fastify-autoload"], paths: rows("(^|/)(plugins|routes|services)/") },
  {
    when: ["@feathersjs/*", "egg", "midway", "@midwayjs/*", "@foal/*", "moleculer", "seneca", "thinkjs"],
    paths: rows("^(app|src|config|services|agent)(/|\\.)"),
  },
  { when: ["@nestjs/core"], paths: rows("(^|/)(main|repl|cli|lambda|serverless)\\.ts$") },
  {
    when: ["typeorm", "sequelize", "@mikro-orm/*", "sequelize-typescript", "mongoose"],
    paths: rows("\\.(entity|subscriber|migration|seed)\\.[jt]s$"),
  },
  {
    when: ["quasar", "@quasar/*"],
    paths: rows("^(src/(boot|router/index|App|stores?/index)|src-\\w+)(/|\\.)"),
  },
  {
    when: ["wxt", "plasmo"],
    paths: rows(
      "(^|/)(entrypoints|contents|popup|options|sidepanel|background|newtab|tabs|sandboxes)(/|\\.)",
    ),
  },
  { when: ["@raycast/api"], paths: rows("^src/[^/]+\\.[jt]sx?$", "^src/tools/") },
  { when: ["@slidev/*"], paths: rows("(^|/)(components|layouts|setup|styles|snippets)/") },
  { when: ["plop", "hygen", "yeoman-generator"], paths: rows("^(_templates|plop[\\w-]*|generators|app)/") },
  { when: ["@storybook/*", "storybook"], paths: rows("(^|/)\\.?storybook[\\w-]*/") },
  {
    when: ["mjml", "@react-email/*", "react-email", "@maizzle/*"],
    paths: rows("(^|/)(emails?|mails?|templates)/"),
  },
  { when: ["oclif", "@oclif/*"], paths: rows("^src/(commands|hooks)/") },
  { when: ["gluegun"], paths: rows("(^|/)(commands|extensions)/") },
  // A dashboard's extension names its views by their stems.
  { when: ["@stripe/ui-extension-sdk"], paths: rows("(^|/)src/views/") },
  // What the database's tables look like, read from it.
  { when: ["drizzle-kit"], paths: rows(`^drizzle/(schema|relations)${SCRIPT}`) },
  // Components that articles name, wherever these lie.
  { when: ["@nuxt/content", "@nuxtjs/mdc"], paths: rows("(^|/)components/(content|prose|mdc)/") },
  { when: ["@shopify/hydrogen", "@shopify/cli"], paths: rows("(^|/)app/routes/", "^(extensions|web)/") },
  {
    when: ["@keystone-6/core", "payload", "@payloadcms/*"],
    paths: rows("(^|/)(importMap|payload[.-]types|schema)\\.[jt]s$"),
  },
  { when: ["probot", "@octokit/*", "@actions/*"], paths: rows(`^(src/)?(action|post|pre|cleanup)${SCRIPT}`) },
  {
    when: ["discord.js", "@sapphire/*", "discordx"],
    paths: rows("(^|/)(commands|events|listeners|interactions|slashcommands|preconditions)/"),
  },
];

/** Whether something outside of the code loads the file. `path` is as seen from its package. */
export function isScriptEntry(path: string, depends: (name: string) => boolean): boolean {
  if (TOOLS.some((row) => row.paths.test(path))) return true;
  return FRAMEWORKS.some((row) => row.when?.some(depends) === true && row.paths.test(path));
}

/** The rows, for whoever records which version of them made a figure. */
export const SCRIPT_ENTRIES: readonly EntryRow[] = [...TOOLS, ...FRAMEWORKS];
