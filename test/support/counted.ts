/** Counts in a text whose nouns do not agree with them: "1 families", "2 file". */
const NOUNS =
  "days?|nights?|hours?|minutes?|seconds?|files?|functions?|lines?|flags?|sites?|reports?|metrics?|tests?|entr(?:y|ies)|annotations?|versions?|tokens?|runs?|mistakes?|famil(?:y|ies)|pages?|windows?|patterns?|rules?|figures?|differences?|process(?:es)?";
/** A noun that another follows is no count's own: "3 site tokens". */
const COUNTED = new RegExp(
  `(?<![\\d.,]|of |version )\\b(\\d[\\d,]*) (?:more |open |nightly |other |stored )?(${NOUNS})\\b(?! (?:line|token))`,
  "g",
);
/** A verb right after its counted noun. */
const VERBS = /(?<![\d.,:]|of )\b(\d[\d,]*) (?:\w+ )?\w+ (is|are|was|were|has|have|waits|wait)\b/g;

const isPlural = (noun: string): boolean =>
  noun.startsWith("process") ? noun !== "process" : noun.endsWith("s");

export function disagreeing(text: string): string[] {
  const nouns = [...text.matchAll(COUNTED)].filter(
    ([, count, noun = ""]) => (count === "1") === isPlural(noun),
  );
  const verbs = [...text.matchAll(VERBS)].filter(
    ([, count, verb = ""]) => (count === "1") !== ["is", "was", "has", "waits"].includes(verb),
  );
  return [...nouns, ...verbs].map(([words]) => words);
}
