/** The constants document: its default text, every version that took effect, and who put one in effect. */

import { asc, desc, eq, lt } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type AuditDetail, auditAct } from "../access/audit.ts";
import { sha256Hex } from "../base/keys.ts";
import type { Db, Tx } from "../store/store.ts";
import { type GoodDocument, parseConstants } from "./constants_parse.ts";
import { type ConstantsInEffect, pendingFaults } from "./file_mirror.ts";
import { type ThresholdKey, type ThresholdTable, thresholdAt } from "./thresholds.ts";

/** Column of the unit behind a value. */
const UNIT_COLUMN = 26;

/** The line of a threshold: its key and default, and behind them what it is counted in. */
function line<T extends ThresholdTable>(table: T, key: ThresholdKey<T>): string {
  const { default: value, unit } = thresholdAt(table, key);
  const written = JSON.stringify(value);
  return `${`${key} = ${written}`.padEnd(UNIT_COLUMN)}# ${unit}, default ${written}`;
}

/** The text that is written when there is no constants document yet: every key with its unit and default. */
export const DEFAULT_DOCUMENT = `# The constants document: the thresholds Tower judges by.
#
# Edit it here or in the Tower under Settings. A change takes effect within a minute and every version that took
# effect is kept. A document with a mistake never takes effect: the last good one stays, and the Tower names the line.
# A key that is left out has its default. A key that Tower does not know is a mistake.


# ---- Codebase rules: when a codebase report raises a flag -------------------------------------------------------

[codebase_rules]

# Growth against the report of a month before: both must be reached.
${line("codebase_rules", "growth_percent")}
${line("codebase_rules", "growth_lines")}

# Repeated code in the latest report, at least.
${line("codebase_rules", "duplication_percent")}

# Unused files plus unused packages, at least. Unused exports do not count.
${line("codebase_rules", "unused_items")}

# Hard-to-change functions more than in the report of a month before, at least.
${line("codebase_rules", "complex_functions")}

# Packages with a known vulnerability, at least. Below 1 is read as 1.
${line("codebase_rules", "vulnerable")}


# ---- Flow rules: when a daily count raises a flag ----------------------------------------------------------------

[flow_rules]

# A flag needs a probability below this. Too few and too many are each held against it, so 0.01 means that about two
# tests in a hundred flag when nothing changed.
${line("flow_rules", "alpha")}

# Longest window a metric is tested over. A longer one lets rarer events be tested, later.
${line("flow_rules", "max_window_days")}

# How much more a metric varies than a Poisson count: where that explains a count, its flag is taken away. "measured"
# takes each metric's own history; a number fixes the ratio of variance to mean; 1 is the bare Poisson test.
${line("flow_rules", "dispersion")}

# A lasting decline or growth is flagged where a metric's last four weeks differ from the four before by more than this,
# and by more than chance and than the same weeks a year ago.
${line("flow_rules", "lasting_percent")}

# Metrics where more is worse: a rise warns and a drop is good news. * stands for any characters; case does not count.
negative_metrics = [
  "*error*",
  "*exception*",
  "*fail*",
  "*crash*",
  "*timeout*",
  "*4xx*",
  "*5xx*",
  "*refund*",
  "*chargeback*",
  "*dispute*",
  "*declined*",
  "*rejected*",
  "*cancel*",
  "*unsubscri*",
  "*churn*",
  "*abandon*",
  "*bounce*",
  "*complain*",
  "*spam*",
]

# The last 7 final days against the mean of four earlier weeks. It speaks only where no other flow flag is open.
[flow_rules.percent_drop]
${line("percent_drop", "percent")}
${line("percent_drop", "minimum_count")}


# ---- Freshness: when a silent site raises an error ---------------------------------------------------------------

[freshness]

# No nightly report for this long, from a live site that has reported before.
${line("freshness", "silent_hours")}


# ---- Notifications -----------------------------------------------------------------------------------------------

[notifications]

# Between these times info and warn messages wait until the quiet hours end; an error is always sent at once.
# Both or neither; off by default.
# quiet_from = "22:00"
# quiet_until = "07:00"

# The zone the two times are meant in.
time_zone = "UTC"         # a name such as "Europe/Berlin", default "UTC"


# ---- Ledger ------------------------------------------------------------------------------------------------------

# The price of an hour of an operator's work, for each currency, in its minor units: EUR = 6000 is 60.00 EUR an hour.
# None by default: minutes without a rate have no price, and no currency is turned into another.
[ledger.operator_rates]
# EUR = 6000


# ---- Search result panels: what they may cost --------------------------------------------------------------------

[panels]

# The most that all panels together may cost in a UTC day, in cents of USD. What does not fit is asked on a later day.
daily_budget = 100        # cents, default 100 (1.00 USD)


# ---- Archive: how much of one report is taken, and what tells of script errors -----------------------------------

[archive]
max_rows = 250000         # rows, default 250000
max_bytes = 67108864      # bytes before compression, default 67108864 (64 MiB)

# Events of analytics that tell of an error of a script, at most 10.
js_error_events = ["exception", "js_error"]

# Their parameter with its message, and the one with its source. A property that has one of the two not registered as a
# custom dimension is left out.
js_error_message = "error_message"    # default "error_message"
js_error_source = "error_source"      # default "error_source"


# ---- Marked days: days that no flow rule compares ----------------------------------------------------------------
#
# For days that differ every time: a holiday, the end of a month, a sale every second Tuesday. A test whose window or
# comparison holds a marked day does not run, and level, weekdays and spread are measured without it. Nothing takes its
# place: one mark silences its weekday for four weeks, and percent drop for five. A mark works from now on and judges
# nothing again. For counts that a site sends, a day is the date of the report: a report made at 02:00 on 26 December
# mostly counts the 25th.
#
# Any of dates (each year, or once), month_days (-1 is the last), nth_weekdays (1 to 5 or last) and every; assets: all
# sites where it is left out.
#
# [[marked_days]]
# name = "Christmas"
# dates = ["12-25", "12-26", "2026-12-24"]
#
# [[marked_days]]
# name = "Payday and patches"
# month_days = [15, -1]
# nth_weekdays = ["2 Tue", "last Fri"]
# every = { weekday = "Tue", weeks = 2, from = "2026-01-06" }
# assets = ["trail-ledger"]


# ---- Overrides for one site, or one metric of one site -----------------------------------------------------------
#
# A metric's value goes before its site's, and its site's before the ones above. All keys of codebase_rules, flow_rules,
# freshness and archive can be set; for a metric all keys of flow_rules except negative_metrics. A figure that a
# provider tells of the site is another metric than one that the site sends under the same name: its table stands under
# signal_rules, with its source (analytics, search-console, webmaster-tools). Click-through rates and positions are no
# counts: no rule judges them. A site's weight (1 by default) orders what is equally urgent, and nothing else.
#
# [assets."trail-ledger"]
# weight = 3
#
# [assets."trail-ledger".codebase_rules]
# growth_percent = 40
#
# [assets."trail-ledger".flow_rules]
# alpha = 0.005
#
# [assets."trail-ledger".flow_rules."signups"]
# max_window_days = 7
# percent_drop.percent = 60
#
# [assets."trail-ledger".signal_rules."search-console"."clicks"]
# alpha = 0.001
#
# [assets."trail-ledger".freshness]
# silent_hours = 50
#
# [assets."trail-ledger".archive]
# js_error_message = "message"
`;

