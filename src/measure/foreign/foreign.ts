/**
 * Files that somebody else or a program wrote: vendored, generated, minified; and documents that are kept as pages. The facts are the
 * tables of this folder; many are those of GitHub's Linguist, without its broad patterns (cache/, env/, testdata/, .vscode/, tools/,
 * docs/). Where a name is used for both, the tree or the text has to prove it.
 */

import { words } from "../../base/text.ts";
import type { PathAttributes } from "../ignore.ts";
import { baseName, folderOf, foldersUp } from "../modules/facts.ts";
import { type Search, searchFor } from "../scan.ts";
import { isCompiled, isData, isIconFont, isMinified, isTablePage, isTranslation } from "./shapes.ts";

/** Why a file is none of the project's own. */
export type Foreign = "vendored" | "generated" | "minified" | "translation" | "document";

/** A source file as it is judged. */
interface Judged {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The lines before the first line of code: comments, as the counter of the file's language reads them. */
  readonly head: string;
  readonly attributes: PathAttributes;
}

/** Judges the files of one tree, which proves some of them; `paths` is all of it. */
export function foreignFiles(paths: readonly string[]) {
  const inTree = new Set(paths);
  const has = (path: string) => inTree.has(path);
  const isInVendoredFolder = vendoredFolders(paths);
  const styles = styleFolders(paths);
  return {
    /** By its path and what the repository says of it, before anything is read. */
    isVendored: (path: string, attributes: PathAttributes): boolean => {
      if (attributes.documentation === true) return true;
      if (attributes.vendored !== undefined) return attributes.vendored;
      return (
        isInVendoredFolder(path) ||
        isInStyleFolder(path, styles) ||
        VENDOR_PATTERNS.some((pattern) => pattern.test(path))
      );
    },
    /** A file that is not vendored by its path. */
    judge: (file: Judged): Foreign | undefined => {
      const { path, bytes, head, attributes } = file;
      const isLibrary = isLibraryFile(path, bytes.length) || hasLibraryBanner(path, head);
      if (attributes.vendored === undefined && isLibrary) return "vendored";
      if (attributes.generated ?? isGenerated(file, has)) return "generated";
      if (attributes.generated !== false && isMinified(path, bytes)) return "minified";
      if (attributes.generated !== false && isTranslation(path, file.text)) return "translation";
      return attributes.documentation !== false && PAGE.test(path) && isDocument(file.text)
        ? "document"
        : undefined;
    },
  };
}

/** Where a page or a scripts' head is looked at. */
const PAGE_START = 4_000;

const PAGE_END = 1_000;

const PAGE = /\.(?:x?html?)$/;

/** What a template says at its head it says of what is made with it. */
const TEMPLATE = /\.(?:j2|jinja2?|njk|twig|liquid|hbs|handlebars|mustache|erb|ejs)$/;

const STYLE = /\.(?:css|scss|sass|less|styl)$/;

function isGenerated({ path, text, head }: Judged, has: (path: string) => boolean): boolean {
  if (GENERATED_NAMES.some((pattern) => pattern.test(path))) return true;
  if (!TEMPLATE.test(path) && saysGenerated(head)) return true;
  if (PAGE.test(path))
    return pageSaysGenerated(text.slice(0, PAGE_START), text.slice(-PAGE_END)) || isTablePage(text);
  if (isCompiled(path, text, has)) return true;
  return STYLE.test(path) ? isIconFont(text) : isData(text) || startsAsGenerated(text);
}

function startsAsGenerated(text: string): boolean {
  const start = text.slice(0, PAGE_START);
  return GENERATED_STARTS.some((pattern) => pattern.test(start));
}

// Files that other people or programs wrote, by name alone.

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

// What programs say at the head of the files they write. Only the comments before the first line of code are asked:
// further down such words stand in templates of generators, in annotations and in stubs of editors.

/** Sentences by which a file says of itself that a program wrote it. */
export const GENERATED_SENTENCES: readonly RegExp[] = [
  /^[^\w\n]*Code generated (?:by|from|with|using)\b/m,
  /\bthis is an? (?:auto|automatically |machine)[- ]?generated (?:file|code|source|module|script)\b/i,
  /(?:^|[\s*])@generated\b/,
  /<auto-?generated\b/i,
  /\bgenerated (?:code|file|source)\b.{0,40}\bdo not (?:edit|modify|change)\b/i,
  /\bthis (?:file|code|module|header|class|source|script|page|document|program|parser)(?: \w+){0,3}? (?:is|was|has been) (?:an? )?(?:fully )?(?:(?:auto|machine)[- ]?|(?:automatically|programmatically|mechanically) )generated\b/i,
  /^[^\w\n]*(?:(?:auto|machine)[- ]?|automatically )generated (?:by|from|with|using|via)\b/im,
  /\bform implementation generated from reading ui file\b/i,
];

