/**
 * Why there is no result: a closed list of codes of our own (`FAULT_CODES`), each with its category, whom it concerns, and the reviewed
 * words that a person is shown. Nothing that a provider writes is ever shown. A new reason is a line of the list.
 */

/** Failure categories of integration health (spec, Errors). */
export const FAILURE_CATEGORIES = [
  "access",
  "rate_limit",
  "exhausted_budget",
  "network",
  "provider_error",
  "invalid_report",
  "incomplete_report",
  "configuration",
  "monitoring_failure",
] as const;
export type FailureCategory = (typeof FAILURE_CATEGORIES)[number];

/** What a provider asks to be waited for, whoever asks. */
export const isLimit = (category: FailureCategory | null): category is "rate_limit" | "exhausted_budget" =>
  category === "rate_limit" || category === "exhausted_budget";

/** Whether only a person can put it right, at any time: a hold for it is one of our own, where a limit is the provider's. */
export const needsPerson = (category: FailureCategory | null): boolean =>
  category === "access" || category === "configuration";

/** What can be done, as a word that a program may go by. */
export const ACTION_CODES = [
  "none",
  "wait",
  "give_access",
  "replace_credential",
  "check_account",
  "enable_api",
  "check_setup",
  "check_settings",
  "check_network",
  "check_storage",
  "check_clock",
  "check_job",
  "check_sender",
  "check_token",
  "correct_report",
  "send_again",
  "set_up_sending",
  "test_account",
  "list_sites",
  "open_page",
  "connect",
  "resume",
  "look_yourself",
] as const;
export type ActionCode = (typeof ACTION_CODES)[number];

interface FaultKind<Category extends string = string> {
  /** One of `FAILURE_CATEGORIES` (above). */
  readonly category: Category;
  /** Everything that is asked of the same provider with the same credential, or one property. */
  readonly scope: "property" | "credential";
  /** What happened, as a short sentence. */
  readonly words: string;
  /** What is safe to do about it … */
  readonly action: string;
  /** … and as a word; undefined where only time helps. */
  readonly actionCode: ActionCode | undefined;
}

/** A fault in words; where more helps than time, what is safe to do about it, as a word and in words. */
type FaultEntry = readonly [words: string] | readonly [words: string, actionCode: ActionCode, action: string];

/** The action where only time helps: that of every code without one of its own. */
export const LATER = "Nothing to do: Tower retries automatically.";
/** The same where a provider set a limit. */
export const WAITS = "Nothing to do: Tower waits, then retries.";

const ADDRESS = "Correct the channel's address.";
const NEW_KEY = "Replace the credential with a new key of the account.";
const BASE = "Check the provider's base address in the settings.";

/** The codes of a category and scope. */
const kinds = <Category extends string, Code extends string>(
  category: Category,
  scope: FaultKind["scope"],
  codes: Readonly<Record<Code, FaultEntry>>,
) =>
  Object.fromEntries(
    Object.entries<FaultEntry>(codes).map(([code, [words, actionCode, action = LATER]]) => [
      code,
      { category, scope, words, actionCode, action },
    ]),
  ) as Readonly<Record<Code, FaultKind<Category>>>;