/** Every version of the constants document that took effect, whole, with who wrote it. Append-only. */
export const constantsVersion = sqliteTable("constants_version", {
  id: integer("id").primaryKey(),
  took_effect_at: integer("took_effect_at").notNull(),
  author: text("author").notNull(),
  digest: text("digest").notNull(),
  document: text("document").notNull(),
});

/** A version of the document that took effect. */
export type ConstantsVersion = typeof constantsVersion.$inferSelect;

/** Appends a version and gives its id; ids grow with time. */
export function appendVersion(tx: Tx, version: Omit<ConstantsVersion, "id">): number {
  const id = tx.insert(constantsVersion).values(version).returning({ id: constantsVersion.id }).all()[0]?.id;
  if (id === undefined) throw new Error("the appended constants version has no id");
  return id;
}

/** The version in effect, if any took effect yet. */
function findLatestVersion(db: Db): ConstantsVersion | undefined {
  return db.select().from(constantsVersion).orderBy(desc(constantsVersion.id)).limit(1).all()[0];
}

/** One version by id. */
export function findVersion(db: Db, id: number): ConstantsVersion | undefined {
  return db.select().from(constantsVersion).where(eq(constantsVersion.id, id)).limit(1).all()[0];
}

/** A version without its text, which may be large. */
export type ConstantsVersionSummary = Omit<ConstantsVersion, "document">;

