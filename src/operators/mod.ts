/**
 * Operators: people who sign in and services that hold tokens. Only hashes of passwords and digests of tokens are kept; every
 * act here is in the audit.
 */
export { type AddOperatorResult, addOperator } from "./add.ts";
export { ApiTokenBook, type KnownApiToken } from "./api_token_book.ts";
export {
  type ApiTokenDeps,
  flushApiTokenUses,
  issueServiceToken,
  loadApiTokenBook,
  type NewApiToken,
  revokeApiToken,
} from "./api_tokens.ts";
export { authenticate, type LiveSession } from "./authenticate.ts";
export { type ChangePasswordResult, changePassword } from "./change_password.ts";
export { type ConfirmResult, confirmPassword } from "./confirm.ts";
export {
  type Operator,
  type OperatorKind,
  operatorNameOf,
  SCOPES,
  type Scope,
  scopesOf,
} from "./contract.ts";
export { deviceDigest } from "./device.ts";
export { endSession } from "./end_session.ts";
export type { By, Caller, OperatorDeps } from "./needs.ts";
export { HASH_COST, type HashCost, PasswordHasher } from "./password_hasher.ts";
export { MAX_PASSWORD, MIN_PASSWORD } from "./password_rules.ts";
export { type ResetResult, resetPassword } from "./reset.ts";
export {
  CONFIRMED_MS,
  isConfirmed,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
  type Session,
  sessionId,
} from "./session.ts";
export {
  isSetupToken,
  keepSetupLink,
  renewSetupLink,
  SETUP_LINK_MS,
  type SetUpResult,
  type SetupLinkDeps,
  setUp,
} from "./setup.ts";
export { type SignInAttempt, type SignInResult, signIn } from "./sign_in.ts";
export {
  endEverything,
  findOperator,
  hasPerson as hasOperator,
  listApiTokens,
  listOperators,
  listSessions,
  type StoredApiToken,
} from "./store.ts";
export {
  admitTrusted,
  clientAddress,
  forwardingPeers,
  namingPeers,
  trustedName,
} from "./trusted.ts";
