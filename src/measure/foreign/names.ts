/** Files that other people or programs wrote, by name alone. */

/** What projects carry along for others. */
export const VENDOR_PATTERNS: readonly RegExp[] = [
  /(^|\/)\.yarn\/(releases|plugins|sdks|versions|unplugged|cache|patches)\//,
  /(^|\/)\.pnp\.(c|m)?js$/,
  /[.-]min\.(js|css)$/,
  // Declarations describe code that lies elsewhere.
  /\.d\.[cm]?ts$/,
  // Wrappers of build tools.
  /(^|\/)gradlew(\.bat)?$/,
  /(^|\/)mvnw(\.cmd)?$/,
  /(^|\/)(erlang\.mk|rebar3?|waf)$/,
  // Helper scripts that the GNU build tools copy into a project.
  /(^|\/)(config\.guess|config\.sub|config\.rpath|ltmain\.sh|install-sh|depcomp|ylwrap|mkinstalldirs|test-driver|ar-lib|py-compile|mdate-sh|texinfo\.tex)$/,
  /(^|\/)(aclocal|libtool|lt~obsolete|ltoptions|ltsugar|ltversion|pkg|ax_\w+)\.m4$/,
  // Libraries that come as one file.
  /(^|\/)normalize\.(css|less|scss|styl)$/,
  /(^|\/)(sqlite3(ext)?\.[ch]|ppport\.h|catch(_amalgamated)?\.(hpp|cpp)|stb_\w+\.h)$/,
  /(^|\/)(get-pip|ez_setup|distribute_setup|versioneer|cpplint|docopt|six)\.py$/,
];

/** Names that code generators give. */
export const GENERATED_NAMES: readonly RegExp[] = [
  /_pb2(_grpc)?\.pyi?$/,
  /\.pb(\.\w+)?\.(go|cc|h|swift)$/,
  /_pb\.(js|rb)$/,
  /\.(g|freezed|gr|mocks)\.dart$/,
  /\.designer\.(cs|vb)$/i,
  /\.feature\.cs$/,
  /\.(g|g\.i)\.cs$/,
  /\.generated\.[A-Za-z]+$/,
  /\.gen\.(go|ts|tsx|js)$/,
  // yacc and lex.
  /(^|\/)lex\.yy\.[ch]+$/,
  /\.tab\.[ch]+$/,
];