export const FAULT_CODES = {
  ...kinds("network", "property", {
    connection_refused: ["The provider refused the connection."],
    host_unknown: [
      "The provider's host name was not found.",
      "check_network",
      "Check this machine's name resolution.",
    ],
    no_secure_connection: [
      "No secure connection could be made.",
      "check_clock",
      "Check this machine's clock and its certificates.",
    ],
    connection_lost: ["The connection was lost before the answer."],
    timed_out: ["No answer came in time."],
    answer_cut_off: ["The connection ended in the middle of the answer."],
    answer_garbled: ["The answer arrived damaged."],
    receiver_unknown: [
      "The receiver's host name was not found.",
      "check_network",
      "Check the channel's address, and this machine's name resolution.",
    ],
    receiver_unreachable: ["The receiver refused the connection."],
    receiver_insecure: [
      "No secure connection to the receiver could be made.",
      "check_setup",
      "Check the channel's address, its TLS setting and the certificate.",
    ],
    receiver_silent: ["The receiver did not answer in time."],
    receiver_cut_off: ["The connection to the receiver was lost."],
  }),
  ...kinds("monitoring_failure", "property", {
    stopped: ["Tower stopped before the answer arrived."],
    connection_changed: ["The site's property or credential changed before the answer arrived."],
    not_compared: [
      "The answer could not be compared with what is stored.",
      "check_storage",
      "Check the stored data: bun run tower check.",
    ],
    not_read: [
      "Tower could not read the report.",
      "look_yourself",
      "Look for the report's name in Tower's log.",
    ],
  }),
  ...kinds("access", "credential", {
    signed_out: ["The provider does not accept the account's sign-in.", "replace_credential", NEW_KEY],
    key_refused: ["The provider rejected this key.", "replace_credential", "Upload a current key."],
    account_gone: [
      "The provider does not know the account.",
      "replace_credential",
      "Replace the credential with one of an existing account.",
    ],
    account_blocked: [
      "The provider has blocked the account.",
      "check_account",
      "Sign in at the provider and see why.",
    ],
    scope_missing: [
      "The account may not read these reports.",
      "check_account",
      "Give the account's project the right to read them.",
    ],
    access_refused: [
      "The provider refuses the account.",
      "check_account",
      "Check the account's rights at the provider.",
    ],
    no_property: [
      "The account may see no property that can be used.",
      "give_access",
      "Give the account access to each property.",
    ],
  }),
  ...kinds("access", "property", {
    property_denied: [
      "The account may not see the property, or there is no such property.",
      "give_access",
      "Give the account access to the property.",
    ],
    receiver_denied: [
      "The receiver refused the sign-in.",
      "replace_credential",
      "Correct the channel's password, secret or token.",
    ],
  }),
  ...kinds("configuration", "credential", {
    credential_removed: ["The credential was removed.", "connect", "Attach the site to another credential."],
    credential_unreadable: [
      "The credential cannot be read with this installation's key.",
      "replace_credential",
      "Put the key back, or replace the credential.",
    ],
    credential_of_another_kind: [
      "The credential is not one for this provider.",
      "connect",
      "Attach the site with a credential of the provider.",
    ],
    api_disabled: [
      "The provider's API is not enabled for the account's project.",
      "enable_api",
      "Enable the API in the project, and wait a few minutes.",
    ],
    too_many_sites: [
      "The account has more sites than the provider allows.",
      "check_account",
      "Remove sites from the account at the provider.",
    ],
    wrong_address: ["There is no such service at the provider's address.", "check_settings", BASE],
    redirected: ["The provider's address leads elsewhere, which is not followed.", "check_settings", BASE],
    clock_skew: [
      "The provider says that this machine's clock is wrong.",
      "check_clock",
      "Set this machine's clock.",
    ],
    token_request_refused: ["The provider rejected the sign-in request.", "replace_credential", NEW_KEY],
    token_address_refused: [
      "The credential names an address to sign in at that is not the provider's.",
      "replace_credential",
      "Replace the credential with the file as the provider gave it.",
    ],
    no_access_token: [
      "The provider signed the account in, but not for these reports.",
      "check_account",
      "Check the account at the provider.",
    ],
  }),
  ...kinds("rate_limit", "credential", {
    rate_limited: ["The provider asks for fewer requests."],
  }),
  ...kinds("rate_limit", "property", {
    too_many_at_once: ["Too many requests for the property at once."],
    too_many_refused: ["Too many requests for the property were refused lately."],
    receiver_busy: ["The receiver asks for fewer notices."],
  }),
  ...kinds("exhausted_budget", "property", {
    hourly_quota: ["The property's quota for the hour is used up."],
    daily_quota: ["The property's quota for the day is used up."],
    threshold_quota: ["The property's quota of thresholded requests is used up."],
    load_quota: ["The property's load quota is used up."],
    panel_budget: [
      "The next run does not fit today's budget for search panels.",
      "check_settings",
      "Wait until tomorrow (UTC), or raise daily_budget under [panels] in the constants document.",
    ],
  }),
  ...kinds("exhausted_budget", "credential", {
    account_quota: ["The account's quota is used up."],
    balance_used_up: [
      "The account at the provider has no balance left.",
      "check_account",
      "Add funds to the account at the provider.",
    ],
  }),
  ...kinds("provider_error", "property", {
    provider_failed: ["The provider had an internal error."],
    not_a_report: ["The provider answered with a page instead of a report."],
    too_many_failures: ["The provider failed too often lately and is paused."],
    receiver_failed: ["The receiver could not take the notice just now."],
  }),
  ...kinds("invalid_report", "property", {
    unreadable_report: ["The answer is not a report that can be read."],
    unexpected_report: ["The answer is not the requested report."],
    other_columns: ["The report has other columns than requested."],
    impossible_value: ["The report has an impossible value."],
    other_question: ["The answer is to another request."],
    other_days: ["The report has a day that was not requested, or one twice."],
    unknown_time_zone: ["The report does not name the time zone of its days."],
    report_too_large: ["The answer is larger than any report of this kind."],
    row_twice: ["The report has one row twice."],
  }),
  ...kinds("incomplete_report", "property", {
    report_not_ready: ["The provider has not finished the report."],
    report_cut_off: ["The report ends in the middle."],
    rows_missing: ["The report has fewer rows than it says."],
    rows_not_all_fetched: ["A later part of the report could not be read."],
    report_over_ceiling: [
      "The report exceeds Tower's limit.",
      "check_settings",
      "Raise the archive's ceilings in the constants document.",
    ],
    report_truncated: ["The provider left part of the report out."],
  }),
  ...kinds("incomplete_report", "credential", {
    list_without_end: ["The provider's list never ended."],
  }),
  ...kinds("configuration", "property", {
    receiver_private: [
      "The receiver's address is not public.",
      "check_settings",
      "Use a public address, or name the host in the settings (OUTBOUND_ALLOWED_HOSTS).",
    ],
    receiver_moved: ["The receiver redirects, which is not followed.", "check_setup", ADDRESS],
    receiver_gone: ["Nothing accepts notices at the receiver's address.", "check_setup", ADDRESS],
    receiver_refused: ["The receiver refused the notice.", "check_setup", ADDRESS],
    recipient_refused: ["The mail server refused the recipient.", "check_setup", ADDRESS],
    request_refused: [
      "The provider rejected the request.",
      "check_setup",
      "Check that the property is the right one.",
    ],
    metric_restricted: [
      "The account may not see one of the figures.",
      "give_access",
      "Give the account the right to see it.",
    ],
    analytics_custom_dimension_unregistered: [
      "A parameter is not registered as a custom dimension.",
      "check_setup",
      "Register it in the property, and wait a day or two.",
    ],
    property_malformed: [
      "The property's id is not one of this provider.",
      "check_setup",
      "Attach the site to a property from the list.",
    ],
    not_a_site: [
      "The provider rejected the site's address.",
      "check_setup",
      "Attach the site with the address that the provider lists.",
    ],
  }),
};

