import { Block } from "../component/block.tsx";
import { DataTable } from "../component/table.tsx";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Page } from "../layout.tsx";
import type { Shell } from "../shell.ts";
import { SettingsTabs } from "./tabs.tsx";

/** One part of the settings: where it is, what it is for, and how it stands. */
export interface SettingsEntry {
  readonly href: string;
  readonly words: string;
  readonly purpose: string;
  readonly standing: Child;
}

/** The parts of the settings with how each stands. */
export function SettingsPage({
  shell,
  entries,
}: {
  readonly shell: Shell;
  readonly entries: readonly SettingsEntry[];
}) {
  return (
    <Page shell={shell} title="Settings" current="settings">
      <div class="stack tight">
        <h1>Settings</h1>
        <SettingsTabs current="overview" />
      </div>
      <Block heading="Parts">
        <DataTable
          fold
          caption="Parts of the settings"
          items={entries}
          columns={[
            {
              words: "Part",
              names: true,
              cell: ({ href, words }) => (
                <a href={href} data-row>
                  {words}
                </a>
              ),
            },
            { words: "What it is for", class: "all", cell: ({ purpose }) => purpose },
            { words: "Now", label: true, cell: ({ standing }) => standing },
          ]}
        />
        <p class="note">
          A site's address, lifecycle, metric families and tokens are on its own Settings tab. How the service
          is reached and where it keeps its data is set by its environment.
        </p>
      </Block>
    </Page>
  );
}
