import type { ReportFamily } from "../../provider/report/contract.ts";
import { Term } from "../component/term.tsx";

/** Hosts of assistants, as analytics names a source; a subdomain is one of them. */
const ASSISTANTS = [
  "chatgpt.com",
  "openai.com",
  "perplexity.ai",
  "perplexity",
  "gemini.google.com",
  "bard.google.com",
  "copilot.microsoft.com",
  "copilot.com",
  "claude.ai",
  "deepseek.com",
  "grok.com",
  "mistral.ai",
  "meta.ai",
  "poe.com",
  "you.com",
];

/** Whether a row is of visits that an assistant sent, by its channel, its medium or its source. */
export function isAssistantReferral(
  { provider, dimensions }: Pick<ReportFamily, "provider" | "dimensions">,
  keys: readonly string[],
): boolean {
  // A script error has a source, too: a file.
  if (provider !== "analytics" || !dimensions.some((name) => name === "channel" || name === "medium"))
    return false;
  const key = (dimension: string) => keys[dimensions.indexOf(dimension)]?.trim().toLowerCase() ?? "";
  if (/^ai assistants?$/.test(key("channel")) || key("medium") === "ai-assistant") return true;
  const source = key("source");
  return ASSISTANTS.some((host) => source === host || source.endsWith(`.${host}`));
}

/** Assistants often send no referrer, so their visits are counted as others, too (spec, Signal freshness and distortions). */
export function LowerBound() {
  return (
    <span class="tag">
      <Term name="lower-bound">lower bound</Term>
    </span>
  );
}
