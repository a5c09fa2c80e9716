/** The elements and attributes that Tower's pages use, typed: a misspelt name does not compile. */

import type { AttributeValue } from "./attributes.ts";
import type { Child } from "./child.ts";

/** An attribute of two states that assistive technology reads must be written out, so it takes text, not a boolean. */
type Written = string | number | null | undefined;

/** Attributes every element may carry, with those of htmx, ARIA and data. */
export interface Common {
  readonly children?: Child;
  readonly id?: AttributeValue;
  readonly class?: string | null | undefined;
  readonly title?: AttributeValue;
  readonly role?: string | undefined;
  readonly lang?: string | undefined;
  readonly dir?: string | undefined;
  readonly hidden?: boolean | undefined;
  readonly tabindex?: number | undefined;
  readonly popover?: boolean | string | undefined;
  readonly autofocus?: boolean | undefined;
  readonly [aria: `aria-${string}`]: Written;
  readonly [data: `data-${string}`]: AttributeValue;
  readonly [htmx: `hx-${string}`]: AttributeValue;
}

/** The names in a text. */
type NamesIn<Text extends string> = Text extends `${infer Name} ${infer Rest}` ? Name | NamesIn<Rest> : Text;

type With<Names extends string> = Common & {
  readonly [name in NamesIn<Names>]?: AttributeValue;
};

/** Geometry and presentation of the drawings. */
type Drawing = With<
  | "x y x1 x2 y1 y2 dx dy cx cy r rx d points width height viewBox preserveAspectRatio overflow transform href"
  | "fill stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin patternUnits patternTransform"
>;

interface Special {
  readonly title: Common;
  readonly meta: With<"charset name content">;
  readonly link: With<"rel href type">;
  readonly script: With<"src defer type">;
  readonly a: With<"href rel download">;
  readonly time: With<"datetime">;
  readonly data: With<"value">;
  readonly details: With<"open name">;
  readonly output: With<"for name">;
  readonly form: With<"method action enctype autocomplete">;
  readonly label: With<"for">;
  readonly input: With<
    | "type name value required checked readonly placeholder autocomplete minlength maxlength min max step list"
    | "spellcheck accept autocapitalize inputmode"
  >;
  readonly textarea: With<"name rows cols required placeholder spellcheck maxlength wrap">;
  readonly select: With<"name required">;
  readonly option: With<"value selected">;
  readonly button: With<"type name value popovertarget form">;
  readonly th: With<"scope colspan rowspan">;
  readonly td: With<"colspan rowspan">;
}

/** Every element with its attributes: those of HTML by their names alone, unless they have attributes of their own, and drawings. */
export type Elements = {
  readonly [name in Exclude<keyof HTMLElementTagNameMap, keyof Special>]: Common;
} & {
  readonly [name in Exclude<keyof SVGElementTagNameMap, keyof HTMLElementTagNameMap>]: Drawing;
} & Special;
