/**
 * Every reason for which there is no answer: a closed list of codes of our own, each with its category, whom it concerns, and the
 * reviewed words that a person is shown. Nothing that a provider writes is ever shown.
 */
interface FaultKind {
  /** One of `FAILURE_CATEGORIES` (`contract.ts`). */
  readonly category: string;
  /** Everything that is asked of the same provider with the same credential, or one property. */
  readonly scope: "property" | "credential";
  /** What happened, as a short sentence. */
  readonly words: string;
  /** What is safe to do about it. */
  readonly action: string;
}

/** The action where only time helps. */
export const LATER = "Nothing to do: Tower asks again by itself.";

const kind = <Category extends string>(
  category: Category,
  scope: FaultKind["scope"],
  words: string,
  action: string,
) => ({ category, scope, words, action });

/** Of a notice that was not delivered. */
const receiver = <Category extends string>(category: Category, words: string, action = LATER) =>
  kind(category, "property", words, action);
const ADDRESS = "Correct the channel's address.";
const NAME = "Check the channel's address, and this machine's name resolution.";
const TLS = "Check the channel's address, its TLS setting and the certificate.";
const PRIVATE = "Use a public address, or name the host in the settings (OUTBOUND_ALLOWED_HOSTS).";
const SIGN_IN = "Correct the channel's password, secret or token.";

