/** Which attributes an element may carry, and how a value is written. */

/** What an attribute may hold. `undefined`, `null` and `false` leave it out; `true` writes the bare name. */
export type AttributeValue = string | number | boolean | null | undefined;

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
export function escapeText(text: string): string {
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
export function writtenAttributes(props: Readonly<Record<string, unknown>>): Record<string, string | true> {
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
