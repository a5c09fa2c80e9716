/** The errors of Google's front end and of its services, as they were seen. */

import { verify } from "node:crypto";
import { type Accounts, TOKEN_SECONDS } from "./accounts.ts";
import { html, json, type SimulatedAnswer, type SimulatedRequest } from "./http_message.ts";

type Details = readonly Readonly<Record<string, unknown>>[];

/** Which service of Google a server stands for, for the words of its errors. */
export interface GoogleService {
  readonly host: string;
  readonly title: string;
  /** Whether errors come in the older form, with `errors` and without `status`. */
  readonly isLegacy: boolean;
}

export const ANALYTICS_DATA: GoogleService = {
  host: "analyticsdata.googleapis.com",
  title: "Google Analytics Data API",
  isLegacy: false,
};
export const ANALYTICS_ADMIN: GoogleService = {
  host: "analyticsadmin.googleapis.com",
  title: "Google Analytics Admin API",
  isLegacy: false,
};
export const SEARCH_CONSOLE: GoogleService = {
  host: "searchconsole.googleapis.com",
  title: "Google Search Console API",
  isLegacy: true,
};

const PROJECT_NUMBER = "112032574633";

export function googleError(
  status: number,
  rpcStatus: string,
  message: string,
  details?: Details,
  headers: Readonly<Record<string, string>> = {},
): SimulatedAnswer {
  const error = { code: status, message, status: rpcStatus, ...(details === undefined ? {} : { details }) };
  return json(status, { error }, headers);
}

/** The older form: a reason by its name, and no status. */
export function legacyError(
  status: number,
  reason: string,
  message: string,
  domain = "global",
): SimulatedAnswer {
  return json(status, { error: { code: status, message, errors: [{ message, domain, reason }] } });
}

export const invalidArgument = (message: string, details?: Details): SimulatedAnswer =>
  googleError(400, "INVALID_ARGUMENT", message, details);

/** An unknown path, or a verb that a path does not take: a page, never JSON and never 405. */
export function notFoundPage(): SimulatedAnswer {
  return html(
    404,
    "<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>\n<p><b>404.</b> <ins>That’s an error.</ins>\n<p>The requested URL was not found on this server.\n",
  );
}

export function badGatewayPage(status = 502): SimulatedAnswer {
  return html(
    status,
    "<!DOCTYPE html>\n<html lang=en>\n<title>Error 502 (Server Error)!!1</title>\n<p>The server encountered a temporary error and could not complete your request.\n",
  );
}

export function noCredential(service: GoogleService, method: string): SimulatedAnswer {
  return googleError(
    401,
    "UNAUTHENTICATED",
    "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
    [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "CREDENTIALS_MISSING",
        domain: "googleapis.com",
        metadata: { method, service: service.host },
      },
    ],
    { "www-authenticate": 'Bearer realm="https://accounts.google.com/"' },
  );
}

export function badToken(): SimulatedAnswer {
  return googleError(
    401,
    "UNAUTHENTICATED",
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
    undefined,
    { "www-authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"' },
  );
}

export function scopeInsufficient(service: GoogleService, method: string): SimulatedAnswer {
  return googleError(403, "PERMISSION_DENIED", "Request had insufficient authentication scopes.", [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
      domain: "googleapis.com",
      metadata: { method, service: service.host },
    },
  ]);
}

function serviceDisabled({ host, title }: GoogleService): SimulatedAnswer {
  const url = `https://console.developers.google.com/apis/api/${host}/overview?project=${PROJECT_NUMBER}`;
  return googleError(
    403,
    "PERMISSION_DENIED",
    `${title} has not been used in project ${PROJECT_NUMBER} before or it is disabled. Enable it by visiting ${url} then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.`,
    [
      {
        "@type": "type.googleapis.com/google.rpc.Help",
        links: [{ description: "Google developers console API activation", url }],
      },
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "SERVICE_DISABLED",
        domain: "googleapis.com",
        metadata: { consumer: `projects/${PROJECT_NUMBER}`, service: host },
      },
    ],
  );
}

const QUOTAS =
  "To learn more, see https://developers.google.com/analytics/devguides/reporting/data/v1/quotas";
const exhausted = (message: string) => googleError(429, "RESOURCE_EXHAUSTED", message);

const limited = (reason: string, message: string) => legacyError(403, reason, message, "usageLimits");

/** Errors that every service of Google can answer with, by names of our own. */
const COMMON: Readonly<Record<string, (service: GoogleService) => SimulatedAnswer>> = {
  "bad-token": badToken,
  scope: (service) => scopeInsufficient(service, ""),
  "service-disabled": serviceDisabled,
  "access-not-configured": () => limited("accessNotConfigured", "Access Not Configured."),
  forbidden: ({ isLegacy }) =>
    isLegacy
      ? legacyError(
          403,
          "forbidden",
          "User does not have sufficient permission for site. See also: https://support.google.com/webmasters/answer/2451999.",
        )
      : googleError(403, "PERMISSION_DENIED", "The caller does not have permission"),
  "insufficient-permissions": () => legacyError(403, "insufficientPermissions", "Insufficient Permission"),
  "rate-limit-403": () => limited("rateLimitExceeded", "Rate Limit Exceeded"),
  "user-rate-limit": () => limited("userRateLimitExceeded", "User Rate Limit Exceeded"),
  "daily-limit": () => limited("dailyLimitExceeded", "Daily Limit Exceeded"),
  "too-many-requests": () =>
    exhausted("Quota exceeded for quota metric 'Queries' and limit 'Queries per minute'."),
  "invalid-argument": () => invalidArgument("Request contains an invalid argument."),
  "not-found": () => googleError(404, "NOT_FOUND", "Requested entity was not found."),
  internal: () => googleError(500, "INTERNAL", "Internal error encountered."),
  "backend-error": () => legacyError(503, "backendError", "Backend Error"),
  unavailable: () => googleError(503, "UNAVAILABLE", "The service is currently unavailable."),
};

