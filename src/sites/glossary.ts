/**
 * The words of the rules that not every operator knows, each with one plain sentence. None says why a count changed, and none says
 * more than a test can.
 */
export const GLOSSARY = {
  "expected-by-chance": {
    says: /\bexpected by chance\b/i,
    name: "Expected by chance",
    sentence:
      "How many flags this many tests would raise if nothing ever changed: each test looks for too few and for too many, each at alpha.",
  },
  expected: {
    says: /\bexpected\b/i,
    name: "Expected",
    sentence: "The count that the window would hold if it were like the earlier windows: their mean.",
  },
  "earlier-windows": {
    says: /\bearlier (?:windows?|weeks?|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days)\b/i,
    name: "Earlier windows",
    sentence:
      "The four stretches of days that a window is compared with: as long as it, and each ending on the same weekday.",
  },
  chance: {
    says: /\bchance of|\bprobability\b|^chance\b/i,
    name: "Chance",
    sentence:
      "How probable it is to see so few, or so many, if nothing changed; it does not say why a count is what it is.",
  },
  alpha: {
    says: /\balpha\b/i,
    name: "Alpha",
    sentence:
      "A flag needs a chance below this: 0.01 is one in a hundred, for too few and for too many alike.",
  },
  window: {
    says: /\bwindow\b/i,
    name: "Window",
    sentence:
      "The days whose counts are added up for one test; a metric with few events a day needs more of them.",
  },
  poisson: {
    says: /\bPoisson\b/i,
    name: "Poisson",
    sentence:
      "How a count of independent events varies by chance alone: its variance is as large as its mean.",
  },
  "second-condition": {
    says: /\bsecond condition\b/i,
    name: "Second condition",
    sentence:
      "A second test, asked where the first would raise a flag, with the metric's own level and dispersion; it can only take the flag away.",
  },
  dispersion: {
    says: /\bdispersion\b|\bspread\b|\bvariance\b|φ/i,
    name: "Dispersion (φ)",
    sentence:
      "How much more the days of a metric vary than chance alone would make them: their variance divided by their mean, 1 being chance alone.",
  },
  level: {
    says: /\blevel\b/i,
    name: "Level",
    sentence: "The metric's usual value over the last 28 days, without outliers.",
  },
  "mid-p": {
    says: /\bmid-p\b/i,
    name: "Mid-p",
    sentence: "The chance of a count beyond the one seen, plus half the chance of that very count.",
  },
  shares: {
    says: /\bshares of the week\b/i,
    name: "Shares of the week",
    sentence: "How much of a mean day each weekday holds: 1.20 is a fifth more.",
  },
  "stood-out": {
    says: /\bstood out\b|\bodd days\b/i,
    name: "Outlier",
    sentence: "A day that lies far from the days around it; level and dispersion are measured without it.",
  },
  "percent-fall": {
    says: /\bpercent[-_ ]drop\b/i,
    name: "Percent-drop",
    sentence:
      "Compares the last seven days with the mean of four earlier weeks, and fires at a set fall in percent; it is no test of chance.",
  },
  "reported-issue": {
    says: /\bprovider[- ]issue\b/i,
    name: "Provider-issue",
    sentence:
      "What a provider itself reports of a site's URLs, such as errors that its crawler met; it is no test of Tower's.",
  },
  milestone: {
    says: /\bmilestones?\b/i,
    name: "Milestone",
    sentence: "A total that passed 1, 2 or 5 times a power of ten, from 1,000 on. No action needed.",
  },
  provisional: {
    says: /\bprovisional\b/i,
    name: "Provisional",
    sentence: "A day whose count may still change; no rule judges it before it is final.",
  },
  "not-tested": {
    says: /\bnot tested\b/i,
    name: "Not tested",
    sentence: "No rule could judge it, for the reason beside it; that is no all-clear.",
  },
  sampled: {
    says: /^sampled$/i,
    name: "Sampled",
    sentence:
      "The provider looked at a part of the visits and worked out the rest: its counts are estimates.",
  },
  thresholded: {
    says: /^thresholded$/i,
    name: "Thresholded",
    sentence: "The provider leaves out rows of so few people that they could be known again.",
  },
  "other-row": {
    says: /^rest in one row$/i,
    name: "Rest in one row",
    sentence: "There were more rows than the provider lists. It adds up the rest as one row, (other).",
  },
  "top-rows": {
    says: /^top rows$/i,
    name: "Top rows",
    sentence: "The provider lists a day's first 50,000 rows of a search type. Anything beyond is not known.",
  },
  "lower-bound": {
    says: /^lower bound$/i,
    name: "Lower bound",
    sentence:
      "At least so many: assistants often send no referrer, and such visits are counted under another channel, mostly Direct.",
  },
  coverage: {
    says: /^rows cover$/i,
    name: "What rows cover",
    sentence:
      "The rows of a report added up, held against the provider's own total of the day; what is missing the provider does not list.",
  },
  "source-lag": {
    says: /^no final figures$/i,
    name: "No final figures",
    sentence: "The provider is still counting that day. Tower fetches it again in the next run.",
  },
  complexity: {
    says: /\bhard[- ]to[- ]change\b|\bcomplexity\b/i,
    name: "Complexity",
    sentence:
      "How many ways lead through a function (cyclomatic complexity); a function with more than 15 counts as hard to change.",
  },
  "lagging-source": {
    says: /\bsource lags?\b/i,
    name: "Source lag",
    sentence: "The provider's figures of this date are not final yet. Tower fetches them again.",
  },
  "archive-object": {
    says: /\bobjects? holds?\b/i,
    name: "Object",
    sentence:
      "The bytes of one answer, kept once under their SHA-256. Attempts with the same bytes share it.",
  },
  manifest: {
    says: /\bmanifest\b/i,
    name: "Manifest",
    sentence: "One row for each attempt to get a report, whatever came of it; no row is ever changed.",
  },
} as const satisfies Readonly<Record<string, GlossaryEntry>>;

