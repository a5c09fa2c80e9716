import type { Child } from "../jsx/jsx-runtime.ts";

/** How often a live part asks, in seconds; `public/tower.js` ticks these, and never on a hidden page. */
export type Period = 5 | 30 | 60 | 900;

export interface LiveProps {
  /** Stands on the page once: the answer's part of this id takes the place of this one. */
  readonly id: string;
  /** What is asked for: the part alone, or its whole page with `fromPage`. Null while nothing new can come: it stands still. */
  readonly href: string | null;
  readonly every?: Period;
  /** The answer is the whole page, of which this part is taken. */
  readonly fromPage?: boolean;
  /** A section of the page with this name. */
  readonly label?: string | undefined;
  readonly class?: string;
  /** A screen reader says politely what it turns into. */
  readonly status?: boolean;
  /** The part was not asked for: another answer brings it along. */
  readonly brought?: boolean | undefined;
  readonly children: Child;
}

/**
 * A part of a page that refreshes itself, and the one place that says how. The new state is morphed into the old by ids, so that
 * focus, scroll, opened details and ticked boxes stay; a form that is typed into stands beside it, or carries `hx-morph-skip`.
 */
export function Live(props: LiveProps) {
  const { id, href, every = 60, fromPage = false, label } = props;
  const asks = href !== null;
  const attributes = {
    id,
    class: props.class,
    role: props.status === true ? "status" : undefined,
    "aria-live": props.status === true ? ("polite" as const) : undefined,
    "hx-get": href ?? undefined,
    "hx-trigger": asks ? `tick:${every} from:body` : undefined,
    "hx-select": asks && fromPage ? `#${id}` : undefined,
    "hx-swap": asks ? "outerMorph" : undefined,
    "hx-swap-oob": props.brought === true ? "outerMorph" : undefined,
  };
  if (label === undefined) return <div {...attributes}>{props.children}</div>;
  return (
    <section {...attributes} aria-label={label}>
      {props.children}
    </section>
  );
}