/** What some programs write after their first lines of code. */
export const GENERATED_STARTS: readonly RegExp[] = [
  /^\s*#include ["<]tree_sitter\/parser\.h[">]\s+#if defined\(__GNUC__\)/,
  /^[\s\S]{0,500}\/\* A lexical scanner generated by flex \*\//,
  // Emscripten, webpack, Parcel.
  /\bvar Module ?= ?typeof Module ?!==? ?["']undefined["']/,
  /^\/\*{6}\/ \((?:function|\()/,
  /^\s*\/\/ modules are defined as an array$/m,
];

/** Words that count together with a sentence that forbids to edit this very file. */
const MADE =
  /\b(?:re)?generated\b|\bcompiled (?:automatically|from)\b|\b(?:created|produced) (?:automatically|from|by running)\b/i;
const HANDS_OFF =
  /\b(?:do not|don't|dont|never) (?:edit|modify|change|touch)(?: (?:this|it\b|the (?:file|code|source)|by hand|manually|directly|anything|unless|\S{1,100} (?:manually|by hand|directly))| ?[.,;!*/-]|$)/im;

/** Generators that say no more than that they made the file. */
export const GENERATORS =
  /^(?:the )?(?:cython|antlr|gnu autoconf|bison|flex|aclocal|automake|libtool|thrift|protocol buffer|protoc|grpc|jooq|swig|coffeescript|peg\.?js|peggy|jison|ragel|re2c|gperf|bundler|setuptools[-_]scm|vcs-versioning|hatch-vcs|openapi|swagger|graphql|roxygen2|haxe|jaxb|xjc|wsdl2java|apache axis|rollup|webpack|browserify|tree-sitter|sorbet|tapioca|cbindgen|bindgen|uic|moc|wayland-scanner|pyuic\d?|pyrcc\d?|xsubpp|javacc|jflex|cup|yacc|lemon)\b/i;

/** How they say it: with the first words of a line, or of this file. What is said of other things stands in the middle. */
const MADE_BY =
  /^[^\w\n]*(?:generated automatically|(?:Automatically|File|file|Parser) generated|Generated(?: automatically)?|GENERATED|Created|Produced) by ([^\n]{1,60})/gm;
const THIS_MADE_BY =
  /\bthis (?:file|code|source|parser|script|module) (?:is|was|has been) (?:\w+ )?generated (?:automatically )?by ([^\n]{1,60})/gi;
const OTHER_WORDS =
  /\bgenerated from \S{1,200} by (?:antlr|jison|swig)\b|\bbison parser\b.{0,20}\bmade by\b/i;

function namesGenerator(text: string, flowing: string): boolean {
  const makers = [...text.matchAll(MADE_BY), ...flowing.matchAll(THIS_MADE_BY)];
  return OTHER_WORDS.test(flowing) || makers.some(([, maker = ""]) => GENERATORS.test(maker));
}

/** What starts a project or a file for people to go on with: theirs from then on. */
const SCAFFOLD =
  /\b(?:django-admin|startproject|startapp|inspectdb|rails generate|quickstart|generated by django \d|heavily by hand|create-[a-z]+-app|cookiecutter|yeoman|please adjust)\b/i;

/** What opens a comment, or goes on with one. */
const MARK = /^[ \t]*(?:\/\/+|\/?\*+|#+|--|;+|%+|"""|''')?[ \t]*/;

/** Whether the comments at the head of a file say that a program wrote it. */
function saysGenerated(head: string): boolean {
  const text = head
    .split("\n")
    .map((line) => line.replace(MARK, ""))
    .join("\n");
  // Read as one text: the sentences run over the lines of a comment.
  const flowing = text.replace(/\s+/g, " ");
  if (SCAFFOLD.test(flowing)) return false;
  return (
    GENERATED_SENTENCES.some((sentence) => sentence.test(sentence.multiline ? text : flowing)) ||
    (MADE.test(flowing) && HANDS_OFF.test(flowing)) ||
    namesGenerator(text, flowing)
  );
}

/** Markup says it in an element: of a documentation builder, a word processor, or a browser that saved a page. */
const MARKUP_GENERATOR =
  /<meta\b[^>]{0,100}\bname=["']?generator["']?[^>]{0,100}\bcontent=["']([^"'<{]{1,200})["']/i;
const MARKUP_COMMENT =
  /<!--\s*(?:generated (?:by|with|from|on)\b|saved from url=|this (?:page|file|document) (?:is|was|has been) (?:automatically |auto-?)?generated\b|html (?:header|footer) for doxygen|page generated by)/i;
/** What a documentation builder writes at the foot. */
const PAGE_FOOTER = /\bdocumentation (?:is |was )?(?:automatically )?generated (?:by|with|using|on)\b/i;
const COVERAGE =
  /<title>[^<]{0,200}\bcode coverage report\b|<title>coverage report\b|\bclass=["']?coverage-summary\b/i;

/** Whether a page says that a program wrote it; a page with a template's marks is a template. */
function pageSaysGenerated(start: string, end: string): boolean {
  if (MARKUP_GENERATOR.test(start) || MARKUP_COMMENT.test(start) || COVERAGE.test(start)) return true;
  return PAGE_FOOTER.test(end);
}

// Pages that are documents: prose with some markup, as Markdown is. A manual that is kept as a page is no code.

/** How much prose makes a document, and how much of the page it is. */
export const DOCUMENT = { minProse: 5_000, share: 0.5, paragraph: 80 } as const;

/** Elements that stand within a sentence. */
const INLINE = new Set(
  words("a abbr b br cite code del dfn em font i ins kbd mark q s samp small span strong sub sup tt u var"),
);

/** What a template language or a framework puts into a page: such a page is the project's own work. */
const FILLED_PAGE = /\{%|<%|<\?(?:php|=)|\{\{-?\s{0,9}[\w#/>@$]|\s(?:v-|ng-|th:|x-|hx-)[\w:.-]{1,50}=/;
const WHOLE_PAGE = /<html\b/i;
const LOOKED_AT = 300_000;

/** Whether a page is a document. */
function isDocument(text: string): boolean {
  const page = text.slice(0, LOOKED_AT);
  if (page.length < DOCUMENT.minProse || !WHOLE_PAGE.test(page) || FILLED_PAGE.test(page)) return false;
  let prose = 0;
  let all = 0;
  for (const { words, tags } of blocks(page)) {
    all += words + tags;
    if (words >= DOCUMENT.paragraph) prose += words;
  }
  return prose >= DOCUMENT.minProse && prose >= all * DOCUMENT.share;
}

/** The text between two block elements, and the tag that ends it, each by its visible length. Scripts and styles count as their tag. */
function* blocks(page: string): Generator<{ words: number; tags: number }> {
  const opens = searchFor(page, "<");
  const ends = searchFor(page, ">");
  const skips = {
    "!--": searchFor(page, "-->"),
    script: searchFor(page, /<\/script/gi),
    style: searchFor(page, /<\/style/gi),
  };
  let words = 0;
  for (let at = 0; at < page.length; ) {
    const open = opens(at)?.at ?? page.length;
    words += visible(page, at, open);
    const name = /^\/?(!--|[a-z][a-z0-9]*)/i.exec(page.slice(open + 1, open + 20))?.[1]?.toLowerCase() ?? "";
    const skip: Search = Object.hasOwn(skips, name) ? skips[name as keyof typeof skips] : ends;
    const end = (skip === ends ? ends(open) : skip(open + 1))?.end ?? page.length;
    at = Math.max(end, open + 1);
    if (INLINE.has(name)) continue;
    yield { words, tags: skip === ends ? visible(page, open, end) : name.length };
    words = 0;
  }
  yield { words, tags: 0 };
}

/** Characters, a run of white space as one. */
function visible(page: string, from: number, to: number): number {
  let count = 0;
  let space = true;
  for (let at = from; at < to; at++) {
    const isSpace = page.charCodeAt(at) <= 32;
    if (!isSpace || !space) count++;
    space = isSpace;
  }
  return count;
}

// Browser libraries that lie in a project as files: by name where only copies lie, by banner anywhere.

/** Names that are no other word: a large file of such a name where a web site serves files from is the library. */
export const OWN_NAMES = words(`
  alpinejs bootstrap ckeditor codemirror d3 datatables echarts easymde flatpickr font-awesome fontawesome
  fullcalendar highcharts html5shiv htmx jquery jqueryui jstree katex knockout lodash mathjax modernizr moment
  mootools raphael react-dom scriptaculous select2 selectize simplemde sizzle summernote swagger-ui sweetalert2
  tinymce tiny_mce toastr tom-select underscore zepto zxcvbn
`);

/** Names of libraries as their files are called, those that are other words too. */
export const LIBRARIES = [
  ...OWN_NAMES,
  ...words(`
  ace alpine angular animate axios backbone bootswatch bulma chart chosen clipboard cropper dayjs dropzone ember
  fontello foundation fuse handlebars hammer highlight hyperscript intro leaflet lunr materialize mermaid mustache
  ng-file-upload normalize photoswipe pikaday plotly popper prettify prism prototype purify quill react redoc
  require respond slick socket.io sortable spin stimulus sweetalert swiper tailwind three turbo typeahead uikit
  video vue
  `),
];

/** A smaller file of that name sets the library up. */
const LARGE_BYTES = 20_000;

/** Files of these kinds are copied; sources in other languages come from packages. */
const COPIED = /\.(?:js|mjs|cjs|css|less|scss)$/;

const SERVED = /(?:^|\/)(?:static|public|assets|wwwroot|www)\//;

/** What a library's own build appends to its name; at least one of it is there. */
const VARIANT =
  /^(?:[.-](?:v?\d[\d.]*|min|slim|bundle|umd|esm|pkgd|standalone|all|full|core|theme|grid|rtl|debug|prod|production|development))+$/;
const BUILT = /v?\d+\.\d|[.-]v\d|[.-](?:slim|bundle|umd|esm|pkgd|standalone)\b/;

const BY_LENGTH = [...LIBRARIES].sort((a, b) => b.length - a.length);
const OWN = new Set(OWN_NAMES);

/** Whether the file is a copy of a library by its name. */
export function isLibraryFile(path: string, size: number): boolean {
  if (!COPIED.test(path)) return false;
  const name = baseName(path).toLowerCase();
  // Plug-ins of jQuery are named after it, and its name is no other word.
  if (/^jquery[.-].*\.(?:js|css)$|^jquery\.js$/.test(name)) return true;
  const stem = name.replace(COPIED, "").replace(/\.js$/, "");
  if (OWN.has(stem)) return size >= LARGE_BYTES && SERVED.test(path) && /\.(?:js|css)$/.test(path);
  const library = BY_LENGTH.find((one) => stem.startsWith(one));
  const variant = stem.slice(library?.length ?? stem.length);
  return VARIANT.test(variant) && BUILT.test(variant);
}

/** A library's name and version at the start of a line, as banners have it. */
const BANNER = new RegExp(
  `^[ \\t/*!]*(?:${BY_LENGTH.map((name) => name.replace(/[.-]/g, "[ .-]?")).join("|")})(?:[ .:-]?[\\w.,: -]{0,40})?[ (:]v?\\d+\\.\\d+(?:\\.\\d+)?\\b`,
  "im",
);
const TERMS = /licen[cs]e|\bMIT\b|copyright|\(c\)|https?:\/\//i;

/**
 * A release of any name: `Name v1.2` or `Name 1.2.3` near the top, or a tag for the version. A licence has a version as well,
 * but no release.
 */
export const RELEASES: readonly RegExp[] = [
  /^[ \t/*!#]*(?:name[ \t]*:[ \t]*)?(?!(?:based|built|compatible|depends|for|needs|requires?|tested|uses|works)\b)(?!.{0,60}\b(?:licen[cs]e|[al]?gpl|apache|mozilla)\b.{0,20}\d)[a-z][\w.@/-]{0,40}(?: [\w.@/()-]{1,40}){0,5}?[ \t:|,(-]{1,5}(?:v(?:ersion )?\d+\.\d+|\d+\.\d+\.\d+)\b/im,
  /^[ \t/*!#]*@?version[ \t]*:?[ \t]*v?\d+\.\d+/im,
];
const RELEASE_LINES = 12;
const LICENCE = /licen[cs]ed?\b|\bMIT\b|\b[AL]?GPL\b|\bBSD\b/i;

/** Whether the comments with which a script or a style sheet starts are a library's banner; where files are served, of any release. */
function hasLibraryBanner(path: string, head: string): boolean {
  if (!COPIED.test(path)) return false;
  if (TERMS.test(head) && BANNER.test(head)) return true;
  if (!SERVED.test(path) || !LICENCE.test(head)) return false;
  const start = head.split("\n", RELEASE_LINES).join("\n");
  return RELEASES.some((release) => release.test(start));
}

/** Style libraries whose sources are copied as a folder: its name, and files that prove that it is the library. */
export const STYLE_FOLDERS: readonly (readonly [folder: string, files: readonly string[]])[] = [
  ["bootstrap", ["variables", "mixins", "carousel", "jumbotron"]],
  ["bootstrap", ["variables", "mixins", "carousel", "reboot"]],
  ["font-awesome", ["icons", "core", "variables"]],
  ["fontawesome", ["icons", "core", "variables"]],
  ["bourbon", ["bourbon"]],
];

/** The folders of a tree that are a copied style library. */
function styleFolders(paths: readonly string[]): ReadonlySet<string> {
  const stems = new Map<string, Set<string>>();
  for (const path of paths) {
    if (!STYLE.test(path)) continue;
    const stem = baseName(path).replace(STYLE, "").replace(/^_/, "");
    stems.getOrInsert(folderOf(path), new Set()).add(stem);
  }
  const found = [...stems].filter(([folder, has]) => {
    const name = baseName(folder).toLowerCase();
    return STYLE_FOLDERS.some(([one, files]) => one === name && files.every((file) => has.has(file)));
  });
  return new Set(found.map(([folder]) => folder));
}

/** Whether a style sheet lies in one of these folders. */
function isInStyleFolder(path: string, folders: ReadonlySet<string>): boolean {
  if (folders.size === 0 || !STYLE.test(path)) return false;
  return foldersUp(folderOf(path)).some((folder) => folders.has(folder));
}

// Folders that hold other people's code or the output of a build.

/** Segments that hold them wherever they stand: those that say so, and those that tools make. */
export const VENDOR_SEGMENT = /^_?vendor(?:ed)?$|^(?:third|3rd)[_-]?party$/;
export const VENDOR_SEGMENTS: readonly string[] = words(`
  node_modules bower_components jspm_packages site-packages Pods Carthage Godeps .next .nuxt .output .svelte-kit
  .docusaurus _build
`);

/**
 * Segments that hold other people's code in one project and the project's own in the next: `deps/` is where C projects keep the
 * libraries they build, and where a web service keeps what its routes depend on; `vendors/` are merchants in a shop. They count as
 * other people's when a licence or a minified file lies in them, at most one folder down.
 */
export const DOUBTFUL_SEGMENTS: readonly string[] = words(
  "deps dependencies vendors extern external externals",
);

const LICENCE_FILE = /^(?:licen[cs]es?|copying|copyright|unlicense)(?:[.-][^/]*)?$/i;
const MINIFIED_NAME = /[.-]min\.(?:js|css)$/;

/** Build output of web code; `dist/` of other languages holds packaging scripts. */
const WEB_OUTPUT = /(?:^|\/)dist\/(?:.*\/)?[^/]+\.(?:[cm]?[jt]sx?|css|html?|map|vue)$/;

/** The measuring command itself, where its action was written into a repository: the folder above what its image is built from. */
const CARRIED = /^(\.(?:github|forgejo|gitea|gitlab)\/(?:actions\/)?codebase-report\/)image\/Dockerfile$/;

const CERTAIN = new Set(VENDOR_SEGMENTS);
const DOUBTFUL = new Set(DOUBTFUL_SEGMENTS);

/** Says of any path whether it lies in a folder of other people's code; `paths` is the whole tree. */
export function vendoredFolders(paths: readonly string[]): (path: string) => boolean {
  const proved = new Set(paths.flatMap(provedBy));
  const carried = paths.flatMap((path) => CARRIED.exec(path)?.[1] ?? []);
  return (path) => {
    const folders = path.split("/").slice(0, -1);
    return (
      folders.some((folder) => CERTAIN.has(folder) || VENDOR_SEGMENT.test(folder)) ||
      WEB_OUTPUT.test(path) ||
      carried.some((folder) => path.startsWith(folder)) ||
      folders.some((folder, at) => DOUBTFUL.has(folder) && proved.has(folders.slice(0, at + 1).join("/")))
    );
  };
}

/** The doubtful folders that this file proves to be other people's. */
function provedBy(path: string): string[] {
  const folders = path.split("/");
  const name = folders.pop() ?? "";
  if (!LICENCE_FILE.test(name) && !MINIFIED_NAME.test(name)) return [];
  return folders.flatMap((folder, at) =>
    DOUBTFUL.has(folder) && at >= folders.length - 2 ? [folders.slice(0, at + 1).join("/")] : [],
  );
}
