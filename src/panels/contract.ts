/** Search result panels: the settings of one, what a run may cost, when the next one is due. Pure. */
import * as v from "valibot";
import { AssetIdSchema } from "../lib/asset_id.ts";
import { hasControl, rule, ruleMessage, text } from "../lib/contract.ts";
import type { panel, panelResult, panelRun } from "./table.ts";

/** The capability of all panels; each panel is a target of its own. */
export const PANELS = "serp.panels";
export const DEVICES = ["desktop", "mobile"] as const;
export const PANEL_OUTCOMES = ["found", "not_in_depth", "failed"] as const;
export const DAY_MS = 86_400_000;

/** A whole number as an option or a form gives it. */
function whole(from: number, to: number) {
  const message = ruleMessage("whole-number", `must be a whole number from ${from} to ${to}`);
  const digits = v.pipe(v.string(message), v.regex(/^\d{1,9}$/, message), v.transform(Number));
  return v.pipe(digits, v.minValue(from, message), v.maxValue(to, message));
}

const LANGUAGE = ruleMessage("language", "must be a language code, for example en or zh-CN");
const isKeyword = (words: string) => words.trim() !== "" && !hasControl(words);

export const NewPanelSchema = v.object({
  asset: AssetIdSchema,
  keyword: v.pipe(
    text(700),
    rule<string>("keyword", isKeyword, "must be words without control characters"),
    v.transform((words) => words.trim().normalize("NFC")),
  ),
  location: whole(1, 999_999_999),
  language: v.pipe(v.string(LANGUAGE), v.regex(/^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/, LANGUAGE)),
  device: v.picklist(DEVICES, ruleMessage("device", `must be one of ${DEVICES.join(", ")}`)),
  depth: whole(10, 100),
  every: whole(1, 365),
});
export type NewPanel = v.InferOutput<typeof NewPanelSchema>;

/** What is read where an option is left out. */
export const USUAL = { language: "en", device: "desktop", depth: "20", every: "7" } as const;

export type Panel = typeof panel.$inferSelect;

/** A paid question with its panel; `result` is null until it is known, and for good where a kill came between. */
export interface PanelRun {
  readonly panel: Panel;
  readonly run: typeof panelRun.$inferSelect;
  readonly result: typeof panelResult.$inferSelect | null;
}

const NANO = 1_000_000_000;
export const NANO_OF_CENT = NANO / 100;

/** The most that a question to this depth costs: by the page of ten results, the first one dearer. */
export const priceOf = (depth: number): number => 2_000_000 + (Math.ceil(depth / 10) - 1) * 1_500_000;

/** The most that a panel costs in 30 days. */
export const monthlyPrice = ({ depth, every }: Pick<NewPanel, "depth" | "every">): number =>
  priceOf(depth) * Math.ceil(30 / every);

/** `0.0035`: every digit that is not 0, and at least two. */
export function usd(nano: number): string {
  const fraction = String(nano % NANO).padStart(9, "0");
  return `${Math.floor(nano / NANO)}.${fraction.replace(/0{1,7}$/, "")}`;
}

/** The job comes once an hour: a run that is a little early is none of another day. */
const EARLY_MS = 30 * 60_000;

/**
 * When a panel may be asked next. What was paid for, or may have been, counts for all of the panel's days; a question that certainly cost
 * nothing is asked again sooner, at once where the credential was replaced meanwhile.
 */
export function dueAt(
  { created_at, every }: Panel,
  last: PanelRun | undefined,
  connectionRevision?: string,
): number {
  if (last === undefined) return created_at;
  const { run, result } = last;
  const retryAt = result?.next_retry_at ?? null;
  if (retryAt === null) return run.asked_at + every * DAY_MS - EARLY_MS;
  return run.connection_revision === connectionRevision ? retryAt : run.asked_at;
}

/** The host that a site's results are known by, without `www.`; undefined where it has no address. */
export function hostOf({
  id,
  url,
}: {
  readonly id: string;
  readonly url: string | null;
}): string | undefined {
  const host = URL.parse(url ?? `https://${id}`)?.hostname.replace(/^www\./, "");
  return host?.includes(".") === true ? host : undefined;
}
