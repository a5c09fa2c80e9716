/** Headers that every answer of a listener carries, unless it sets its own. */

const COMMON = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
} as const;

export const INGEST_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'",
};

/** Strict: no inline script or style, nothing from elsewhere; htmx 4 works under it without any setting. */
const TOWER_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "object-src 'none'",
].join("; ");

/** The Tower's headers; over https browsers are told to keep to it. */
export function towerHeaders(https: boolean): Readonly<Record<string, string>> {
  return {
    ...COMMON,
    "cache-control": "private, no-cache",
    "content-security-policy": TOWER_CSP,
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "x-frame-options": "DENY",
    ...(https ? { "strict-transport-security": "max-age=31536000" } : {}),
  };
}
