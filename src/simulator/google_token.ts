/** Google's exchange of a signed assertion for an access token, with its checks in their order and its flat errors. */
import { verify } from "node:crypto";
import type { Accounts } from "./accounts.ts";
import { TOKEN_SECONDS } from "./accounts.ts";
import { notFoundPage } from "./google_errors.ts";
import { json, type SimulatedAnswer, type SimulatedRequest } from "./http_message.ts";

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

interface Assertion {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

function read(token: string): Assertion | undefined {
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
