import { expect, test } from "bun:test";
import { dependencies } from "../package.json";
import { missingPackages, ROOT } from "../src/app/prepare.ts";

test("nothing is missing where the tests run, and every dependency of the product is of one version", () => {
  expect(missingPackages(ROOT)).toStrictEqual([]);
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
});
