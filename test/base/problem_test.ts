import { expect, test } from "bun:test";
import { PROBLEMS, Problem, type ProblemCode, problemResponse } from "../../src/base/problem.ts";
import { expectProblem } from "../support/problem.ts";

for (const code of Object.keys(PROBLEMS) as ProblemCode[]) {
  test(`${code} is an RFC 9457 document: type, title, status, detail, and the request id as instance (decisions 3)`, async () => {
    const response = problemResponse(new Problem(code, "What happened."), "the-id");
    response.headers.set("x-request-id", "the-id");
    expect(await expectProblem(response, code)).toEqual({
      type: `/problems/${code}`,
      ...PROBLEMS[code],
      detail: "What happened.",
      instance: "the-id",
    });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });
}

test("broken rules are listed, and how many more there are only when there are more", async () => {
  const errors = [{ pointer: "/a", rule: "type", message: "must be a string" }];
  const body = async (more: number) =>
    problemResponse(new Problem("broken-contract", "x", { errors, more }), "id").json();
  expect(await body(0)).toMatchObject({ errors });
  expect(await body(0)).not.toHaveProperty("more");
  expect(await body(3)).toMatchObject({ errors, more: 3 });
});

test("a refusal's own headers go with it", () => {
  expect(
    problemResponse(new Problem("method-not-allowed", "x", { headers: { allow: "POST" } }), "id").headers.get(
      "allow",
    ),
  ).toBe("POST");
});
