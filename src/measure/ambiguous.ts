/** Extensions that two languages share: which of them a file is in shows at the start of some line. */

/** How a language of this extension is known; the first that fits is taken, and `undefined` is no language. */
export interface Choice {
  /** Found in the start of the text; without one the choice is what is left. */
  readonly shows?: RegExp;
  readonly language: string | undefined;
}

const OBJECTIVE_C = /^[ \t]*(?:#import\b|@(?:interface|implementation|protocol|property|class|end)\b)/m;

/** What only C++ has, as it opens a line. */
const CPP =
  /^[ \t]*(?:namespace\b|template[ \t]*<|class[ \t]+\w+[ \t]*(?:final[ \t]*)?(?:[:{]|$)|using[ \t]+(?:namespace\b|\w+[ \t]*=|[\w:]+;)|(?:public|private|protected)[ \t]*:|constexpr\b)/m;
const CPP_INCLUDE = /^[ \t]*#[ \t]*include[ \t]*<[a-z_]+>/m;

export const AMBIGUOUS: Readonly<Record<string, readonly Choice[]>> = {
  h: [
    { shows: OBJECTIVE_C, language: "Objective-C" },
    { shows: CPP, language: "C++" },
    // Written for both, with a part for the other.
    { shows: /\b__cplusplus\b/, language: "C" },
    { shows: CPP_INCLUDE, language: "C++" },
    { language: "C" },
  ],
  m: [
    {
      shows:
        /^[ \t]*(?:[#@](?:import|include|interface|implementation|protocol|end|class|define)\b|\/\/|\/\*)/m,
      language: "Objective-C",
    },
    { shows: /^[ \t]*(?:%|function\b|classdef\b|end\b)/m, language: "MATLAB" },
    { language: "Objective-C" },
  ],
  pl: [
    { shows: /^#!.*\bperl|^[ \t]*(?:use|my|our|sub|package|require)\b/m, language: "Perl" },
    { shows: /^[ \t]*:-|^[a-z]\w*(?:\([^\n]{0,500}\))?[ \t]*:-/m, language: "Prolog" },
    { language: "Perl" },
  ],
  t: [
    { shows: /^#!.*\bperl|^[ \t]*use[ \t]+(?:strict|warnings|Test\b|lib\b|v?5)/m, language: "Perl" },
    { language: undefined },
  ],
  // Qt's translations are XML, and so are video streams no source.
  ts: [{ shows: /^\s*<(?:\?xml|!DOCTYPE TS)/, language: undefined }, { language: "TypeScript" }],
  // Compilers write the dependencies of an object file for make; start scripts of services end in `.d` as well.
  d: [
    { shows: /^#!/, language: "Shell" },
    { shows: /^[^\s;{}:]+\.(?:o|lo|obj|d)\b[^\n;{}:]*:/m, language: undefined },
    { language: "D" },
  ],
  inc: [
    { shows: /^\s*<\?php/, language: "PHP" },
    { shows: /^[ \t]*#[ \t]*(?:include|define|ifn?def|if)\b/m, language: "C" },
    { language: undefined },
  ],
  fs: [
    {
      shows: /^[ \t]*(?:#version|#extension|precision|uniform|varying|attribute|void main)\b/m,
      language: "GLSL",
    },
    { language: "F#" },
  ],
};

/** How much of a file is looked at. */
const START_BYTES = 20_000;

/** The language of a file with such an extension; `"unknown"` for any other extension. */
export function chooseLanguage(extension: string, bytes: Uint8Array): string | undefined | "unknown" {
  const choices = Object.hasOwn(AMBIGUOUS, extension) ? AMBIGUOUS[extension] : undefined;
  if (choices === undefined) return "unknown";
  const text = new TextDecoder().decode(bytes.subarray(0, START_BYTES));
  return choices.find(({ shows }) => shows === undefined || shows.test(text))?.language;
}
