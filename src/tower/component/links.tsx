/** Rows of links that choose what a page shows. */
import type { Child } from "../jsx/jsx-runtime.ts";
import { Told } from "./text.tsx";

/** One choice of a row. */
export interface Choice {
  readonly href: string;
  readonly words: Child;
  /** Whether it is what the page shows now. */
  readonly chosen: boolean;
  /** What a screen reader says in place of the words. */
  readonly label?: string;
}

function Links({ class: name, label, choices }: ChoicesProps & { readonly class: string }) {
  return (
    <nav class={name} aria-label={label}>
      {choices.map(({ href, words, chosen, label: spoken }) => (
        <a href={href} aria-current={chosen ? "true" : undefined} aria-label={spoken}>
          {words}
        </a>
      ))}
    </nav>
  );
}

interface ChoicesProps {
  readonly label: string;
  readonly choices: readonly Choice[];
}

/** Filters: each link puts one on or off. */
export function Chips(props: ChoicesProps) {
  return <Links class="chips" {...props} />;
}

/** The filters that are on, each a chip that takes itself off; nothing when none is. */
export function FiltersOn(props: {
  readonly filters: readonly {
    readonly name: string;
    readonly value: string | null | undefined;
    /** The view without it. */
    readonly href: string;
  }[];
}) {
  const on = props.filters.filter(({ value }) => value !== undefined && value !== null);
  if (on.length === 0) return null;
  return (
    <Chips
      label="Filters that are on"
      choices={on.map(({ name, value, href }) => ({
        href,
        chosen: true,
        label: `Remove the filter ${name}: ${value}`,
        words: (
          <>
            {name}: <Told class="cut">{String(value)}</Told> <b aria-hidden="true">×</b>
          </>
        ),
      }))}
    />
  );
}

/** One of a few ranges. */
export function Segments(props: ChoicesProps) {
  return <Links class="seg" {...props} />;
}

/** To what lies before and after; a side without an address is shown as an end, or left out where `bare`. */
export function Steps(props: {
  readonly earlier: string | null;
  readonly later: string | null;
  /** What is stepped over, for screen readers: " days". */
  readonly what?: string;
  readonly bare?: boolean;
}) {
  const { what = "", bare = false } = props;
  const side = (href: string | null, words: string, rel: "prev" | "next", sign: string) =>
    href === null ? (
      bare ? null : (
        <span aria-hidden="true">{sign}</span>
      )
    ) : (
      <a href={href} aria-label={`${words}${what}`} rel={rel}>
        {sign}
      </a>
    );
  return (
    <nav class="seg" aria-label="Step">
      {side(props.earlier, "Earlier", "prev", "←")}
      {side(props.later, "Later", "next", "→")}
    </nav>
  );
}
