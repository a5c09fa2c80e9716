/**
 * The parts every plot is drawn from, on the server: x in percent, y in pixels, so the width is fluid and the text keeps its size.
 * A native title gives a place its value without a script.
 */

import type { Child } from "../jsx/child.ts";

/** Percent of a plot's width, in two digits at most. */
export function percent(value: number): string {
  return `${Number(value.toFixed(2))}%`;
}

/** Words near an edge of a plot grow away from it; `edge` is half their width in percent. */
export function anchor(x: number, edge: number): "end" | "mid" | undefined {
  if (x > 100 - edge) return "end";
  return x < edge ? undefined : "mid";
}

/** A drawing of its own height; `label` says all of it in words, and one without is no more than decoration. It may hold links. */
export function Plot(props: { readonly height: number; readonly label?: string; readonly children: Child }) {
  const { height, label } = props;
  return (
    <svg
      class="plot"
      height={height}
      role={label === undefined ? undefined : "group"}
      aria-label={label}
      aria-hidden={label === undefined ? "true" : undefined}
    >
      {props.children}
    </svg>
  );
}

/** One lane of a figure: its name at the side, its axis, its plot. Narrow for what is no measure of its own. */
export function Lane(props: {
  readonly aside?: Child;
  readonly axis?: Child;
  readonly narrow?: boolean;
  readonly children: Child;
}) {
  return (
    <div class={props.narrow === true ? "track axis" : "track"}>
      <div>{props.aside}</div>
      <div>{props.axis}</div>
      {props.children}
    </div>
  );
}

/** Something at one place of the width, drawn around it in pixels. */
export function Pin(props: {
  readonly x: number;
  readonly y?: number;
  readonly class?: string;
  readonly children: Child;
}) {
  return (
    <svg class={props.class} x={percent(props.x)} y={props.y} overflow="visible">
      {props.children}
    </svg>
  );
}

/** The look of a part, and where it is drawn. */
type Drawn<Places extends string> = { readonly class: string } & Readonly<Record<Places, number>>;

/** A level across the whole width. */
export function Level({ class: name, y }: Drawn<"y">) {
  return <line class={name} x1="0" x2="100%" y1={y} y2={y} />;
}

/** A line down at one place of the width. */
export function Upright({ class: name, x, from, to }: Drawn<"x" | "from" | "to">) {
  return <line class={name} x1={percent(x)} x2={percent(x)} y1={from} y2={to} />;
}

/** A stretch of the width at one height. */
export function Stretch({ class: name, from, to, y }: Drawn<"from" | "to" | "y">) {
  return <line class={name} x1={percent(from)} x2={percent(to)} y1={y} y2={y} />;
}

/** A box over a stretch of the width, with what it says. */
export function Box(props: Drawn<"x" | "width" | "y" | "height"> & { readonly title?: string }) {
  const { class: name, x, width, y, height, title } = props;
  return (
    <rect class={name} x={percent(x)} width={percent(width)} y={y} height={height}>
      {title === undefined ? null : <title>{title}</title>}
    </rect>
  );
}

/** The meaning of a plot's signs. */
export function Legend(props: {
  readonly signs: readonly (readonly [sign: Child, words: Child] | null)[];
  /** Further entries. */
  readonly children?: Child;
}) {
  return (
    <ul class="legend">
      {props.signs.map((entry) =>
        entry === null ? null : (
          <li>
            {entry[0] === null ? null : (
              <svg aria-hidden="true" class="plot">
                {entry[0]}
              </svg>
            )}
            {entry[1]}
          </li>
        ),
      )}
      {props.children}
    </ul>
  );
}

/** A share of a whole as a bar beside its number. */

export function Meter({ share }: { readonly share: number }) {
  return (
    <svg class="meter" aria-hidden="true">
      <rect class="t" width="100%" height="8" />
      <rect width={percent(share * 100)} height="8" />
    </svg>
  );
}
