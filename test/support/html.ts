/** Reads rendered HTML as a browser would, so that tests look at meaning and not at markup. */

import { type DefaultTreeAdapterMap, parse, parseFragment } from "parse5";
import { TOWER_COMMAND } from "../../src/base/command_line.ts";

type Node = DefaultTreeAdapterMap["node"];
export type Element = DefaultTreeAdapterMap["element"];

/** The parsed tree of a whole document or of a fragment. */
export function parsed(html: string): Node {
  return html.startsWith("<!doctype") ? parse(html) : parseFragment(html);
}

function childrenOf(node: Node): readonly Node[] {
  if ("content" in node) return node.content.childNodes;
  return "childNodes" in node ? node.childNodes : [];
}

function isElement(node: Node): node is Element {
  return "tagName" in node;
}

/** Every node below, in the order of the document. */
function nodesOf(node: Node, found: Node[] = []): Node[] {
  for (const child of childrenOf(node)) {
    found.push(child);
    nodesOf(child, found);
  }
  return found;
}

/** Every element below that fits. */
export function elements(node: Node, fits: (element: Element) => boolean = () => true): Element[] {
  return nodesOf(node).filter(isElement).filter(fits);
}

/** Every element of a tag name. */
export function tagged(node: Node, name: string): Element[] {
  return elements(node, (element) => element.tagName === name);
}

/** An attribute's value; undefined when it is not there. */
export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((held) => held.name === name)?.value;
}

/** The element of an id. @throws Error when there is none. */
export function byId(node: Node, id: string): Element {
  const [found] = elements(node, (element) => attribute(element, "id") === id);
  if (found === undefined) throw new Error(`no element has the id ${id}`);
  return found;
}

/** The text below a node, white space folded. */
export function textOf(node: Node): string {
  return rawTextOf(node).replaceAll(/\s+/g, " ").trim();
}

/** The text below a node as it stands. */
export function rawTextOf(node: Node): string {
  let text = "value" in node && node.nodeName === "#text" ? node.value : "";
  for (const child of childrenOf(node)) text += rawTextOf(child);
  return text;
}

/** The text nodes below with the elements above each, nearest first. */
export function textNodes(node: Node): { readonly text: string; readonly above: readonly Element[] }[] {
  const found: { text: string; above: Element[] }[] = [];
  for (const below of nodesOf(node)) {
    if (below.nodeName !== "#text" || !("value" in below)) continue;
    const above: Element[] = [];
    let parent: Node | null = below.parentNode;
    while (parent !== null) {
      if (isElement(parent)) above.push(parent);
      parent = "parentNode" in parent ? parent.parentNode : null;
    }
    found.push({ text: below.value, above });
  }
  return found;
}

/** Tag and attribute names without any text: what must not change whatever the text is. */
export function shapeOf(node: Node): string {
  const parts: string[] = [];
  for (const child of childrenOf(node)) {
    if (isElement(child)) {
      const names = child.attrs.map((held) => held.name).sort();
      parts.push(`${child.tagName}[${names.join(" ")}](${shapeOf(child)})`);
    } else if (child.nodeName === "#comment") {
      parts.push("comment");
    }
  }
  return parts.join(",");
}

/** Rows of the table with this caption: the texts of their cells. */
export function rowsOf(node: Node, caption: string): string[][] {
  const table = tagged(node, "table").find((held) =>
    tagged(held, "caption").some((words) => textOf(words) === caption),
  );
  if (table === undefined) throw new Error(`no table has the caption ${caption}`);
  return tagged(table, "tr").map((row) =>
    elements(row, (cell) => cell.tagName === "td" || cell.tagName === "th").map((cell) => textOf(cell)),
  );
}

/** Whether something is typed into a field. */
export const isTyped = (field: Element) =>
  field.tagName === "textarea" ||
  (field.tagName === "input" && !/^(?:hidden|checkbox|radio|file)$/.test(attribute(field, "type") ?? ""));

/** What a browser sends of a form: as it is, or with one text typed into its fields. */
export function filledIn(form: Element, text?: string): Record<string, string> {
  const fields = elements(form, (one) => attribute(one, "name") !== undefined).flatMap((field) => {
    const name = attribute(field, "name") ?? "";
    if (isTyped(field)) return [[name, text ?? attribute(field, "value") ?? rawTextOf(field)]];
    const options = tagged(field, "option");
    const [chosen = options[0]] = options.filter((one) => attribute(one, "selected") !== undefined);
    const isTicked = attribute(field, "checked") !== undefined || attribute(field, "type") === "hidden";
    const value = attribute(chosen ?? field, "value");
    return value !== undefined && (chosen !== undefined || isTicked) ? [[name, value]] : [];
  });
  return Object.fromEntries(fields);
}

/** Elements that begin a line. */
const LINES =
  /^(?:button|caption|d[dt]|details|div|fieldset|form|h\d|header|input|label|li|nav|p|section|select|summary|svg|tr|[ou]l)$/;
/** Attributes that every element of a kind has. */
const USUAL = /^(?:xmlns|viewBox|role|aria-hidden)$/;
/** More choices than these are counted. */
const MOST_CHOICES = 20;
/** Of what is shown as it is typed, at most so many signs. */
const MOST_SIGNS = 600;
/** And of what stands in a long field. */
const MOST_TYPED = 60;
/** Of more rows, cells or items than twice these, those between the first and the last are counted. */
const MOST_ENDS = 6;

/** A part of a page by lines: its text, each thing with the attributes of its element; lines that repeat are counted. */
export function readAloud(node: Node): string[] {
  const lines: string[][] = [[]];
  const say = (words: string) => words !== "" && lines.at(-1)?.push(words);
  const read = (held: Node): void => {
    if ("value" in held && held.nodeName === "#text") say(held.value.replaceAll(/\s+/g, " ").trim());
    if (!isElement(held)) {
      childrenOf(held).forEach(read);
      return;
    }
    const { tagName, attrs } = held;
    if (LINES.test(tagName)) lines.push([]);
    const told = attrs.filter(
      ({ name, value }) => !USUAL.test(name) || /^(?:alert|status|region|search)$/.test(value),
    );
    if (told.length > 0) say(`[${told.map(({ name, value }) => `${name} ${value}`.trim()).join(", ")}]`);
    if (/^t[dh]$/.test(tagName)) say("|");
    const choices = tagName === "select" ? tagged(held, "option") : [];
    if (choices.length > MOST_CHOICES) {
      say(`${choices.length} choices`);
      choices.filter((choice) => attribute(choice, "selected") !== undefined).forEach(read);
    } else if (tagName === "pre")
      say(rawTextOf(held).replaceAll(TOWER_COMMAND, "tower").slice(0, MOST_SIGNS));
    else if (tagName === "textarea") say(textOf(held).slice(0, MOST_TYPED));
    else {
      const parts = childrenOf(held);
      const isLong = /^(?:tbody|tr|[ou]l)$/.test(tagName) && parts.length > 2 * MOST_ENDS;
      (isLong ? parts.slice(0, MOST_ENDS) : parts).forEach(read);
      if (isLong) {
        say(`${parts.length - 2 * MOST_ENDS} more`);
        parts.slice(-MOST_ENDS).forEach(read);
      }
    }
    if (LINES.test(tagName)) lines.push([]);
  };
  read(node);
  const said = lines.map((parts) => parts.join(" ")).filter((line) => line !== "");
  return said.flatMap((line, place) => {
    if (line === said[place - 1]) return [];
    let times = 1;
    while (said[place + times] === line) times++;
    return [times === 1 ? line : `${line} (${times} times)`];
  });
}
