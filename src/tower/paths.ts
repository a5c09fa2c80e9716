/** Every address of the Tower, in one place: what a route is mounted at and what links and forms name are made from one pattern. */

/** The names in a pattern: `"asset"` of `/sites/:asset/flags`. */
export type NamesIn<Pattern extends string> = Pattern extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | NamesIn<`/${More}`>
    : Rest
  : never;

/** A value for each name in a pattern, in their order. */
type ValuesFor<Pattern extends string> = Pattern extends `${string}:${infer Rest}`
  ? readonly [
      string | number,
      ...(Rest extends `${string}/${infer More}` ? ValuesFor<`/${More}`> : readonly []),
    ]
  : readonly [];

/** An address with names in it: called, it makes a link; its pattern is what a route is mounted at. */
export interface Place<Pattern extends string = string> {
  (...values: ValuesFor<Pattern>): string;
  readonly pattern: Pattern;
}

function at<const Pattern extends string>(pattern: Pattern): Place<Pattern> {
  const link = (...values: readonly (string | number)[]) => {
    const left = [...values];
    return pattern.replace(/:\w+/g, () => encodeURIComponent(left.shift() ?? ""));
  };
  return Object.assign(link, { pattern });
}

export const paths = {
  portfolio: "/",
  sites: "/sites",
  newSite: "/sites/new",
  site: at("/sites/:asset"),
  siteDay: at("/sites/:asset/days/:date"),
  siteCsv: at("/sites/:asset/days.csv"),
  siteInsights: at("/sites/:asset/insights"),
  siteSending: at("/sites/:asset/sending"),
  siteLive: at("/sites/:asset/live"),
  siteLivePart: (asset: string): string => `/sites/${encodeURIComponent(asset)}/live?part=live`,
  metric: at("/sites/:asset/metric"),
  metricAsked: (asset: string, search: URLSearchParams): string =>
    `/sites/${encodeURIComponent(asset)}/metric?${search}`,
  siteTimeline: at("/sites/:asset/timeline"),
  codebase: at("/sites/:asset/codebase"),
  siteFlags: at("/sites/:asset/flags"),
  reports: at("/sites/:asset/reports"),
  nightlyReport: at("/sites/:asset/reports/:date/:revision"),
  nightlyJson: at("/sites/:asset/reports/:date/:revision/json"),
  codebaseReport: at("/sites/:asset/reports/codebase/:date/:revision"),
  codebaseJson: at("/sites/:asset/reports/codebase/:date/:revision/json"),
  firstReport: at("/sites/:asset/first-report"),
  firstReportHeard: (asset: string): string => `/sites/${encodeURIComponent(asset)}/first-report?part=heard`,
  firstToken: at("/sites/:asset/first-report/token"),
  siteSettings: at("/sites/:asset/settings"),
  declareFamily: at("/sites/:asset/settings/families"),
  withdrawFamily: at("/sites/:asset/settings/families/withdrawal"),
  issueTokenOfSite: at("/sites/:asset/settings/tokens"),
  revokeTokenOfSite: at("/sites/:asset/settings/tokens/:id/revocation"),
  removeSite: at("/sites/:asset/settings/removal"),
  tuneMetric: at("/sites/:asset/metrics/:metric/tune"),
  tuneSignal: at("/sites/:asset/signals/:source/:metric/tune"),
  tuneCodebase: at("/sites/:asset/codebase/tune"),
  flags: "/flags",
  flag: at("/flags/:id"),
  tuneFlag: at("/flags/:id/tune"),
  acknowledgement: at("/flags/:id/acknowledgement"),
  snooze: at("/flags/:id/snooze"),
  incident: at("/flags/:id/incident"),
  hypothesis: at("/flags/:id/hypothesis"),
  resolution: at("/flags/:id/resolution"),
  dispositions: "/flags/dispositions",
  timeline: "/timeline",
  strike: at("/timeline/:id/strike"),
  unstrike: at("/timeline/:id/strike/withdrawal"),
  integrations: "/integrations",
  allIntegrations: "/integrations/all",
  siteIntegrations: at("/sites/:asset/integrations"),
  ledger: "/ledger",
  ledgerUpload: "/ledger/upload",
  ledgerRows: "/ledger/rows",
  /** The rows of a currency: of one site, or of all. */
  ledgerRowsOf: (currency: string, asset: string | null): string =>
    `/ledger/rows?${new URLSearchParams({ currency, ...(asset !== null && { asset }) })}`,
  ledgerCsv: "/ledger/rows.csv",
  /** The same as a file. */
  ledgerFile: (currency: string, asset: string | null): string =>
    `/ledger/rows.csv?${new URLSearchParams({ currency, ...(asset !== null && { asset }) })}`,
  siteLedger: at("/sites/:asset/ledger"),
  pauses: "/integrations/pauses",
  /** The form that pauses a capability on every site, from the page of integrations and back. */
  pauseEverywhere: (capability: string): string =>
    `/integrations/pauses?${new URLSearchParams({ capability, to: "/integrations" })}`,
  resumption: "/integrations/pauses/withdrawal",
  disconnection: "/integrations/disconnection",
  forgetting: "/integrations/disconnection/withdrawal",
  health: "/health",
  backups: "/health/backups",
  restoreBackup: at("/health/backups/:name/restore"),
  help: "/help",
  helpPage: at("/help/:page"),
  /** A section of a page of the manual. */
  helpAbout: (page: string, section: string): string => `/help/${page}#${section}`,
  wall: "/wall",
  /** Opens the Wall on a screen where nobody signs in. */
  wallOpenedBy: (token: string): string => `/wall?${new URLSearchParams({ link: token })}`,
  kioskTokens: "/settings/wall",
  revokeKioskToken: at("/settings/wall/:id/revocation"),
  runs: "/integrations/runs",
  runsNow: "/integrations/runs?part=jobs",
  runsOfJob: (job: string): string => `/integrations/runs?${new URLSearchParams({ job })}`,
  run: at("/integrations/runs/:run"),
  runNow: (run: string): string => `/integrations/runs/${encodeURIComponent(run)}?part=run`,
  stopRun: at("/integrations/runs/:run/stop"),
  runJob: at("/integrations/jobs/:job/runs"),
  attempts: "/integrations/attempts",
  archive: "/archive",
  /** The reports of one site, and those that a run asked for. */
  archiveOfSite: (asset: string, provider?: string): string =>
    `/archive?${new URLSearchParams({ asset, ...(provider !== undefined && { provider }) })}`,
  archiveOfRun: (run: string, outcome?: string): string =>
    `/archive?${new URLSearchParams({ ...(outcome !== undefined && { outcome }), run })}#attempts`,
  archiveNow: "/archive?part=run",
  /** Once a page: the archive begins a run itself. */
  archiveRun: "/archive/run",
  /** One attempt to get a report: where a figure comes from. */
  archiveReport: at("/archive/reports/:report"),
  settings: "/settings",
  constants: "/settings/constants",
  /** Once a page: the editor lists them. */
  constantsVersions: "/settings/constants/versions",
  constantsVersion: at("/settings/constants/versions/:version"),
  calibration: "/settings/calibration",
  /** The metrics of a site that can be tuned. */
  tuningOfSite: (asset: string): string =>
    `/settings/calibration?${new URLSearchParams({ q: asset })}#tuning`,
  credentials: "/settings/credentials",
  newCredential: "/settings/credentials/new",
  attachments: "/settings/credentials/attachments",
  detachment: "/settings/credentials/attachments/detachment",
  credential: at("/settings/credentials/:id"),
  replaceCredential: at("/settings/credentials/:id/replacement"),
  removeCredential: at("/settings/credentials/:id/removal"),
  testCredential: at("/settings/credentials/:id/test"),
  findProperties: at("/settings/credentials/:id/discovery"),
  notices: "/settings/notices",
  newChannel: "/settings/notices/new",
  channel: at("/settings/notices/:id"),
  removeChannel: at("/settings/notices/:id/removal"),
  testChannel: at("/settings/notices/:id/test"),
  pauseChannel: at("/settings/notices/:id/pause"),
  calendars: "/settings/calendars",
  removeCalendar: at("/settings/calendars/:name/removal"),
  panels: "/settings/panels",
  panelsOf: (asset: string): string => `/settings/panels?${new URLSearchParams({ asset })}`,
  panel: at("/settings/panels/:id"),
  removePanel: at("/settings/panels/:id/removal"),
  audit: "/settings/audit",
  tokens: "/settings/tokens",
  tokenReceipt: "/settings/tokens/receipt",
  siteTokens: (asset: string): string => `/sites/${encodeURIComponent(asset)}/settings#tokens`,
  issueOperatorToken: "/settings/tokens/operator",
  revokeOperatorToken: at("/settings/tokens/operator/:id/revocation"),
  operators: "/settings/operators",
  removeOperator: at("/settings/operators/:name/removal"),
  sessions: "/settings/sessions",
  endSession: at("/settings/sessions/:id/sign-out"),
  endSessions: "/settings/sessions/sign-out",
  password: "/settings/password",
  signIn: "/sign-in",
  signInTo: (path: string): string => `/sign-in?to=${encodeURIComponent(path)}`,
  signOut: "/sign-out",
  setup: "/setup",
  staticFiles: "/static/*",
  /** Below it programs are answered. */
  api: "/api/",
  apiPulses: at("/api/assets/:asset/pulses"),
  apiCodebaseReports: at("/api/assets/:asset/codebase-reports"),
  apiArchiveObject: at("/api/archive/objects/:sha256"),
} as const;

/** Longest address a page is asked to come back to. */

const LONGEST = 1_000;
const DOORS: readonly string[] = [paths.signIn, paths.signOut, paths.setup];

/**
 * An address to go on to, when it is one of ours: a path with its query. Anything else (another host, `//host`, a backslash
 * that browsers read as a slash, a control character) becomes the portfolio, and so do the doors themselves.
 */
export function ownPath(text: string | null | undefined): string {
  if (text === null || text === undefined || text.length > LONGEST) return paths.portfolio;
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes("\\")) return paths.portfolio;
  const url = new URL(text, "http://tower.invalid");
  if (url.host !== "tower.invalid" || url.pathname.startsWith("//") || DOORS.includes(url.pathname))
    return paths.portfolio;
  return `${url.pathname}${url.search}`;
}
