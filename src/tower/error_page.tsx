import type { Actor } from "../platform/access.ts";
import { PROBLEMS, type Problem } from "../platform/problem.ts";
import { pathOf } from "../platform/routing.ts";
import { unknownHost } from "../platform/unknown_host.ts";
import { Callout } from "./component/callout.tsx";
import { Door, Page } from "./layout.tsx";
import { paths } from "./paths.ts";
import { htmlFragment, htmlPage, isHtmx } from "./respond.ts";
import type { Sessions } from "./session.ts";
import type { Shell } from "./shell.ts";
import { unknownHostAnswer } from "./unknown_host_page.tsx";

export interface ErrorProps {
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
export function ErrorPage(props: ErrorProps & { readonly shell: Shell }) {
  if (props.shell.operator === null) {
    return (
      <Door shell={props.shell} title={props.title}>
        <ErrorText {...props} />
      </Door>
    );
  }
  return (
    <Page shell={props.shell} title={props.title} current="" still>
      <div class="narrow stack">
        <ErrorText {...props} />
      </div>
    </Page>
  );
}

/** The same for a live part of a page, so that htmx never puts problem JSON into it. */
export function ErrorFragment(props: ErrorProps) {
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
export function errorPages({
  sessions,
  shellFor,
  port,
}: {
  readonly port: () => number;
  readonly sessions: Pick<Sessions, "find">;
  readonly shellFor: (request: Request, actor: Actor | null) => Shell;
}): (request: Request, problem: Problem, requestId: string) => Response | undefined {
  return (request, problem, requestId) => {
    if (problem.code === "unknown-host") return ofUnknownHost(request, problem, port());
    if (!wantsHtml(request)) return undefined;
    const { status, headers } = problem;
    const props = { status, title: PROBLEMS[problem.code].title, detail: detailOf(problem), requestId };
    if (isHtmx(request)) return htmlFragment(request, <ErrorFragment {...props} />, { status, headers });
    const shell = shellFor(request, sessions.find(request)?.actor ?? null);
    return htmlPage(request, <ErrorPage {...props} shell={shell} />, { status, headers });
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
