/** Notices by mail: one connection for each, to an address that was checked, under the server's own name. */
import { setTimeout } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { checkedAddress, OUTBOUND_TIMEOUT_MS, type OutboundRules } from "../platform/outbound.ts";
import type { FaultCode } from "../provider/fault_codes.ts";
import type { Notice, Sent } from "./contract.ts";
import { failed, unanswered } from "./failed.ts";
import type { ChannelSettings } from "./settings.ts";

/** From the greeting to the last answer, in milliseconds. */
const MAIL_TIMEOUT_MS = 60_000;

type MailSettings = ChannelSettings & { readonly kind: "mail" };

/** Sends a notice by mail. Never throws. */
export async function sendMail(
  outbound: OutboundRules,
  settings: MailSettings,
  notice: Notice,
  timeoutMs = MAIL_TIMEOUT_MS,
): Promise<Sent> {
  const checked = await checkedAddress(settings.host, outbound, settings.port);
  if (!checked.ok) return unanswered(checked.failure);
  let sent = failed("receiver_unreachable");
  for (const address of checked.addresses) {
    sent = await sendTo(address, { name: checked.name, ca: outbound.ca, timeoutMs }, settings, notice);
    if (sent.ok || sent.code !== "receiver_unreachable") return sent;
  }
  return sent;
}

async function sendTo(
  address: string,
  {
    name,
    ca,
    timeoutMs,
  }: { readonly name: string | undefined; readonly ca: string | undefined; readonly timeoutMs: number },
  { port, tls, user, password, from, to }: MailSettings,
  notice: Notice,
): Promise<Sent> {
  const transport = createTransport({
    host: address,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "off",
    tls: { ...(name === undefined ? {} : { servername: name }), ...(ca === undefined ? {} : { ca }) },
    ...(user === null || password === null ? {} : { auth: { user, pass: password } }),
    connectionTimeout: OUTBOUND_TIMEOUT_MS,
    greetingTimeout: OUTBOUND_TIMEOUT_MS,
    socketTimeout: OUTBOUND_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const mail = transport.sendMail({
      from,
      to,
      subject: notice.subject.replace(/\p{Cc}+/gu, " "),
      text: notice.text,
      html: notice.html,
      // The same at every attempt, so that a mailbox may drop what came twice.
      messageId: `<${notice.id}@${from.replace(/^.*@|>$/g, "")}>`,
      headers: { "Auto-Submitted": "auto-generated" },
    });
    // A server that goes on saying a little is never silent, and would hold every channel up.
    const sent = await Promise.race([mail, setTimeout(timeoutMs, undefined, { ref: false })]);
    if (sent === undefined) return failed("receiver_silent");
    const { response, accepted, rejected } = sent;
    const all = accepted.length + rejected.length;
    const some = rejected.length === 0 ? "" : ` (${accepted.length} of ${all} recipients)`;
    return { ok: true, receipt: `${response.slice(0, 3)}${some}` };
  } catch (error) {
    return failed(codeOf(error as MailError));
  } finally {
    transport.close();
  }
}

/** What nodemailer throws, as far as it is read: its message repeats what the server wrote. */
interface MailError {
  readonly code?: string;
  /** The code of the error below it. */
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly command?: string;
}

function codeOf({ code = "", originalCode = "", responseCode, command }: MailError): FaultCode {
  if (code === "ETLS" || /CERT|TLS|SSL|SIGNATURE/.test(originalCode)) return "receiver_insecure";
  if (responseCode === undefined) {
    if (code === "ETIMEDOUT") return "receiver_silent";
    return /REFUSED|UNREACH/.test(originalCode) ? "receiver_unreachable" : "receiver_cut_off";
  }
  // A 4xx is for now, greylisting among them; a 5xx is for good (RFC 5321, 4.2.1).
  if (responseCode < 500) return "receiver_failed";
  if (code === "EAUTH" || responseCode === 530) return "receiver_denied";
  return command === "RCPT TO" ? "recipient_refused" : "receiver_refused";
}
