/**
 * `/help`: the manual, the files of `.github/docs` as they stand in a checkout and in the image. Bun parses the Markdown into a tree, and
 * our own JSX writes it, so that it is escaped as everything else is: markup within the files stays text.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { orNotFound } from "../base/problem.ts";
import type { PageGround } from "./ground.ts";
import { type Child, type Component, Fragment, jsx } from "./jsx/jsx-runtime.ts";
import { List } from "./kit/list.tsx";
import { get, mounted } from "./kit/route.ts";
import { Tabs } from "./kit/site_state.tsx";
import { Page } from "./layout.tsx";
import { paths } from "./paths.ts";

const FOLDER = join(import.meta.dir, "..", "..", ".github", "docs");

/** The pages of the manual in the order they are read, with what each is about. */
export const MANUAL = [
  { name: "sending", words: "Sending", about: "Reports, deploys, revenue, past years, the read API" },
  { name: "providers", words: "Providers", about: "Google, Bing, states, search panels, calendars" },
  { name: "archive", words: "Archive", about: "Full provider reports, and queries over them" },
  { name: "rules", words: "Flags and rules", about: "Working through flags, what rules compare, thresholds" },
  { name: "measuring", words: "Measuring", about: "Codebase reports, from a checkout or a workflow" },
  {
    name: "operating",
    words: "Operating",
    about: "Proxies, backups, upgrades, notices, Prometheus, the Wall",
  },
  { name: "commands", words: "Commands", about: "The command line" },
  { name: "settings", words: "Settings", about: "Environment variables" },
] as const;

/** `/help` and `/help/{page}`. */
export function helpRoutes(deps: PageGround) {
  return mounted(deps, [
    get(paths.help, {}, () => (
      <Page title="Help" current="help" still>
        <h1>Help</h1>
        <List
          of="Pages of the manual"
          items={MANUAL}
          columns={[
            [
              "Page",
              ({ name, words }) => (
                <a href={paths.helpPage(name)} data-row>
                  {words}
                </a>
              ),
            ],
            ["About", ({ about }) => about, { class: "all" }],
          ]}
        />
      </Page>
    )),
    get(paths.helpPage, {}, ({ params }) => {
      const page = orNotFound(
        MANUAL.find(({ name }) => name === params.page),
        "The manual has no such page.",
      );
      // Read within the turn in which the frame around it reads the database: a page is of one moment.
      return <HelpPage of={page} text={readFileSync(join(FOLDER, `${page.name}.md`), "utf8")} />;
    }),
  ]);
}

/** A page of the manual, under the links to all of them. */
function HelpPage(props: { readonly of: (typeof MANUAL)[number]; readonly text: string }) {
  const { name, words } = props.of;
  const tree = parsed(props.text);
  return (
    <Page title={`${words}, help`} current="help" still>
      <Tabs
        label="Manual"
        tabs={MANUAL.map((page) => ({
          href: paths.helpPage(page.name),
          words: page.words,
          current: page.name === name,
        }))}
      />
      <div class="manual">
        <nav aria-label="On this page">
          <ul>
            {tree
              .filter((node) => typeof node !== "string" && node.type === "h2")
              .map((node) => (
                <li>
                  <a href={`#${idOf(node)}`}>{written(childrenOf(node))}</a>
                </li>
              ))}
          </ul>
        </nav>
        <article>{written(tree)}</article>
      </div>
    </Page>
  );
}

/** Bun's elements are those of React: text, or a type with props. */
type Node = string | { readonly type: string | symbol; readonly props: NodeProps };
interface NodeProps extends Readonly<Record<string, unknown>> {
  readonly children?: readonly Node[];
}

const childrenOf = (node: Node): readonly Node[] =>
  typeof node === "string" ? [] : (node.props.children ?? []);
const idOf = (node: Node): string => (typeof node === "string" ? "" : String(node.props["id"]));

/** What is written in another way than its name: what scrolls by itself can be reached by keyboard. */
const OURS: ReadonlyMap<string, Component<never>> = new Map<string, Component<never>>([
  ["a", Link],
  ["pre", CodeBlock],
  ["table", Table],
  ["th", ({ children }: { readonly children: Child }) => <th scope="col">{children}</th>],
]);

function Link({ href, children }: { readonly href: string; readonly children: Child }) {
  return <a href={placeOf(href)}>{children}</a>;
}

function CodeBlock({ children }: { readonly children: Child }) {
  return (
    <pre tabindex={0}>
      <code>{children}</code>
    </pre>
  );
}

function Table({ children }: { readonly children: Child }) {
  return (
    <div class="scroll" tabindex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  );
}

function parsed(text: string): readonly Node[] {
  const options = { headings: { ids: true }, noHtmlBlocks: true, noHtmlSpans: true };
  return childrenOf(Bun.markdown.react(text, {}, options) as unknown as Node);
}

function written(nodes: readonly Node[]): Child {
  return nodes.map((node) => {
    if (typeof node === "string") return node;
    const children = written(childrenOf(node));
    if (typeof node.type === "symbol") return <Fragment>{children}</Fragment>;
    return jsx(OURS.get(node.type) ?? node.type, { ...node.props, children });
  });
}

/** The address of a link: beside each other the files name one another by their own names. */
function placeOf(href: string): string {
  return href.replace(/^(\w+)\.md(?=#|$)/, (_, name: string) => paths.helpPage(name));
}
