/**
 * The parts every plot is drawn from, on the server: x in percent, y in pixels, so the width is fluid and the text keeps its size.
 * A native title gives a place its value without a script.
 */

import type { Severity } from "../../flags/flags.ts";
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
export function Plot(props: {
  readonly height: number;
  readonly label?: string;
  readonly class?: string;
  /** Whose colour what was judged is drawn in. */
  readonly severity?: Severity;
  readonly children: Child;
}) {
  const { label, class: name } = props;
  return (
    <svg
      class={name === undefined ? "plot" : `plot ${name}`}
      data-sev={props.severity}
      height={props.height}
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
  readonly hidden?: boolean;
  readonly children: Child;
}) {
  return (
    <svg
      class={props.class}
      x={percent(props.x)}
      y={props.y}
      overflow="visible"
      aria-hidden={props.hidden === true ? "true" : undefined}
    >
      {props.children}
    </svg>
  );
}

/** A level across the whole width. */
export function Level({ class: name, y }: { readonly class: string; readonly y: number }) {
  return <line class={name} x1="0" x2="100%" y1={y} y2={y} />;
}

/** A line down at one place of the width. */
export function Upright(props: {
  readonly class: string;
  readonly x: number;
  readonly from: number;
  readonly to: number;
}) {
  const x = percent(props.x);
  return <line class={props.class} x1={x} x2={x} y1={props.from} y2={props.to} />;
}

/** A stretch of the width at one height. */
export function Stretch(props: {
  readonly class: string;
  readonly from: number;
  readonly to: number;
  readonly y: number;
}) {
  return (
    <line class={props.class} x1={percent(props.from)} x2={percent(props.to)} y1={props.y} y2={props.y} />
  );
}

/** A box over a stretch of the width, with what it says. */
export function Box(props: {
  readonly class: string;
  readonly x: number;
  readonly width: number;
  readonly y?: number;
  readonly height: number;
  readonly title?: string;
}) {
  return (
    <rect
      class={props.class}
      x={percent(props.x)}
      width={percent(props.width)}
      y={props.y}
      height={props.height}
    >
      {props.title === undefined ? null : <title>{props.title}</title>}
    </rect>
  );
}

/** Words at one place of the width. */
export function Words(props: {
  readonly class?: string | undefined;
  readonly x: number;
  readonly y: number;
  readonly children: Child;
}) {
  return (
    <text class={props.class} x={percent(props.x)} y={props.y}>
      {props.children}
    </text>
  );
}

/** A letter in its box: what was done at this place. */
export function LetterMark(props: {
  readonly letter: string;
  readonly x: number;
  readonly y: number;
  readonly title: string;
  /** What stands in the box; the letter itself when absent. */
  readonly words?: string;
  /** How many it stands for, beside the box. */
  readonly count?: string | undefined;
}) {
  const { letter, x, y, words = props.letter, count } = props;
  // Wider for a number; and near an edge all of it stands inside, on the narrowest plot, too.
  const width = Math.max(16, 4 + words.length * 7);
  const aside = x < 3 ? width / 2 - 2 : x > 97 ? 2 - width / 2 : 0;
  return (
    <Pin class={`m ${letter}`} x={x}>
      <title>{props.title}</title>
      <rect x={aside - width / 2} y={y} width={width} height="16" rx="2" />
      <text x={aside} y={y + 12}>
        {words}
      </text>
      {count === undefined ? null : (
        <text class="minor" x={aside + width / 2 + 3} y={y + 12} aria-hidden="true">
          {count}
        </text>
      )}
    </Pin>
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