export const FAULT_CODES = {
  // No answer came.
  connection_refused: kind("network", "property", "The provider took no connection.", LATER),
  host_unknown: kind(
    "network",
    "property",
    "The provider's host name was not found.",
    "Check this machine's name resolution.",
  ),
  no_secure_connection: kind(
    "network",
    "property",
    "No secure connection came about.",
    "Check this machine's clock and its certificates.",
  ),
  connection_lost: kind("network", "property", "The connection was lost before an answer came.", LATER),
  timed_out: kind("network", "property", "No answer came in time.", LATER),
  answer_cut_off: kind("network", "property", "The connection ended in the middle of the answer.", LATER),
  answer_garbled: kind("network", "property", "The answer arrived damaged.", LATER),
  stopped: kind("monitoring_failure", "property", "Tower stopped before the answer came.", LATER),
  connection_changed: kind(
    "monitoring_failure",
    "property",
    "The site's property or credential was changed before the answer came.",
    LATER,
  ),
  not_compared: kind(
    "monitoring_failure",
    "property",
    "The answer could not be compared with what is stored.",
    "Check the stored data: bun run tower check.",
  ),
  not_read: kind(
    "monitoring_failure",
    "property",
    "Tower could not read the report that came.",
    "Look into Tower's log for the report's name.",
  ),

  // The account.
  signed_out: kind(
    "access",
    "credential",
    "The provider does not accept the account's sign-in.",
    "Replace the credential with a new key of the account.",
  ),
  key_refused: kind(
    "access",
    "credential",
    "The provider does not know the key.",
    "Replace the credential with a key that is in force.",
  ),
  account_gone: kind(
    "access",
    "credential",
    "The provider does not know the account.",
    "Replace the credential with one of an account that is there.",
  ),
  account_blocked: kind(
    "access",
    "credential",
    "The provider has blocked the account.",
    "Sign in at the provider and see why.",
  ),
  scope_missing: kind(
    "access",
    "credential",
    "The account may not read these reports.",
    "Give the account's project the right to read them.",
  ),
  access_refused: kind(
    "access",
    "credential",
    "The provider refuses the account.",
    "Check the account's rights at the provider.",
  ),
  property_denied: kind(
    "access",
    "property",
    "The account may not see the property, or there is no such property.",
    "Give the account access to the property.",
  ),
  no_property: kind(
    "access",
    "credential",
    "The account may see no property that can be used.",
    "Give the account access to each property.",
  ),
  credential_removed: kind(
    "configuration",
    "credential",
    "The credential was removed.",
    "Attach the site to another credential.",
  ),
  credential_unreadable: kind(
    "configuration",
    "credential",
    "The credential cannot be read with this installation's key.",
    "Put the key back, or replace the credential.",
  ),
  credential_of_another_kind: kind(
    "configuration",
    "credential",
    "The credential is not one for this provider.",
    "Attach the site with a credential of the provider.",
  ),

  // Limits.
  rate_limited: kind("rate_limit", "credential", "The provider asks to be asked less often.", LATER),
  too_many_at_once: kind(
    "rate_limit",
    "property",
    "Too many questions about the property were open at once.",
    LATER,
  ),
  too_many_refused: kind(
    "rate_limit",
    "property",
    "Too many questions about the property were refused of late.",
    LATER,
  ),
  hourly_quota: kind("exhausted_budget", "property", "The property's quota for the hour is used up.", LATER),
  daily_quota: kind("exhausted_budget", "property", "The property's quota for the day is used up.", LATER),
  threshold_quota: kind(
    "exhausted_budget",
    "property",
    "The property's quota of thresholded questions is used up.",
    LATER,
  ),
  load_quota: kind("exhausted_budget", "property", "The property's load quota is used up.", LATER),
  account_quota: kind("exhausted_budget", "credential", "The account's quota is used up.", LATER),
  balance_used_up: kind(
    "exhausted_budget",
    "credential",
    "The account at the provider has no balance left.",
    "Add funds to the account at the provider.",
  ),
  panel_budget: kind(
    "exhausted_budget",
    "property",
    "The next question does not fit today's budget for search result panels.",
    "Wait until tomorrow (UTC), or raise daily_budget under [panels] in the constants document.",
  ),

  // The provider.
  provider_failed: kind("provider_error", "property", "The provider had a failure of its own.", LATER),
  not_a_report: kind(
    "provider_error",
    "property",
    "The provider answered with a page instead of a report.",
    LATER,
  ),
  too_many_failures: kind(
    "provider_error",
    "property",
    "The provider failed too often of late and takes a pause.",
    LATER,
  ),

  // What came is no report.
  unreadable_report: kind(
    "invalid_report",
    "property",
    "The answer is not a report that can be read.",
    LATER,
  ),
  unexpected_report: kind(
    "invalid_report",
    "property",
    "The answer does not have the shape of the report that was asked for.",
    LATER,
  ),
  other_columns: kind(
    "invalid_report",
    "property",
    "The report has other columns than were asked for.",
    LATER,
  ),
  impossible_value: kind("invalid_report", "property", "The report holds a value that cannot be.", LATER),
  other_question: kind("invalid_report", "property", "The answer is to another question.", LATER),
  other_days: kind(
    "invalid_report",
    "property",
    "The report holds a day that was not asked for, or one twice.",
    LATER,
  ),
  unknown_time_zone: kind(
    "invalid_report",
    "property",
    "The report does not say which calendar its days are of.",
    LATER,
  ),
  report_too_large: kind(
    "invalid_report",
    "property",
    "The answer is larger than any report of this kind.",
    LATER,
  ),

  // What came is not all of it.
  report_not_ready: kind("incomplete_report", "property", "The provider has not finished the report.", LATER),
  report_cut_off: kind("incomplete_report", "property", "The report ends in the middle.", LATER),
  rows_missing: kind("incomplete_report", "property", "The report has fewer rows than it says.", LATER),
  row_twice: kind("invalid_report", "property", "The report tells one row twice.", LATER),
  rows_not_all_fetched: kind(
    "incomplete_report",
    "property",
    "A later part of the report could not be had.",
    LATER,
  ),
  report_over_ceiling: kind(
    "incomplete_report",
    "property",
    "The report is larger than Tower keeps of one.",
    "Raise the archive's ceilings in the constants document.",
  ),
  report_truncated: kind("incomplete_report", "property", "The provider left part of the report out.", LATER),
  list_without_end: kind(
    "incomplete_report",
    "credential",
    "The provider's list did not come to an end.",
    LATER,
  ),

  // The receiver of a notice.
  receiver_unknown: receiver("network", "The receiver's host name was not found.", NAME),
  receiver_unreachable: receiver("network", "The receiver took no connection."),
  receiver_insecure: receiver("network", "No secure connection to the receiver came about.", TLS),
  receiver_silent: receiver("network", "The receiver did not answer in time."),
  receiver_cut_off: receiver("network", "The connection to the receiver was lost."),
  receiver_failed: receiver("provider_error", "The receiver could not take the notice just now."),
  receiver_busy: receiver("rate_limit", "The receiver asks for fewer notices."),
  receiver_denied: receiver("access", "The receiver refused the sign-in.", SIGN_IN),
  receiver_private: receiver("configuration", "The receiver's address is not public.", PRIVATE),
  receiver_moved: receiver("configuration", "The receiver redirects, which is not followed.", ADDRESS),
  receiver_gone: receiver("configuration", "Nothing takes notices at the receiver's address.", ADDRESS),
  receiver_refused: receiver("configuration", "The receiver refused the notice.", ADDRESS),
  recipient_refused: receiver("configuration", "The mail server refused the recipient.", ADDRESS),

  // What is set up wrongly.
  api_disabled: kind(
    "configuration",
    "credential",
    "The provider's API is not enabled for the account's project.",
    "Enable the API in the project, and wait a few minutes.",
  ),
  request_refused: kind(
    "configuration",
    "property",
    "The provider does not take the question.",
    "Check that the property is the right one.",
  ),
  metric_restricted: kind(
    "configuration",
    "property",
    "The account may not see one of the figures.",
    "Give the account the right to see it.",
  ),
  analytics_custom_dimension_unregistered: kind(
    "configuration",
    "property",
    "A parameter is not registered as a custom dimension.",
    "Register it in the property, and wait a day or two.",
  ),
  property_malformed: kind(
    "configuration",
    "property",
    "The property's id is not one of this provider.",
    "Attach the site to a property from the list.",
  ),
  not_a_site: kind(
    "configuration",
    "property",
    "The provider does not take the site's address.",
    "Attach the site with the address that the provider lists.",
  ),
  too_many_sites: kind(
    "configuration",
    "credential",
    "The account has more sites than the provider allows.",
    "Remove sites from the account at the provider.",
  ),
  wrong_address: kind(
    "configuration",
    "credential",
    "There is no such service at the provider's address.",
    "Check the provider's base address in the settings.",
  ),
  redirected: kind(
    "configuration",
    "credential",
    "The provider's address leads elsewhere, which is not followed.",
    "Check the provider's base address in the settings.",
  ),
  clock_skew: kind(
    "configuration",
    "credential",
    "The provider finds this machine's clock wrong.",
    "Set this machine's clock.",
  ),
  token_request_refused: kind(
    "configuration",
    "credential",
    "The provider does not take the request to sign in.",
    "Replace the credential with a new key of the account.",
  ),
  token_address_refused: kind(
    "configuration",
    "credential",
    "The credential names an address to sign in at that is not the provider's.",
    "Replace the credential with the file as the provider gave it.",
  ),
  no_access_token: kind(
    "configuration",
    "credential",
    "The provider signed the account in, but not for these reports.",
    "Check the account at the provider.",
  ),
} as const satisfies Readonly<Record<string, FaultKind>>;

export type FaultCode = keyof typeof FAULT_CODES;

/** Whether a text is one of the codes. */
export const isFaultCode = (text: string): text is FaultCode => Object.hasOwn(FAULT_CODES, text);
