/**
 * How what is shown stays current; `public/live.js` does it. A page asks for itself, and one answer, read in one turn and so at one
 * moment, renews every part of it that is marked `data-fresh`: no two numbers on it are of different times. It is morphed by ids, so
 * that what is open, focused, ticked, typed, selected and in sight stays as the reader has it; what is marked `data-still` stays whole.
 * After an act the page follows at once, unless what htmx swapped in is marked `data-apart`: it concerns nothing else.
 */

import type { Child } from "../jsx/child.ts";

/** How often a page asks for itself, in seconds, and never while it is hidden. */
export const PAGE_PERIOD = 60;

/** A part with an address and a period of its own, beside its page's. It says itself when it was read. */
export function Live(props: {
  /** Stands on the page once: what is answered under this id is morphed into it. */
  readonly id: string;
  /** Null while nothing new can come: it stands still. */
  readonly href: string | null;
  /** In seconds. */
  readonly every: number;
  readonly class?: string;
  /** A screen reader says politely what it turns into. */
  readonly status?: boolean;
  readonly children: Child;
}) {
  const { id, href, every, status = false } = props;
  return (
    <div
      id={id}
      class={props.class}
      role={status ? "status" : undefined}
      aria-live={status ? "polite" : undefined}
      data-every={href === null ? undefined : every}
      data-ask={href ?? undefined}
    >
      {props.children}
    </div>
  );
}
