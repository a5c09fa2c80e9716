import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Child,
  Fragment,
  isHarmlessAddress,
  jsx,
  render,
  renderDocument,
  Safe,
} from "../../../src/tower/jsx/jsx-runtime.ts";
import { attribute, parsed, rawTextOf, tagged } from "../../support/html.ts";
import { words } from "../../support/words.ts";

const EVIL = `<script>alert(1)</script>"'&&lt;b&#62;&quot`;

describe("children", () => {
  test("text is escaped, wherever it comes from", () => {
    const yes = true;
    const html = render(
      <p>
        {EVIL}
        {yes ? EVIL : "x"}
        {[EVIL, [EVIL]]}
      </p>,
    );
    expect(html).not.toContain("<script");
    expect(rawTextOf(parsed(html))).toBe(EVIL.repeat(4));
  });

  test("elements are not escaped again", () => {
    expect(render(<p>{[<b>1</b>, <i>{"<"}</i>]}</p>)).toBe("<p><b>1</b><i>&lt;</i></p>");
  });

  test("0 is shown; booleans, null and undefined are not", () => {
    expect(render(<p>{[0, 1n, true, false, null, undefined, ""]}</p>)).toBe("<p>01</p>");
  });

  test("a plain object that looks like an element is refused", () => {
    const fake = JSON.parse('{"html":"<b>"}') as Child;
    expect(() => render(<p>{fake}</p>)).toThrow(TypeError);
    expect(() => render(<p>{Promise.resolve("x") as unknown as Child}</p>)).toThrow(TypeError);
  });

  test("a component that returns a promise is refused, one that returns null renders nothing", () => {
    const later = (() => Promise.resolve("x")) as unknown as () => Safe;
    expect(() => jsx(later, {})).toThrow(TypeError);
    expect(render(jsx(() => null, {}))).toBe("");
  });

  test("what carries the brand is markup, and a fragment has no element of its own", () => {
    expect(render(<p>{new Safe("<b>1</b>")}</p>)).toBe("<p><b>1</b></p>");
    expect(render(Fragment({ children: ["<", "b"] }))).toBe("&lt;b");
  });

  test("elements whose text is code are refused", () => {
    for (const tag of ["style", "iframe", "tag", "Script", "a b", "p onclick"]) {
      expect(() => jsx(tag, {})).toThrow(TypeError);
    }
    expect(() => jsx("script", { children: "alert(1)" })).toThrow(TypeError);
    expect(render(<script src="/static/a.js" defer />)).toBe('<script src="/static/a.js" defer></script>');
  });

  test("a document starts with the doctype", () => {
    expect(renderDocument(<html lang="en" />)).toBe('<!doctype html><html lang="en"></html>');
  });
});

describe("attributes", () => {
  test("values are escaped fully", () => {
    const [p] = tagged(parsed(render(<p title={EVIL}>x</p>)), "p");
    expect(p?.attrs).toEqual([{ name: "title", value: EVIL }]);
  });

  test("undefined, null and false leave the attribute out, true writes its name, 0 stays", () => {
    expect(render(<input checked={false} value={undefined} name={null} required tabindex={0} />)).toBe(
      '<input required tabindex="0"/>',
    );
  });

  test("values of other types are refused", () => {
    for (const value of [{}, [], () => "x", Symbol("x"), Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => jsx("p", { title: value })).toThrow(TypeError);
    }
  });

  test("names that are code, hide code or break out are refused", () => {
    const names = words('onclick ONLOAD style srcdoc attrs of safe hx-on:click a" a> 1a');
    for (const name of [...names, "a b"]) expect(() => jsx("p", { [name]: "x" })).toThrow(TypeError);
  });

  test("htmx and svg attributes keep their names", () => {
    const html = render(
      <svg
        viewBox="0 0 1 1"
        hx-get="/x"
        hx-trigger="tick:60 from:body"
        {...{ "hx-status:422": "target:#err" }}
      >
        <path d="M0 0" stroke-width="2" />
      </svg>,
    );
    expect(html).toBe(
      '<svg viewBox="0 0 1 1" hx-get="/x" hx-trigger="tick:60 from:body" hx-status:422="target:#err"><path d="M0 0" stroke-width="2"></path></svg>',
    );
  });

  test("an address that would run code is left out", () => {
    for (const address of [
      " java\tscript:x",
      ...words("javascript:alert(1) JAVASCRIPT:x data:text/html,x vbscript:x a:b"),
    ]) {
      expect(isHarmlessAddress(address)).toBe(false);
      expect(render(<a href={address}>x</a>)).toBe("<a>x</a>");
    }
    const harmless = words("/sites/a:b ?q=a:b #x https://x.example mailto:a@b sites ./a");
    expect([...harmless, ""].filter((address) => !isHarmlessAddress(address))).toStrictEqual([]);
  });

  test("any text comes back from the parser as it was, as a child and as a value", () => {
    // A parser turns U+0000 and line ends of its own accord; the rest must be untouched.
    const text = fc.string({ unit: "binary" }).map((value) => value.replaceAll(/[\0\r]/g, ""));
    fc.assert(
      fc.property(text, (value) => {
        const [p] = tagged(parsed(render(<p title={value}>{value}</p>)), "p");
        expect(p === undefined ? undefined : attribute(p, "title")).toBe(value);
        expect(p === undefined ? undefined : rawTextOf(p)).toBe(value);
        expect(p?.attrs.length).toBe(1);
      }),
    );
  });
});