/** Versions, newest first, older than `before` when given, at most `limit`. */
export function listVersions(db: Db, limit: number, before?: number): ConstantsVersionSummary[] {
  const { id, took_effect_at, author, digest } = constantsVersion;
  return db
    .select({ id, took_effect_at, author, digest })
    .from(constantsVersion)
    .where(before === undefined ? undefined : lt(constantsVersion.id, before))
    .orderBy(desc(constantsVersion.id))
    .limit(limit)
    .all();
}

/** Versions whose document is not the one that its digest was taken of, and a mark that cannot be read. */
export function documentFaults(db: Db): string[] {
  const { id, digest, document } = constantsVersion;
  const changed = db
    .select({ id, digest, document })
    .from(constantsVersion)
    .orderBy(asc(id))
    .all()
    .filter((version) => sha256Hex(version.document) !== version.digest)
    .map((version) => `constants_version, row ${version.id}: its document is not the one of its digest`);
  return [...changed, ...pendingFaults(db)];
}

/** Author of a version that came from a text editor. */
export const FILE_AUTHOR = "file";
/** Author of a version that the service itself put in effect: the defaults, or an earlier good one. */
export const SERVICE_AUTHOR = "tower";

/** The document as the latest recorded version, when it is that. */
export function findInEffect(db: Db, good: GoodDocument): ConstantsInEffect | undefined {
  const latest = findLatestVersion(db);
  if (latest?.digest !== good.digest) return undefined;
  return { ...good, version: latest.id, tookEffectAt: latest.took_effect_at, author: latest.author };
}

/** Records that a document takes effect. The one that already is the latest version is not recorded again. */
function recordVersion(tx: Tx, good: GoodDocument, author: string, now: number): ConstantsInEffect {
  const standing = findInEffect(tx, good);
  if (standing !== undefined) return standing;
  const version = appendVersion(tx, {
    took_effect_at: now,
    author,
    digest: good.digest,
    document: good.text,
  });
  return { ...good, version, tookEffectAt: now, author };
}

/** Who saves, with what belongs into the same transaction. */
export interface Saver {
  readonly author: string;
  /** What the audit row says beside the version. */
  readonly detail?: AuditDetail;
  readonly also?: (tx: Tx, version: number) => void;
}

/** Records what an operator saved: the version, its audit row, and what belongs to the act. */
export function recordSave(tx: Tx, good: GoodDocument, by: Saver, now: number): ConstantsInEffect {
  const saved = recordVersion(tx, good, by.author, now);
  const detail = { version: saved.version, ...by.detail };
  auditConstants(tx, "save", { at: now, actor: by.author, detail });
  by.also?.(tx, saved.version);
  return saved;
}

/** Records that a document takes effect that nobody saved in the Tower, with an audit row where it is a new version. */
export function putInEffect(tx: Tx, good: GoodDocument, author: string, now: number): ConstantsInEffect {
  const standing = findInEffect(tx, good);
  if (standing !== undefined) return standing;
  const taken = recordVersion(tx, good, author, now);
  const actor = author === SERVICE_AUTHOR ? "service" : author;
  auditConstants(tx, "change", { at: now, actor, detail: { version: taken.version } });
  return taken;
}

/** Appends what happened to the document to the audit. */
export function auditConstants(
  tx: Tx,
  act: "save" | "change" | "refuse" | "recover",
  by: { readonly at: number; readonly actor: string; readonly detail: AuditDetail },
): void {
  auditAct(tx, { actor: by.actor, now: by.at }, `constants.${act}`, "constants", by.detail);
}

/** How many recorded versions are tried for one that is still good: an update of Tower may judge more strictly. */
const MAX_TRIED_VERSIONS = 20;

/** The newest recorded version that may still take effect, else the defaults. */
export function lastGoodDocument(db: Db): GoodDocument {
  for (const { id } of listVersions(db, MAX_TRIED_VERSIONS)) {
    const version = findVersion(db, id);
    const parsed = version === undefined ? undefined : parseConstants(version.document);
    if (version !== undefined && parsed?.ok) {
      return { text: version.document, digest: version.digest, constants: parsed.constants };
    }
  }
  const parsed = parseConstants(DEFAULT_DOCUMENT);
  if (!parsed.ok) throw new Error("the default constants document is not valid");
  return { text: DEFAULT_DOCUMENT, digest: sha256Hex(DEFAULT_DOCUMENT), constants: parsed.constants };
}
