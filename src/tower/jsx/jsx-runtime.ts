/**
 * JSX that escapes by default: an element is a branded `Safe`, and every other child is escaped; there is no door out. It
 * stands over the element factory of @elysiajs/html, which escapes no child; that package's own JSX types and its plugin for
 * the router stay out, since pages are answered by `respond.ts`. Synchronous only: a page gathers its data first and renders
 * then.
 */

import { createElement } from "@elysiajs/html/h";
import { escapeText, writtenAttributes } from "./attributes.ts";
import type { Child } from "./child.ts";
import type { Elements } from "./elements.ts";
import { Safe } from "./safe.ts";

export type { Child };

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
