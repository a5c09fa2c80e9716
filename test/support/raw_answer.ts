/** A loopback server that answers with bytes as they are given to it, whether they make HTTP or not. */

/** How a connection ends after its bytes: closed, torn down, or held open. */
export type Ending = "close" | "reset" | "hold";

export interface RawServer extends Disposable {
  readonly url: string;
  /** Connections that asked for something. */
  readonly asked: number;
}

/** Answers each connection with the next of `answers`, the last one ever after. */
export function rawAnswers(
  ...answers: readonly { readonly bytes: string | Uint8Array; readonly ending?: Ending }[]
): RawServer {
  let asked = 0;
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        const { bytes, ending = "close" } = answers[Math.min(asked, answers.length - 1)] ?? { bytes: "" };
        asked++;
        socket.write(bytes);
        socket.flush();
        if (ending === "close") socket.end();
        else if (ending === "reset") socket.terminate();
      },
    },
  });
  return {
    url: `http://127.0.0.1:${listener.port}/`,
    get asked() {
      return asked;
    },
    [Symbol.dispose]: () => listener.stop(true),
  };
}

/** The head of an answer of status 200 with these header lines, then its body. */
export function rawOk(headers: readonly string[], body: string | Uint8Array): Uint8Array {
  const head = `${["HTTP/1.1 200 OK", ...headers].join("\r\n")}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), typeof body === "string" ? Buffer.from(body) : body]);
}
