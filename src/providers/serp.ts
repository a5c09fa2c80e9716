/**
 * Search result pages by DataForSEO: one paid question at a time, whose answer the provider does not keep. What it cost is read from the
 * decimal text of the answer, never through a floating-point number.
 */

import * as v from "valibot";
import { type ErrorTable, shaped } from "./answers.ts";
import { type Asked, ask, OF_ANOTHER_KIND, type ProviderClient, type Question } from "./client.ts";
import type { FaultCode } from "./faults.ts";
import { faultOf, type Outcome, refused } from "./faults.ts";
import { hidden, type SecretRead, type SerpLogin } from "./sealing.ts";

// A colon would end the login of Basic authentication.
const LoginFile = v.object({
  login: v.pipe(v.string(), v.regex(/^[!-9;-~]{1,200}$/)),
  password: v.pipe(v.string(), v.regex(/^[!-~]{1,200}$/)),
});
const NO_LOGIN =
  'The file must be JSON with the login and the API password, both without spaces: {"login": "…", "password": "…"}.';

/** Reads the file of an account. */
export function parseSerpLogin(text: string): SecretRead<SerpLogin> {
  try {
    const read = v.safeParse(LoginFile, JSON.parse(text));
    if (read.success) return { ok: true, value: hidden({ kind: "serp-login", ...read.output }) };
  } catch {
    // What the parser says repeats a piece of the file.
  }
  return { ok: false, faults: [NO_LOGIN] };
}

/** One question: where, in which language and on which device, and how many results deep. */
interface SerpQuestion {
  readonly keyword: string;
  readonly location: number;
  readonly language: string;
  readonly device: "desktop" | "mobile";
  readonly depth: number;
  /** Comes back with the answer. */
  readonly tag: string;
}

/** An answer, with what it cost. */
export interface SerpAnswer {
  /** The first result of the site within the depth; undefined where there is none. */
  readonly outcome: Outcome<SerpPosition | undefined>;
  /** The provider's id of the question; null where none is known. */
  readonly task: string | null;
  /** The decimal of USD as the provider wrote it; null where it is not known what was charged. */
  readonly cost: string | null;
  readonly requests: number;
}

type Of = Pick<Question, "body" | "isPaid" | "timeoutMs" | "errors">;

function asking(client: ProviderClient, path: string, of: Of): Promise<Asked<{ readonly json: unknown }>> {
  const { secret, addresses } = client;
  if (secret.kind !== "serp-login") return Promise.resolve(OF_ANOTHER_KIND);
  const authorization = `Basic ${btoa(`${secret.login}:${secret.password}`)}`;
  return ask(client, { ...of, url: `${addresses.serp}/v3/${path}`, authorization, maxBytes: 8_388_608 });
}

/** Whether the account is let in: the account's own data cost nothing. */
export async function testSerp(client: ProviderClient): Promise<Asked<void>> {
  const of = { timeoutMs: 30_000, errors: serpErrors };
  const { outcome, requests } = await asking(client, "appendix/user_data", of);
  return { outcome: outcome.ok ? { ok: true, value: undefined } : outcome, requests };
}

/** Asks once for the results of a host. What may have reached the provider is not sent again: it may have been charged. */
export async function askSerp(
  client: ProviderClient,
  asked: SerpQuestion,
  host: string,
): Promise<SerpAnswer> {
  let text: string | undefined;
  const { keyword, location, language, device, depth, tag } = asked;
  const { outcome, requests } = await asking(client, "serp/google/organic/live/advanced", {
    body: [
      {
        ...{ keyword: escaped(keyword), location_code: location, language_code: language },
        ...{ device, depth, tag },
      },
    ],
    isPaid: true,
    timeoutMs: 120_000,
    errors: (seen) => {
      ({ text } = seen);
      return serpErrors(seen);
    },
  });
  const found = outcome.ok ? positionIn(outcome.value.json, asked, host) : outcome;
  if (text !== undefined) return { ...chargeOf(text), outcome: found, requests };
  const isUnsent = requests === 0 || (!outcome.ok && UNSENT.has(outcome.fault.code));
  return { outcome: found, task: null, cost: isUnsent ? "0" : null, requests };
}

/** Failures of a connection over which nothing of the question went. */
const UNSENT: ReadonlySet<string> = new Set<FaultCode>([
  "connection_refused",
  "host_unknown",
  "no_secure_connection",
]);

/** The provider takes a percent sign and a plus for escapes. */
const escaped = (keyword: string): string => keyword.replaceAll("%", "%25").replaceAll("+", "%2B");

const Charged = v.object({
  cost: v.pipe(v.string(), v.regex(/^\d{1,6}(?:\.\d{1,40})?(?:e-\d{1,2})?$/i)),
});
const Task = v.object({ tasks: v.tuple([v.object({ id: v.string() })]) });

