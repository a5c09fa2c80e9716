/** A real mail server on loopback. */

import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface MailServer extends AsyncDisposable {
  readonly port: number;
  /** Every message that was taken, as it came. */
  readonly messages: readonly string[];
}

/** Takes every message, unless the options say otherwise. */
export async function mailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const messages: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    onData: async (stream, _session, done) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      messages.push(Buffer.concat(chunks).toString());
      done(null, "2.0.0 queued as SECRET-QUEUE-ID");
    },
    ...options,
  });
  // A client that breaks a handshake off is what some tests are about.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    messages,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
