/**
 * Every reason for which there is no answer: a closed list of codes of our own, each with its category, whom it concerns, and the
 * reviewed words that a person is shown. Nothing that a provider writes is ever shown.
 */
interface FaultKind<Category extends string = string> {
  /** One of `FAILURE_CATEGORIES` (`contract.ts`). */
  readonly category: Category;
  /** Everything that is asked of the same provider with the same credential, or one property. */
  readonly scope: "property" | "credential";
  /** What happened, as a short sentence. */
  readonly words: string;
  /** What is safe to do about it. */
  readonly action: string;
}

/** The action where only time helps: that of every code without one of its own. */
export const LATER = "Nothing to do: Tower asks again by itself.";

const ADDRESS = "Correct the channel's address.";
const NEW_KEY = "Replace the credential with a new key of the account.";
const BASE = "Check the provider's base address in the settings.";

/** The codes of a category and scope: their words, and their actions. */
const kinds = <Category extends string, Code extends string>(
  category: Category,
  scope: FaultKind["scope"],
  codes: Readonly<Record<Code, readonly [words: string, action?: string]>>,
) =>
  Object.fromEntries(
    Object.entries<readonly [string, string?]>(codes).map(([code, [words, action = LATER]]) => [
      code,
      { category, scope, words, action },
    ]),
  ) as Readonly<Record<Code, FaultKind<Category>>>;