/** One word: how it stands in a text, its name, and what it means. */
interface GlossaryEntry {
  readonly says: RegExp;
  readonly name: string;
  readonly sentence: string;
}

export type TermName = keyof typeof GLOSSARY;

/** The words, those of several words before the words in them. */
export const TERMS = Object.keys(GLOSSARY) as TermName[];

/** Words for the inputs of rules where their own names do not say enough. */
export const INPUT_WORDS: Readonly<Record<string, string>> = {
  report: "Report",
  first_report: "First sent in",
  comparison: "Compared with",
  window_days: "Window",
  specification_window_days: "Smallest window",
  mean: "Expected at its level",
  above: "Larger than",
  free_below: "Free, less than",
  held_by: "Held by",
  variance_factor: "Variance over mean",
  mid_p: "Chance, mid-p",
  left_out: "odd days",
  shares: "Shares of the week",
  wander: "Wander from week to week",
  since_known: "First day known",
  poisson: "Chance, counts alone",
  observed: "Seen",
  cohort: "Earlier windows",
  phi: "variance over mean",
  code_lines: "Lines of code",
  code_lines_before: "Lines before",
  notes: "Said beside it",
  notes_before: "Said beside it before",
  run_started_at: "The run began",
  sites: "Sites asked for",
  omitted_days: "Days without data",
  properties: "Properties without data",
  failed: "Sites it failed for",
  list_failed: "The list of sites failed",
  categories: "Why",
  failed_sites: "Which sites",
  issue_type: "Type of issue",
  url_count: "URLs reported",
  urls: "URLs",
  property: "Reported for",
  first_seen: "First reported",
  last_seen: "Last reported",
  manifest: "Archived report",
  tools_updated: "Measuring tools updated in between",
};
