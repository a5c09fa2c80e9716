/** A problem document as it came over the wire. */

import { expect } from "bun:test";
import { PROBLEMS, type ProblemCode } from "../../src/base/problem.ts";

export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly errors?: readonly { readonly pointer: string; readonly rule: string; readonly message: string }[];
  readonly more?: number;
}

/** Asserts that an answer is the problem document of `code`, whole, and returns it. */
export async function expectProblem(response: Response, code: ProblemCode): Promise<ProblemBody> {
  const text = await response.text();
  expect({ status: response.status, type: response.headers.get("content-type"), text }).toMatchObject({
    status: PROBLEMS[code].status,
    type: "application/problem+json",
  });
  const body = JSON.parse(text) as ProblemBody;
  expect(body).toMatchObject({ type: `/problems/${code}`, ...PROBLEMS[code] });
  expect(body.detail).not.toBe("");
  expect(response.headers.get("x-request-id")).toBe(body.instance);
  return body;
}

/** The broken rules of a 422, as `pointer rule`, sorted. */
export async function expectBroken(response: Response): Promise<string[]> {
  const { errors = [] } = await expectProblem(response, "broken-contract");
  return errors.map(({ pointer, rule }) => `${pointer} ${rule}`).sort();
}