export const FAULT_CODES = {
  ...kinds("network", "property", {
    connection_refused: ["The provider took no connection."],
    host_unknown: ["The provider's host name was not found.", "Check this machine's name resolution."],
    no_secure_connection: [
      "No secure connection came about.",
      "Check this machine's clock and its certificates.",
    ],
    connection_lost: ["The connection was lost before an answer came."],
    timed_out: ["No answer came in time."],
    answer_cut_off: ["The connection ended in the middle of the answer."],
    answer_garbled: ["The answer arrived damaged."],
    receiver_unknown: [
      "The receiver's host name was not found.",
      "Check the channel's address, and this machine's name resolution.",
    ],
    receiver_unreachable: ["The receiver took no connection."],
    receiver_insecure: [
      "No secure connection to the receiver came about.",
      "Check the channel's address, its TLS setting and the certificate.",
    ],
    receiver_silent: ["The receiver did not answer in time."],
    receiver_cut_off: ["The connection to the receiver was lost."],
  }),
  ...kinds("monitoring_failure", "property", {
    stopped: ["Tower stopped before the answer came."],
    connection_changed: ["The site's property or credential was changed before the answer came."],
    not_compared: [
      "The answer could not be compared with what is stored.",
      "Check the stored data: bun run tower check.",
    ],
    not_read: ["Tower could not read the report that came.", "Look into Tower's log for the report's name."],
  }),
  ...kinds("access", "credential", {
    signed_out: ["The provider does not accept the account's sign-in.", NEW_KEY],
    key_refused: [
      "The provider does not know the key.",
      "Replace the credential with a key that is in force.",
    ],
    account_gone: [
      "The provider does not know the account.",
      "Replace the credential with one of an account that is there.",
    ],
    account_blocked: ["The provider has blocked the account.", "Sign in at the provider and see why."],
    scope_missing: [
      "The account may not read these reports.",
      "Give the account's project the right to read them.",
    ],
    access_refused: ["The provider refuses the account.", "Check the account's rights at the provider."],
    no_property: [
      "The account may see no property that can be used.",
      "Give the account access to each property.",
    ],
  }),
  ...kinds("access", "property", {
    property_denied: [
      "The account may not see the property, or there is no such property.",
      "Give the account access to the property.",
    ],
    receiver_denied: [
      "The receiver refused the sign-in.",
      "Correct the channel's password, secret or token.",
    ],
  }),
  ...kinds("configuration", "credential", {
    credential_removed: ["The credential was removed.", "Attach the site to another credential."],
    credential_unreadable: [
      "The credential cannot be read with this installation's key.",
      "Put the key back, or replace the credential.",
    ],
    credential_of_another_kind: [
      "The credential is not one for this provider.",
      "Attach the site with a credential of the provider.",
    ],
    api_disabled: [
      "The provider's API is not enabled for the account's project.",
      "Enable the API in the project, and wait a few minutes.",
    ],
    too_many_sites: [
      "The account has more sites than the provider allows.",
      "Remove sites from the account at the provider.",
    ],
    wrong_address: ["There is no such service at the provider's address.", BASE],
    redirected: ["The provider's address leads elsewhere, which is not followed.", BASE],
    clock_skew: ["The provider finds this machine's clock wrong.", "Set this machine's clock."],
    token_request_refused: ["The provider does not take the request to sign in.", NEW_KEY],
    token_address_refused: [
      "The credential names an address to sign in at that is not the provider's.",
      "Replace the credential with the file as the provider gave it.",
    ],
    no_access_token: [
      "The provider signed the account in, but not for these reports.",
      "Check the account at the provider.",
    ],
  }),
  ...kinds("rate_limit", "credential", {
    rate_limited: ["The provider asks to be asked less often."],
  }),
  ...kinds("rate_limit", "property", {
    too_many_at_once: ["Too many questions about the property were open at once."],
    too_many_refused: ["Too many questions about the property were refused of late."],
    receiver_busy: ["The receiver asks for fewer notices."],
  }),
  ...kinds("exhausted_budget", "property", {
    hourly_quota: ["The property's quota for the hour is used up."],
    daily_quota: ["The property's quota for the day is used up."],
    threshold_quota: ["The property's quota of thresholded questions is used up."],
    load_quota: ["The property's load quota is used up."],
    panel_budget: [
      "The next question does not fit today's budget for search result panels.",
      "Wait until tomorrow (UTC), or raise daily_budget under [panels] in the constants document.",
    ],
  }),
  ...kinds("exhausted_budget", "credential", {
    account_quota: ["The account's quota is used up."],
    balance_used_up: [
      "The account at the provider has no balance left.",
      "Add funds to the account at the provider.",
    ],
  }),
  ...kinds("provider_error", "property", {
    provider_failed: ["The provider had a failure of its own."],
    not_a_report: ["The provider answered with a page instead of a report."],
    too_many_failures: ["The provider failed too often of late and takes a pause."],
    receiver_failed: ["The receiver could not take the notice just now."],
  }),
  ...kinds("invalid_report", "property", {
    unreadable_report: ["The answer is not a report that can be read."],
    unexpected_report: ["The answer does not have the shape of the report that was asked for."],
    other_columns: ["The report has other columns than were asked for."],
    impossible_value: ["The report holds a value that cannot be."],
    other_question: ["The answer is to another question."],
    other_days: ["The report holds a day that was not asked for, or one twice."],
    unknown_time_zone: ["The report does not say which calendar its days are of."],
    report_too_large: ["The answer is larger than any report of this kind."],
    row_twice: ["The report tells one row twice."],
  }),
  ...kinds("incomplete_report", "property", {
    report_not_ready: ["The provider has not finished the report."],
    report_cut_off: ["The report ends in the middle."],
    rows_missing: ["The report has fewer rows than it says."],
    rows_not_all_fetched: ["A later part of the report could not be had."],
    report_over_ceiling: [
      "The report is larger than Tower keeps of one.",
      "Raise the archive's ceilings in the constants document.",
    ],
    report_truncated: ["The provider left part of the report out."],
  }),
  ...kinds("incomplete_report", "credential", {
    list_without_end: ["The provider's list did not come to an end."],
  }),
  ...kinds("configuration", "property", {
    receiver_private: [
      "The receiver's address is not public.",
      "Use a public address, or name the host in the settings (OUTBOUND_ALLOWED_HOSTS).",
    ],
    receiver_moved: ["The receiver redirects, which is not followed.", ADDRESS],
    receiver_gone: ["Nothing takes notices at the receiver's address.", ADDRESS],
    receiver_refused: ["The receiver refused the notice.", ADDRESS],
    recipient_refused: ["The mail server refused the recipient.", ADDRESS],
    request_refused: [
      "The provider does not take the question.",
      "Check that the property is the right one.",
    ],
    metric_restricted: [
      "The account may not see one of the figures.",
      "Give the account the right to see it.",
    ],
    analytics_custom_dimension_unregistered: [
      "A parameter is not registered as a custom dimension.",
      "Register it in the property, and wait a day or two.",
    ],
    property_malformed: [
      "The property's id is not one of this provider.",
      "Attach the site to a property from the list.",
    ],
    not_a_site: [
      "The provider does not take the site's address.",
      "Attach the site with the address that the provider lists.",
    ],
  }),
};

export type FaultCode = keyof typeof FAULT_CODES;

/** Whether a text is one of the codes. */
export const isFaultCode = (text: string): text is FaultCode => Object.hasOwn(FAULT_CODES, text);