export type FaultCode = keyof typeof FAULT_CODES;

/** Whether a text is one of the codes. */
export const isFaultCode = (text: string): text is FaultCode => Object.hasOwn(FAULT_CODES, text);

/** Why there is no result. */
export interface Fault {
  readonly category: FailureCategory;
  /** A reviewed code of our own, such as `api_disabled`; never the provider's text. `FAULT_CODES` has its words. */
  readonly code: FaultCode;
  /** How long the provider asked to be left alone, in milliseconds (more than none, at most a day); undefined where it did not say. */
  readonly retryAfterMs?: number | undefined;
  /** Whom it concerns: one property, or everything that is asked of the same provider with the same credential. */
  readonly scope: "property" | "credential";
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault };

/** What a limit that does not say how long it lasts is left alone for (spec, Limits), whichever provider it is; in milliseconds. */
export const COOLDOWN_MS = 5 * 60_000;

/** A fault by its code: category and scope are the code's own, unless what is known of the case says whom it concerns. */
export function faultOf(code: FaultCode, known: Partial<Pick<Fault, "retryAfterMs" | "scope">> = {}): Fault {
  const { category, scope } = FAULT_CODES[code];
  const { retryAfterMs } = known;
  return {
    category,
    code,
    scope: known.scope ?? scope,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** No result, for this reason. */
export function refused(code: FaultCode): Outcome<never> {
  return { ok: false, fault: faultOf(code) };
}

/** What only a person can put right is looked at again at this distance, in milliseconds. */
const SLOW_MS = 6 * 60 * 60_000;

/** The moment (milliseconds since the epoch) before which it is not asked again after a fault; null for the usual cadence. */
export function nextRetryAt(fault: Fault, now: number): number | null {
  const { category, code, retryAfterMs } = fault;
  if (isLimit(category)) return now + (retryAfterMs ?? COOLDOWN_MS);
  if (needsPerson(category)) return now + Math.max(SLOW_MS, retryAfterMs ?? 0);
  if (code === "too_many_failures") return now + (retryAfterMs ?? COOLDOWN_MS);
  return retryAfterMs === undefined ? null : now + retryAfterMs;
}
