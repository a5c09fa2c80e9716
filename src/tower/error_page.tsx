import { Callout } from "./component/callout.tsx";
import { Door, Page } from "./layout.tsx";
import { paths } from "./paths.ts";
import type { Shell } from "./shell.ts";

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
    <Page shell={props.shell} title={props.title} current="">
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
