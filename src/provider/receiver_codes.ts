/** Reasons for which a notice was not delivered, in the words that a person is shown. */
import { type FaultKind, kind, LATER } from "./fault_kind.ts";

const receiver = <Category extends string>(category: Category, words: string, action = LATER) =>
  kind(category, "property", words, action);
const ADDRESS = "Correct the channel's address.";
const NAME = "Check the channel's address, and this machine's name resolution.";
const TLS = "Check the channel's address, its TLS setting and the certificate.";
const PRIVATE = "Use a public address, or name the host in the settings (OUTBOUND_ALLOWED_HOSTS).";
const SIGN_IN = "Correct the channel's password, secret or token.";

export const RECEIVER_CODES = {
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
} as const satisfies Readonly<Record<string, FaultKind>>;
