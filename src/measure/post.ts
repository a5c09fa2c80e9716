/** Sending a report to the ingest, and saying what it answered. */

import * as v from "valibot";
import { type HttpResult, httpClient, type RetryPolicy } from "../base/http_client.ts";
import { attempt } from "./manifest/native.ts";
import { printable } from "./terminal.ts";

/** The ingest of an installation on this machine. */
export const DEFAULT_INGEST = "http://127.0.0.1:4610";

const PATH = "/api/codebase-report";
const TIMEOUT_MS = 60_000;
const MAX_ANSWER = 1024 * 1024;

/** What became of a post: lines for the person who sent it. The token is in none of them. */
export interface Posted {
  readonly accepted: boolean;
  readonly lines: readonly string[];
}

/** The address of the ingest's route: the base with the path added, unless it is there already. */
export function ingestAddress(base: string): string {
  const trimmed = base.replace(/\/+$/, "");
  return trimmed.endsWith(PATH) ? trimmed : `${trimmed}${PATH}`;
}

/** Posts the text of a report. Tries again when the connection failed or the answer was a 5xx: one twice stored is one revision more. */
export async function postReport(
  text: string,
  base: string,
  token: string,
  policy: RetryPolicy,
): Promise<Posted> {
  const result = await httpClient(policy).request({
    url: ingestAddress(base),
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: text,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER,
    repeatable: true,
  });
  const posted = describe(result);
  return { ...posted, lines: posted.lines.map((line) => printable(line.replaceAll(token, "[token]"))) };
}

const Reference = v.object({ id: v.union([v.string(), v.number()]), rule: v.string() });
const Accepted = v.object({
  date: v.string(),
  revision: v.number(),
  alerts: v.object({ raised: v.array(Reference), resolved: v.array(Reference) }),
  ignored: v.array(v.string()),
});
const Problem = v.object({
  title: v.optional(v.string()),
  detail: v.optional(v.string()),
  errors: v.optional(v.array(v.object({ pointer: v.string(), rule: v.string(), message: v.string() }))),
  more: v.optional(v.number()),
});

function describe(result: HttpResult): Posted {
  if (!result.ok) return { accepted: false, lines: [`The report was not posted: ${result.message}.`] };
  const body = attempt(() => JSON.parse(result.text));
  if (result.status < 200 || result.status > 299)
    return { accepted: false, lines: problemLines(result.status, body) };
  const answer = v.safeParse(Accepted, body);
  if (!answer.success) {
    return {
      accepted: true,
      lines: [`Posted: the ingest answered ${result.status} without the usual body.`],
    };
  }
  const { date, revision, alerts, ignored } = answer.output;
  return {
    accepted: true,
    lines: [
      `Posted: ${date}, revision ${revision}.`,
      `Flags raised: ${rules(alerts.raised)}. Flags resolved: ${rules(alerts.resolved)}.`,
      ...ignored.map((pointer) => `Ignored: ${pointer} is not known to the ingest and was not stored.`),
    ],
  };
}

function rules(flags: readonly v.InferOutput<typeof Reference>[]): string {
  return flags.length === 0 ? "none" : flags.map((flag) => flag.rule).join(", ");
}

function problemLines(status: number, body: unknown): string[] {
  const problem = v.safeParse(Problem, body);
  if (!problem.success) return [`The ingest refused the report: ${status}.`];
  const { title, detail, errors = [], more = 0 } = problem.output;
  const said = [title, detail].filter((text) => text !== undefined && text !== "").join(": ");
  return [
    `The ingest refused the report: ${status}${said === "" ? "" : ` ${said}`}`,
    ...errors.map(({ pointer, rule, message }) => `  ${pointer} ${message} (${rule})`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
