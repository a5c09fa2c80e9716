/**
 * What a person sees who came under a name that is none of ours, as through a tunnel. It stands alone: no link, no file, no script, so
 * that no address is made from the unknown name, and it tells nothing that whoever asked did not know.
 */

import { type UnknownHost, unknownHost } from "../base/hosts.ts";
import { pathOf } from "../base/http_handler.ts";
import { PROBLEMS, type Problem } from "../base/problem.ts";
import type { PageGround } from "./ground.ts";
import { renderDocument } from "./jsx/jsx-runtime.ts";
import { here, within } from "./kit/here.ts";
import { hereOf } from "./kit/route.ts";
import { Callout } from "./kit/words.tsx";
import { Door, Page } from "./layout.tsx";
import { paths } from "./paths.ts";
import { htmlFragment, htmlPage, isHtmx } from "./session.ts";

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
function unknownHostAnswer(
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

interface ErrorProps {
  readonly status: number;
  readonly title: string;
  /** What happened and what to do; never the text of an exception. */
  readonly detail: string;
  /** The request's id, which the log also has. */
  readonly requestId: string;
}

function ErrorText(props: ErrorProps) {
  return (
    <>
      <h1>{props.title}</h1>
      <p>{props.detail}</p>
      <p class="note">
        Status {props.status}, request <code>{props.requestId}</code>
      </p>
      <p>
        <a class="btn" href={paths.portfolio}>
          Go to Sites
        </a>
      </p>
    </>
  );
}

/** A request that came to nothing, as a page. */
function ErrorPage(props: ErrorProps) {
  const { shell } = here();
  if (shell.operator === null) {
    return (
      <Door title={props.title}>
        <ErrorText {...props} />
      </Door>
    );
  }
  return (
    <Page title={props.title} current="" still>
      <div class="narrow stack">
        <ErrorText {...props} />
      </div>
    </Page>
  );
}

/** The same for a live part of a page, so that htmx never puts problem JSON into it. */
function ErrorFragment(props: ErrorProps) {
  return (
    <Callout tone="failing" role="alert">
      <p>
        <b>{props.title}</b> {props.detail}
      </p>
      <p class="note">
        Status {props.status}, request <code>{props.requestId}</code>
      </p>
    </Callout>
  );
}

/** A refusal as a page or a fragment, for browsers; undefined where JSON is wanted. `port` is the Tower's own. */
export function errorPages(
  ground: PageGround,
  port: () => number,
): (request: Request, problem: Problem, requestId: string) => Response | undefined {
  return (request, problem, requestId) => {
    if (problem.code === "unknown-host") return ofUnknownHost(request, problem, port());
    if (!wantsHtml(request)) return undefined;
    const { status, headers, code } = problem;
    const title = code === "not-found" ? "Page not found" : PROBLEMS[code].title;
    const props = { status, title, detail: detailOf(problem), requestId };
    if (isHtmx(request)) return htmlFragment(request, <ErrorFragment {...props} />, { status, headers });
    const at = hereOf(request, ground, ground.sessions.find(request)?.actor ?? null);
    return within(at, () => htmlPage(request, <ErrorPage {...props} />, { status, headers }));
  };
}

/** For a person's browser that opens a page. The request's address is read only where its host could be a name. */
function ofUnknownHost(request: Request, problem: Problem, port: number): Response | undefined {
  const { method, headers } = request;
  const unknown = unknownHost(headers.get("host"), port);
  const isPage = method === "GET" && (headers.get("accept") ?? "").includes("text/html");
  if (!isPage || unknown === undefined || isOfApi(request)) return undefined;
  return unknownHostAnswer(unknown, problem);
}

/** Programs ask there, whatever they say that they accept. */
function isOfApi(request: Request): boolean {
  return pathOf(request).startsWith(paths.api);
}

/** People's browsers and htmx get markup; programs, and every address below /api, get problem documents. */
function wantsHtml(request: Request): boolean {
  if (isOfApi(request)) return false;
  return isHtmx(request) || (request.headers.get("accept") ?? "").includes("text/html");
}

function detailOf(problem: Problem): string {
  const rules = (problem.errors ?? []).map(({ pointer, message }) => `${pointer.slice(1)} ${message}`);
  return rules.length === 0 ? problem.detail : `${problem.detail} ${rules.join("; ")}.`;
}
