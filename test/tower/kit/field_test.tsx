import { expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import {
  LongTextField,
  PasswordField,
  SelectField,
  SiteField,
  TextField,
} from "../../../src/tower/kit/field.tsx";
import { parsed, tagged } from "../../support/html.ts";

const REFUSED = {
  values: { url: "nope", note: "\nsecond line", kind: "b" },
  errors: { url: "It must be an address." },
};

test("a refused field keeps what was typed, says why beside it, and its control names the help and the error", () => {
  const html = render(<TextField name="url" label="Address" help="Where it is" filled={REFUSED} />);
  expect(html).toContain('<label for="url">Address</label>');
  expect(html).toContain('aria-describedby="url-help url-error" aria-invalid="true"');
  expect(html).toContain('value="nope"');
  expect(html).toContain('<small class="bad" id="url-error">It must be an address.</small>');
  expect(html).toContain('<small id="url-help">Where it is</small>');
});

test("a field without help and error names neither, and an id of its own does not change its name", () => {
  const html = render(<TextField id="other" name="note" label="Note" value="" />);
  expect(html).not.toContain("aria-");
  expect(html).toContain('<label for="other">');
  expect(html).toContain('id="other" name="note"');
});

test("a text of several lines keeps its first line when that is empty", () => {
  const html = render(<LongTextField name="note" label="Note" filled={REFUSED} />);
  expect(tagged(parsed(html), "textarea")).toMatchObject([{ childNodes: [{ value: "\nsecond line" }] }]);
});

test("a select has the kept choice", () => {
  const choices = [
    ["a", "First"],
    ["b", "Second"],
  ] as const;
  expect(render(<SelectField name="kind" label="Kind" filled={REFUSED} choices={choices} />)).toContain(
    '<option value="b" selected>Second</option>',
  );
});

test("of 300 choices a site is chosen, of more it is typed, and what is no site is proposed", () => {
  const html = (count: number) => {
    const sites = Array.from({ length: count - 2 }, (_, n) => [`site-${n}`, `site-${n}`] as const);
    const choices = [["", "Every site"] as const, ["*", "All sites"] as const, ...sites];
    return render(<SiteField name="asset" label="Site" choices={choices} chosen="site-7" />);
  };
  expect(html(300)).toContain('<option value="site-7" selected>site-7</option>');
  expect(html(301)).toContain(
    '<input id="asset" name="asset" value="site-7" list="asset-list" placeholder="Every site" autocapitalize="none" spellcheck="false"/><datalist id="asset-list"><option value="*">All sites</option></datalist>',
  );
});

test("a password is never sent back, and a new one is told its least length", () => {
  const html = render(<PasswordField name="password" label="Password" error="Too short." isNew />);
  expect(html).not.toContain("value=");
  expect(html).toContain('autocomplete="new-password" minlength="12"');
  expect(html).toContain("12 characters or more.");
});

test("after a refusal the first refused field has the focus, whichever has it otherwise", () => {
  const field = (name: string) => (
    <TextField name={name} label={name} filled={REFUSED} autofocus={name === "note"} />
  );
  expect(render(field("url"))).toContain("autofocus");
  expect(render(field("note"))).not.toContain("autofocus");
  expect(
    render(<TextField name="note" label="Note" filled={{ values: {}, errors: {} }} autofocus />),
  ).toContain("autofocus");
  expect(render(<PasswordField name="password" label="Password" error="Too short." />)).toContain(
    "autofocus",
  );
});
