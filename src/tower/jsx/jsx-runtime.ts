/**
 * JSX that escapes by default: an element is a branded `Safe`, and every other child is escaped; there is no door out. It
 * stands over the element factory of @elysiajs/html, which escapes no child; that package's own JSX types and its plugin for
 * the router stay out, since pages are answered by `session.ts`. Synchronous only: a page gathers its data first and renders
 * then.
 */

import { createElement } from "@elysiajs/html/h";

// What may stand between tags. Booleans, null and undefined render as nothing.

export type Child = Safe | string | number | bigint | boolean | null | undefined | readonly Child[];

/**
 * Markup that needs no more escaping. The private field is the brand: no plain object and no parsed JSON can
 * pass for it, so a value is markup only when the runtime made it.
 */
export class Safe {
  readonly #html: string;

  constructor(html: string) {
    this.#html = html;
  }

  /** The markup itself. */
  toString(): string {
    return this.#html;
  }
}

/** A function from props to markup; null renders as nothing. */
export type Component<P> = (props: P) => Safe | null;

type Props = Readonly<Record<string, unknown>>;

const NOTHING = new Safe("");

const TAG = /^[a-z][A-Za-z0-9-]*$/;
/** Elements whose text is not parsed as text, so escaping would not protect it. `tag` is the factory's own alias. */
const REFUSED_TAGS = new Set([
  "style",
  "iframe",
  "object",
  "embed",
  "base",
  "tag",
  "xmp",
  "noembed",
  "noframes",
  "plaintext",
]);

function append(child: Child): string {
  if (child instanceof Safe) return child.toString();
  if (typeof child === "string") return escapeText(child);
  if (typeof child === "number" || typeof child === "bigint") return String(child);
  if (child === null || child === undefined || typeof child === "boolean") return "";
  if (Array.isArray(child)) {
    let html = "";
    for (const item of child as readonly Child[]) html += append(item);
    return html;
  }
  throw new TypeError(`a child must be text, a number, an element or a list of them, not ${typeof child}`);
}

/** Makes an element or calls a component. What the compiler writes for `<x/>`. */
export function jsx(type: string | Component<never>, props: Props): Safe {
  if (typeof type === "function") {
    const made: unknown = (type as Component<Props>)(props);
    if (made instanceof Safe) return made;
    if (made === null) return NOTHING;
    throw new TypeError(`the component ${type.name} must return an element, at once`);
  }
  if (!TAG.test(type) || REFUSED_TAGS.has(type)) throw new TypeError(`the element <${type}> is refused`);
  const content = append(props["children"] as Child);
  if (type === "script" && content !== "")
    throw new TypeError("a script element has no text, only an address");
  const attributes = writtenAttributes(props);
  const html: unknown =
    content === "" ? createElement(type, attributes) : createElement(type, attributes, content);
  return new Safe(html as string);
}

/** As `jsx`, for elements with more than one child. */
export const jsxs: typeof jsx = jsx;

/** As `jsx`, for development builds, which add arguments that are not used here. */
export const jsxDEV: typeof jsx = jsx;

/** Children without an element around them. */
export function Fragment(props: { readonly children?: Child }): Safe {
  return new Safe(append(props.children));
}

/** The markup of a fragment, for an answer to a partial request. */
export function render(element: Safe): string {
  return element.toString();
}

/** The markup of a whole document. */
export function renderDocument(element: Safe): string {
  return `<!doctype html>${element.toString()}`;
}

/** Types the compiler looks up. */
export declare namespace JSX {
  type Element = Safe;
  type ElementType = string | ((props: never) => Safe | null);
  interface ElementChildrenAttribute {
    children: unknown;
  }
  interface IntrinsicAttributes {
    readonly key?: string | number;
  }
  interface IntrinsicElements extends Elements {}
}

// Which attributes an element may carry, and how a value is written.

/** What an attribute may hold. `undefined`, `null` and `false` leave it out; `true` writes the bare name. */
type AttributeValue = string | number | boolean | null | undefined;

const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]*$/;

/**
 * Attributes that are code, hide code, or reach around the escaping of the factory below. The content security
 * policy blocks the first two kinds as well; refusing them here turns a blocked page into a failing test.
 */
const REFUSED = /^(?:on.*|style|srcdoc|safe|attrs|of|classname|hx-on.*|hx-vars|js:.*)$/i;

