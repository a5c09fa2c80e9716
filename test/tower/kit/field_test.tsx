import { expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { LongTextField, TextField } from "../../../src/tower/kit/field.tsx";
import { attribute, parsed, tagged } from "../../support/html.ts";

const REFUSED = {
  values: { url: "nope", note: "\nsecond line", kind: "b" },
  errors: { url: "It must be an address." },
};

test("a text of several lines keeps its first line when that is empty", () => {
  const html = render(<LongTextField name="note" label="Note" filled={REFUSED} />);
  expect(tagged(parsed(html), "textarea")).toMatchObject([{ childNodes: [{ value: "\nsecond line" }] }]);
});

test("a field whose error is given by itself has the focus, as the first refused one of a form has", () => {
  const html = render(
    <>
      <TextField name="url" label="Address" filled={REFUSED} />
      <TextField name="note" label="Note" filled={REFUSED} />
      <TextField name="secret" label="Secret" error="It must be a key." />
      <TextField name="seen" label="Seen" error="It must be read." autofocus={false} />
    </>,
  );
  const focused = tagged(parsed(html), "input").filter((one) => attribute(one, "autofocus") !== undefined);
  expect(focused.map((one) => attribute(one, "name"))).toEqual(["url", "secret"]);
});
