/** Reasons for which a notice was not delivered, in the words that a person is shown. */
import { type FaultKind, kind, LATER } from "./fault_kind.ts";

export const RECEIVER_CODES = {
  receiver_unknown: kind(
    "network",
    "property",
    "The receiver's host name was not found.",
    "Check the channel's address, and this machine's name resolution.",
  ),
  receiver_unreachable: kind("network", "property", "The receiver took no connection.", LATER),
  receiver_insecure: kind(
    "network",
    "property",
    "No secure connection to the receiver came about.",
    "Check the channel's address, its TLS setting and the certificate.",
  ),
  receiver_silent: kind("network", "property", "The receiver did not answer in time.", LATER),
  receiver_cut_off: kind("network", "property", "The connection to the receiver was lost.", LATER),
  receiver_failed: kind(
    "provider_error",
    "property",
    "The receiver could not take the notice just now.",
    LATER,
  ),
  receiver_busy: kind("rate_limit", "property", "The receiver asks for fewer notices.", LATER),
  receiver_denied: kind(
    "access",
    "property",
    "The receiver refused the sign-in.",
    "Correct the channel's password, secret or token.",
  ),
  receiver_private: kind(
    "configuration",
    "property",
    "The receiver's address is not public.",
    "Use a public address, or name the host in the settings (OUTBOUND_ALLOWED_HOSTS).",
  ),
  receiver_moved: kind(
    "configuration",
    "property",
    "The receiver's address leads elsewhere, which is not followed.",
    "Correct the channel's address.",
  ),
  receiver_gone: kind(
    "configuration",
    "property",
    "Nothing takes notices at the receiver's address.",
    "Correct the channel's address.",
  ),
  receiver_refused: kind(
    "configuration",
    "property",
    "The receiver refused the notice.",
    "Check the channel's address and settings.",
  ),
  recipient_refused: kind(
    "configuration",
    "property",
    "The mail server refused the recipient.",
    "Correct the channel's recipient address.",
  ),
} as const satisfies Readonly<Record<string, FaultKind>>;