/** The cost of an answer in its own digits, and the question's id: of an error, too. */
function chargeOf(text: string): Pick<SerpAnswer, "cost" | "task"> {
  const digits = (key: string, value: unknown, context?: { readonly source?: string }) =>
    key === "cost" && typeof value === "number" ? context?.source : value;
  const json: unknown = JSON.parse(text, digits);
  const [charged, task] = [v.safeParse(Charged, json), v.safeParse(Task, json)];
  return {
    cost: charged.success ? charged.output.cost : null,
    task: task.success ? task.output.tasks[0].id.slice(0, 64) : null,
  };
}

/** A decimal of USD in billionths of a dollar, exactly; what is behind the ninth digit is rounded. */
export function nanoDollars(decimal: string): number {
  const [mantissa = "", exponent = "0"] = decimal.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = BigInt(whole + fraction) * 10n ** 9n;
  const unit = 10n ** BigInt(fraction.length - Number(exponent));
  return Number((digits + unit / 2n) / unit);
}

const OK = 20_000;
const NO_RESULTS = 40_102;

const Envelope = v.object({
  status_code: v.number(),
  tasks_error: v.number(),
  tasks: v.nullable(v.array(v.object({ status_code: v.number() }))),
});

/** The envelope first, then the task: an envelope in order around a task that failed is usual. */
export const serpErrors: ErrorTable = ({ json, status }) => {
  const read = v.safeParse(Envelope, json);
  if (!read.success) return status >= 200 && status < 300 ? faultOf("unexpected_report") : undefined;
  const { status_code: code, tasks_error: failed, tasks } = read.output;
  const codes = (tasks ?? []).map((task) => task.status_code);
  const wrong = [code, ...codes].find((one) => one !== OK && one !== NO_RESULTS);
  if (wrong !== undefined) return faultOf(codeOf(wrong));
  return failed > 0 && !codes.includes(NO_RESULTS) ? faultOf("provider_failed") : undefined;
};

/** Codes of the provider by what they mean; 40101 is transient, though its neighbours are about access. */
const CODES: readonly (readonly [code: FaultCode, ...of: readonly number[]])[] = [
  ["unexpected_report", 20_100],
  ["signed_out", 40_100],
  ["provider_failed", 40_101, 40_103, 40_106],
  ["balance_used_up", 40_200, 40_210],
  ["account_blocked", 40_201],
  ["rate_limited", 40_202, 40_209],
  ["account_quota", 40_203],
  ["wrong_address", 40_400, 40_401, 40_402, 40_403],
  ["report_not_ready", 40_601, 40_602],
];

function codeOf(code: number): FaultCode {
  const [known] = CODES.find(([, ...of]) => of.includes(code)) ?? [];
  return known ?? (code >= 50_000 ? "provider_failed" : "request_refused");
}

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const cut = v.transform((url: string) => url.slice(0, 2_048));
/** A result: its rank among organic results, and among all that the page shows. */
const Organic = v.object({ rank_group: whole, rank_absolute: whole, url: v.pipe(v.string(), cut) });
export type SerpPosition = v.InferOutput<typeof Organic>;
const Item = v.looseObject({ type: v.string() });
const Asks = {
  keyword: v.string(),
  location_code: v.number(),
  language_code: v.string(),
  device: v.string(),
};
const Live = v.object({
  tasks: v.tuple([
    v.object({
      status_code: v.number(),
      data: v.object(Asks),
      result: v.nullish(v.array(v.object({ items: v.nullish(v.array(Item)) }))),
    }),
  ]),
});

/** The site's first organic result within the depth. An answer to another question is none. */
function positionIn(json: unknown, asked: SerpQuestion, host: string): Outcome<SerpPosition | undefined> {
  const read = shaped(json, Live);
  if (!read.ok) return read;
  const [{ status_code: code, data, result }] = read.value.tasks;
  const isAsked =
    [asked.keyword, escaped(asked.keyword)].includes(data.keyword) &&
    data.location_code === asked.location &&
    data.language_code === asked.language &&
    data.device === asked.device;
  if (!isAsked) return refused("other_question");
  if (code === NO_RESULTS) return { ok: true, value: undefined };
  const items = result?.[0]?.items ?? undefined;
  if (items === undefined) return refused("report_truncated");
  const organic = shaped(
    items.filter(({ type }) => type === "organic"),
    v.array(Organic),
  );
  if (!organic.ok) return organic;
  const [first] = organic.value
    .filter(({ rank_group: rank, url }) => rank <= asked.depth && isOf(url, host))
    .sort((a, b) => a.rank_group - b.rank_group);
  return { ok: true, value: first };
}

/** A site's results are those of its host and of every host below it. */
const isOf = (url: string, host: string): boolean =>
  /^https?:/i.test(url) && `.${URL.parse(url)?.hostname ?? ""}`.endsWith(`.${host}`);
