import { expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { LongTextField } from "../../../src/tower/kit/field.tsx";
import { parsed, tagged } from "../../support/html.ts";

const REFUSED = {
  values: { url: "nope", note: "\nsecond line", kind: "b" },
  errors: { url: "It must be an address." },
};

test("a text of several lines keeps its first line when that is empty", () => {
  const html = render(<LongTextField name="note" label="Note" filled={REFUSED} />);
  expect(tagged(parsed(html), "textarea")).toMatchObject([{ childNodes: [{ value: "\nsecond line" }] }]);
});
