import type { UnknownHost } from "../platform/unknown_host.ts";
import { renderDocument } from "./jsx/jsx-runtime.ts";

/**
 * What a person sees who came under a name that is none of ours, as through a tunnel. It stands alone: no link, no file, no script, so
 * that no address is made from the unknown name, and it tells nothing that whoever asked did not know.
 */
function UnknownHostPage({ unknown }: { readonly unknown: UnknownHost }) {
  const { asked, setting, tunnel } = unknown;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Not a name of this Tower</title>
      </head>
      <body>
        <main>
          <h1>Not a name of this Tower</h1>
          <p>
            You asked for <code>{asked}</code>, which this Tower does not answer to.
          </p>
          {tunnel === null ? (
            <p>If the name is yours, start Tower with this setting, beside the names it has:</p>
          ) : (
            <>
              <p>Through a tunnel it works at once with the same port at both ends:</p>
              <pre>{`${tunnel} <computer>`}</pre>
              <p>To keep the port you asked for, start Tower with this setting, beside the names it has:</p>
            </>
          )}
          <pre>{setting}</pre>
          {tunnel === null ? (
            <p>
              Behind a reverse proxy that people open under this name, <code>TOWER_PUBLIC_URL</code> is the
              setting: the whole address, with its https.
            </p>
          ) : null}
        </main>
      </body>
    </html>
  );
}

/** The page as an answer, which nobody keeps. */
export function unknownHostAnswer(
  unknown: UnknownHost,
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
): Response {
  return new Response(renderDocument(<UnknownHostPage unknown={unknown} />), {
    status,
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
    },
  });
}
