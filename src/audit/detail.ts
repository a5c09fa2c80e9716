/** What an audit row says beyond who, what and when. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

const SECRET_NAMES = /password|secret|token$|digest|hash|cookie|credential/i;
const SECRET_TEXTS = /sm[tc]_[a-z2-7]{8}_[0-9A-Za-z]{8}|\$argon2|^Bearer /;

/** Throws a TypeError when a detail is named like a secret or looks like one: the audit is read by every operator. */
export function assertNoSecret(detail: AuditDetail): void {
  for (const [name, value] of Object.entries(detail)) {
    const texts = Array.isArray(value) ? value : [value];
    if (
      SECRET_NAMES.test(name) ||
      texts.some((text) => typeof text === "string" && SECRET_TEXTS.test(text))
    ) {
      throw new TypeError(`the audit detail ${name} looks like a secret`);
    }
  }
}
