import { expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { LongTextField, PasswordField, TextField } from "../../../src/tower/kit/field.tsx";
import { parsed, tagged } from "../../support/html.ts";

const REFUSED = {
  values: { url: "nope", note: "\nsecond line", kind: "b" },
  errors: { url: "It must be an address." },
};

test("a text of several lines keeps its first line when that is empty", () => {
  const html = render(<LongTextField name="note" label="Note" filled={REFUSED} />);
  expect(tagged(parsed(html), "textarea")).toMatchObject([{ childNodes: [{ value: "\nsecond line" }] }]);
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
