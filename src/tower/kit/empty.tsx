/** An empty place: what is missing, why, and the next step. */

import type { Child } from "../jsx/child.ts";

export function Empty(props: {
  readonly heading: string;
  /** It stands in no block of its page, so that no heading is above its own but the page's. */
  readonly alone?: boolean;
  readonly children: Child;
}) {
  const { heading, alone = false, children } = props;
  return (
    <div class="empty">
      {alone ? <h2>{heading}</h2> : <h3>{heading}</h3>}
      {children}
    </div>
  );
}