const ADDRESS = new Set(["href", "src", "action", "formaction", "xlink:href", "poster"]);

/** An address that stays on this site, or names http, https or mailto. A scheme is what stands before the first colon. */
const HARMLESS_ADDRESS = /^(?:https?:|mailto:|[^:]*$|[^:]*[/?#])/i;

const allowed = new Set<string>();

/** Escapes text for an element or a quoted attribute: & < > " '. */
function escapeText(text: string): string {
  return Bun.escapeHTML(text);
}

/** Whether following the address cannot run code (`javascript:`, `data:` and the like are refused). */
export function isHarmlessAddress(address: string): boolean {
  // Browsers drop tabs and line ends inside a scheme and trim what stands before it.
  return HARMLESS_ADDRESS.test(address.replace(/[\u0000-\u0020]/g, ""));
}

function checkName(name: string): void {
  if (allowed.has(name)) return;
  if (!NAME.test(name)) throw new TypeError(`not an attribute name: ${JSON.stringify(name)}`);
  if (REFUSED.test(name)) throw new TypeError(`the attribute ${name} is refused: it is code or hides code`);
  allowed.add(name);
}

/**
 * The attributes in the form the factory takes: every value escaped, absent ones gone. An address with another
 * scheme than http, https or mailto is left out, since it may be a site's own text.
 *
 * @throws TypeError for a refused name or a value that is no text, number or boolean.
 */
function writtenAttributes(props: Readonly<Record<string, unknown>>): Record<string, string | true> {
  const written: Record<string, string | true> = {};
  for (const name in props) {
    if (name === "children" || name === "key") continue;
    const value = props[name];
    if (value === undefined || value === null || value === false) continue;
    checkName(name);
    if (value === true) {
      written[name] = true;
    } else if (typeof value === "string") {
      if (ADDRESS.has(name) && !isHarmlessAddress(value)) continue;
      written[name] = escapeText(value);
    } else if (typeof value === "number" && Number.isFinite(value)) {
      written[name] = String(value);
    } else {
      throw new TypeError(
        `the attribute ${name} holds ${describe(value)}; it takes text, a number or a boolean`,
      );
    }
  }
  return written;
}

function describe(value: unknown): string {
  return typeof value === "object" ? "an object" : String(value);
}

// The elements and attributes that Tower's pages use, typed: a misspelt name does not compile.

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

/** Attributes without which an element means nothing, or something else than is meant. */
type Needs<Names extends string> = { readonly [name in NamesIn<Names>]: AttributeValue };

/** Geometry and presentation of the drawings. */
type Drawing = With<
  | "x y x1 x2 y1 y2 dx dy cx cy r rx d points width height viewBox preserveAspectRatio overflow transform href"
  | "fill stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin patternUnits patternTransform"
>;

interface Special {
  readonly html: Common & { readonly lang: string };
  readonly title: Common;
  readonly meta: Needs<"charset"> | (Needs<"content"> & With<"name">);
  readonly link: Needs<"rel href"> & With<"type">;
  readonly script: Needs<"src"> & With<"defer type">;
  readonly a: Needs<"href"> & With<"rel download">;
  readonly time: With<"datetime">;
  readonly data: Common & Needs<"value">;
  readonly details: With<"open name">;
  readonly output: With<"for name">;
  readonly form: Needs<"method"> & With<"action enctype autocomplete">;
  readonly label: With<"for">;
  readonly input: With<
    | "type name value required checked readonly placeholder autocomplete minlength maxlength min max step list"
    | "spellcheck accept autocapitalize inputmode"
  >;
  readonly textarea: Needs<"name"> & With<"rows cols required placeholder spellcheck maxlength wrap">;
  readonly select: Needs<"name"> & With<"required">;
  readonly option: Needs<"value"> & With<"selected">;
  readonly button: With<"type name value popovertarget form">;
  readonly th: Needs<"scope"> & With<"colspan rowspan">;
  readonly td: With<"colspan rowspan">;
}

/** Every element with its attributes: those of HTML by their names alone, unless they have attributes of their own, and drawings. */
type Elements = {
  readonly [name in Exclude<keyof HTMLElementTagNameMap, keyof Special>]: Common;
} & {
  readonly [name in Exclude<keyof SVGElementTagNameMap, keyof HTMLElementTagNameMap>]: Drawing;
} & Special;
