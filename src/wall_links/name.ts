import * as v from "valibot";
import { rule, text } from "../lib/contract.ts";

/** The longest name of a link, in characters. */
export const LONGEST_NAME = 64;

/** What a link is called: words on one line. Two names that look alike but differ in Unicode form cannot both exist: it is kept in NFC. */
const NameSchema = v.pipe(
  text(LONGEST_NAME),
  rule<string>("link-name", (name) => /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name), "must be words on one line"),
);

/** The name that a text stands for; undefined when it is none. */
export function linkNameOf(typed: string): string | undefined {
  const name = v.safeParse(NameSchema, typed.isWellFormed() ? typed.normalize("NFC").trim() : typed);
  return name.success ? name.output : undefined;
}
