import type { Child } from "../jsx/jsx-runtime.ts";
import { Page } from "../layout.tsx";
import type { Shell } from "../shell.ts";
import { type SettingsPart, SettingsTabs } from "./tabs.tsx";

/** A page of the settings: its heading over the links to the other parts. */
export function SettingsFrame(props: {
  readonly shell: Shell;
  readonly title: string;
  /** Null on a page below one of the parts. */
  readonly current: SettingsPart | null;
  readonly children: Child;
}) {
  return (
    <Page shell={props.shell} title={props.title} current="settings">
      <div class="stack tight">
        <h1>{props.title}</h1>
        <SettingsTabs current={props.current} />
      </div>
      {props.children}
    </Page>
  );
}
