/**
 * Operators: people who sign in and services that hold tokens. Only hashes of passwords and digests of tokens are kept; every
 * act here is in the audit.
 */
export { addOperator, NAME_FAULT as OPERATOR_NAME_FAULT } from "./add.ts";
export {
  type ApiTokenBook,
  issueServiceToken,
  listApiTokens,
  listTokensOf,
  loadApiTokenBook,
  revokeApiToken,
  type TokenInForce,
} from "./api_tokens.ts";
export { authenticate, type LiveSession } from "./authenticate.ts";
export { changePassword } from "./change_password.ts";
export { confirmPassword } from "./confirm.ts";
export { operatorNameOf, SCOPES, type Scope, scopesOf } from "./contract.ts";
export { deviceDigest } from "./device.ts";
export { endSession, endSessions } from "./end_session.ts";
export { findLook, isWorthNoting, type Look, lookedAgain, noteLook, noteSeen } from "./look_store.ts";
export type { Caller, OperatorDeps } from "./needs.ts";
export { PasswordHasher } from "./password_hasher.ts";
export { isLastWhoSignsIn, removeOperator } from "./remove.ts";
export { resetPassword } from "./reset.ts";
export { endOf, isConfirmed, KEPT_LIFE_MS, sessionId } from "./session.ts";
export { endEverything, listSessions } from "./session_store.ts";
export { keepSetupLink, renewSetupLink, setUp, setupLinkFault } from "./setup.ts";
export { signIn } from "./sign_in.ts";
export { findOperator, hasPerson as hasOperator, type ListedOperator, listOperators } from "./store.ts";
export {
  admitTrusted,
  clientAddress,
  forwardingPeers,
  namingPeers,
  type Trusted,
  trustedName,
} from "./trusted.ts";
