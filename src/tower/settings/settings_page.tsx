import { Tabs } from "../component/tabs.tsx";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";

/** The parts of the settings that have a page. */
const PARTS = [
  [paths.settings, "Overview"],
  [paths.constants, "Constants"],
  [paths.calibration, "Calibration"],
  [paths.credentials, "Credentials"],
  [paths.notices, "Notices"],
  [paths.calendars, "Calendars"],
  [paths.panels, "Search panels"],
  [paths.tokens, "Tokens"],
  [paths.wallLinks, "Wall"],
  [paths.operators, "Operators"],
  [paths.audit, "Audit"],
  [paths.sessions, "Sessions"],
] as const;

/** A page of the settings, under the links to all of them. */
export function SettingsPage(props: {
  readonly shell: Shell;
  /** The part it belongs to, by its address. */
  readonly part: (typeof PARTS)[number][0];
  readonly title: string;
  /** The heading, where it is more than the title's words. */
  readonly heading?: Child;
  /** Where it stands below its part. */
  readonly crumb?: Child;
  readonly note?: Child;
  /** It is worked on, and never refreshes. */
  readonly still?: boolean;
  readonly children: Child;
}) {
  const { part, title, crumb, note } = props;
  const tabs = PARTS.map(([href, words]) => ({ href, words, current: href === part }));
  return (
    <Page shell={props.shell} title={title} current="settings" still={props.still ?? false}>
      <div class="stack tight">
        {crumb === undefined ? null : <p class="crumb">{crumb}</p>}
        <h1>{props.heading ?? title}</h1>
        <Tabs label="Settings" tabs={tabs} />
        {note === undefined ? null : <p class="note">{note}</p>}
      </div>
      {props.children}
    </Page>
  );
}