export function commonError(name: string, service: GoogleService): SimulatedAnswer | undefined {
  return COMMON[name]?.(service);
}

const SOON = "These quota tokens will return in under";
const QUOTA_ERRORS: Readonly<Record<string, string>> = {
  "tokens-project-hour": `Exhausted property tokens for a project per hour. ${SOON} an hour. ${QUOTAS}`,
  "tokens-hour": `Exhausted property tokens per hour. ${SOON} an hour. ${QUOTAS}`,
  "tokens-day": `Exhausted property tokens per day. ${SOON} 24 hours. ${QUOTAS}`,
  concurrent: `Exhausted concurrent requests quota. Please send fewer requests concurrently. ${QUOTAS}`,
  thresholded: `Exhausted potentially thresholded requests quota. ${QUOTAS}`,
  "client-errors": `Exhausted client errors quota. ${SOON} 15 minutes.`,
  "server-errors": `Exhausted server errors quota. ${QUOTAS}`,
};

/** What analytics answers with 429, by the bucket that is empty. */
export function quotaError(bucket: string): SimulatedAnswer | undefined {
  const message = QUOTA_ERRORS[bucket];
  return message === undefined ? undefined : exhausted(message);
}

/** Google's exchange of a signed assertion for an access token, with its checks in their order and its flat errors. */

const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** What an assertion is always accepted for, whatever address it was sent to. */
const AUDIENCE = "https://oauth2.googleapis.com/token";
/** Clocks may differ by this much, in seconds. */
const SKEW_SECONDS = 300;
const LONGEST_SECONDS = 3_600;

const KNOWN_SCOPES: readonly string[] = [
  "analytics",
  "analytics.edit",
  "analytics.readonly",
  "webmasters",
  "webmasters.readonly",
].map((name) => `https://www.googleapis.com/auth/${name}`);

const refuse = (error: string, description: string): SimulatedAnswer =>
  json(400, { error, error_description: description });

export function exchange(
  request: SimulatedRequest,
  accounts: Accounts,
  ownUrl: string,
  now: number,
): SimulatedAnswer {
  if (request.method !== "POST" || request.path !== "/token") return notFoundPage();
  const form = new URLSearchParams(request.body);
  const grant = form.get("grant_type") ?? "";
  if (grant !== GRANT) return refuse("unsupported_grant_type", `Invalid grant_type: ${grant}`);
  const assertion = read(form.get("assertion") ?? "");
  if (assertion === undefined) return refuse("invalid_request", "Bad Request");
  const { header, claims, signed, signature } = assertion;
  const account = accounts.accountOf(text(claims["iss"]));
  const isRight =
    header["alg"] === "RS256" &&
    // Nobody's key makes a right signature: whether the issuer is known is asked after the signature, of a signature that is well formed.
    (account === undefined
      ? signature.byteLength === 256
      : verify("RSA-SHA256", signed, accounts.publicKeyOf(account), signature));
  if (!isRight) return refuse("invalid_grant", "Invalid JWT Signature.");
  if (account === undefined) return refuse("invalid_grant", "Invalid grant: account not found");
  const [iat, exp] = [claims["iat"], claims["exp"]];
  if (typeof iat !== "number") return refuse("invalid_grant", "Invalid JWT: iat (issued at) is not set.");
  if (typeof exp !== "number")
    return refuse("invalid_grant", "Invalid JWT: exp (expiration time) is not set.");
  const seconds = now / 1_000;
  if (
    exp - iat > LONGEST_SECONDS ||
    exp <= seconds - SKEW_SECONDS ||
    iat > seconds + SKEW_SECONDS ||
    exp > seconds + LONGEST_SECONDS + SKEW_SECONDS
  ) {
    return refuse(
      "invalid_grant",
      "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
    );
  }
  const scopes = text(claims["scope"])
    .split(" ")
    .filter((scope) => scope !== "");
  if (scopes.length === 0) {
    return refuse("invalid_scope", "Invalid OAuth scope or ID token audience provided.");
  }
  if (claims["aud"] !== AUDIENCE && claims["aud"] !== `${ownUrl}/token`) {
    return refuse("invalid_grant", "Invalid JWT: Failed audience check.");
  }
  // A scope that nobody knows, alone or beside a known one, makes it a question about identity.
  if (!scopes.every((scope) => KNOWN_SCOPES.includes(scope))) return idTokenOnly();
  return json(200, {
    access_token: accounts.issue(account, scopes, now),
    expires_in: TOKEN_SECONDS,
    token_type: "Bearer",
  });
}

/** The answer without an access token. */
export function idTokenOnly(): SimulatedAnswer {
  return json(200, { id_token: "simulated.identity.token" });
}

function read(token: string) {
  const [header, claims, signature, ...more] = token.split(".");
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0)
    return undefined;
  const [read, told] = [part(header), part(claims)];
  if (read === undefined || told === undefined) return undefined;
  return {
    header: read,
    claims: told,
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, "base64url"),
  };
}

function part(encoded: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
