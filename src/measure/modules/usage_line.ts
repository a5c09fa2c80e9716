/** A file whose own head says how to start it is started by hand. */

const HEAD = 2_000;
const USAGE =
  /\b(?:usage|run(?: (?:it|this))?(?: (?:with|as|like this))?|execute)[ \t]{0,3}:\s{0,10}(?:[#*/$>`]{1,3}[ \t]{0,5}){0,4}(?:node|bun|deno|tsx|ts-node|npx|python[\d.]{0,5}|uv run|poetry run|pipenv run|scrapy runspider|\.\/)\s?/i;

/** Whether a comment at the head of a text tells how to run it. */
export function saysHowToRun(text: string): boolean {
  return USAGE.test(text.slice(0, HEAD));
}
