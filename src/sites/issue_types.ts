/**
 * The issues that webmaster tools report of a site's pages: our own stable id of each, its bit in the provider's mask, how bad it is and
 * its words. A flag of the rule has the id as its subject.
 */

/** One type of issue. `with` follows a count of URLs. */
export interface IssueType {
  readonly id: string;
  /** Its bit in what the provider says of a URL; 0 for all that has none here. */
  readonly bit: number;
  readonly severity: "warn" | "info";
  readonly name: string;
  readonly with: string;
}

const type = (
  bit: number,
  id: string,
  severity: IssueType["severity"],
  name: string,
  words: string,
): IssueType => ({ id, bit, severity, name, with: words });

/** What a bit says that is not known here, and a URL that is reported without any. */
export const OTHER_ISSUE = "other";

export const ISSUE_TYPES: readonly IssueType[] = [
  type(1, "http_301", "info", "Permanent redirect (301)", "with a permanent redirect (301)"),
  type(2, "http_302", "info", "Temporary redirect (302)", "with a temporary redirect (302)"),
  type(4, "http_4xx", "info", "Not served (4xx)", "answered with a 4xx status"),
  type(8, "http_5xx", "warn", "Server error (5xx)", "answered with a server error (5xx)"),
  type(16, "blocked_by_robots_txt", "info", "Blocked by robots.txt", "blocked by robots.txt"),
  type(32, "malware", "warn", "Malware", "with malware"),
  type(64, "important_url_blocked", "info", "Important URL blocked", "important and blocked"),
  type(128, "dns_failure", "warn", "DNS failure", "with a DNS failure"),
  type(256, "connection_timeout", "info", "Connection timeout", "with a connection timeout"),
  type(0, OTHER_ISSUE, "info", "Another issue", "with another issue"),
];

const BY_ID = new Map(ISSUE_TYPES.map((one) => [one.id, one]));

/** What is known of a type by its id; undefined for one of another release. */
export const issueTypeOf = (id: string): IssueType | undefined => BY_ID.get(id);

const KNOWN = ISSUE_TYPES.filter(({ bit }) => bit > 0);
const KNOWN_BITS = KNOWN.reduce((bits, { bit }) => bits + bit, 0);

/** The ids of the types that a mask names, in their order; several bits are several types. */
export function issueTypesOf(mask: number | null): string[] {
  // Not `&`, which cuts off what lies beyond 32 bits.
  const whole = mask === null || !Number.isSafeInteger(mask) || mask < 0 ? 0 : mask;
  const named = KNOWN.filter(({ bit }) => Math.floor(whole / bit) % 2 === 1).map(({ id }) => id);
  return whole === 0 || whole > KNOWN_BITS ? [...named, OTHER_ISSUE] : named;
}
