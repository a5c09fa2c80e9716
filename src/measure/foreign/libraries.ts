/** Browser libraries that lie in a project as files: by name where only copies lie, by banner anywhere. */

import { words } from "../words.ts";

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
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
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
export function hasLibraryBanner(path: string, head: string): boolean {
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

const STYLE = /\.(?:css|scss|sass|less|styl)$/;

/** The folders of a tree that are a copied style library. */
export function styleFolders(paths: readonly string[]): ReadonlySet<string> {
  const stems = new Map<string, Set<string>>();
  for (const path of paths) {
    if (!STYLE.test(path)) continue;
    const slash = path.lastIndexOf("/");
    const folder = path.slice(0, Math.max(0, slash));
    const stem = path
      .slice(slash + 1)
      .replace(STYLE, "")
      .replace(/^_/, "");
    stems.set(folder, (stems.get(folder) ?? new Set()).add(stem));
  }
  const found = [...stems].filter(([folder, has]) => {
    const name = folder.slice(folder.lastIndexOf("/") + 1).toLowerCase();
    return STYLE_FOLDERS.some(([one, files]) => one === name && files.every((file) => has.has(file)));
  });
  return new Set(found.map(([folder]) => folder));
}

/** Whether a style sheet lies in one of these folders. */
export function isInStyleFolder(path: string, folders: ReadonlySet<string>): boolean {
  if (folders.size === 0 || !STYLE.test(path)) return false;
  const parts = path.split("/").slice(0, -1);
  return parts.some((_, at) => folders.has(parts.slice(0, at + 1).join("/")));
}
