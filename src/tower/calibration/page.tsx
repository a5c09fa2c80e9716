import type { Calibration } from "../../flow/mod.ts";
import { Page } from "../layout.tsx";
import { SettingsTabs } from "../settings/tabs.tsx";
import type { Shell } from "../shell.ts";
import { CalibrationPanel } from "./panel.tsx";
import { SpreadList, type Spreads } from "./spreads.tsx";

/** The panel with the list of metrics below it. */
export function CalibrationPage(props: {
  readonly shell: Shell;
  readonly calibration: Calibration;
  readonly spreads: Spreads;
}) {
  return (
    <Page shell={props.shell} title="Calibration" current="settings">
      <div class="stack tight">
        <h1>Calibration</h1>
        <SettingsTabs current="calibration" />
      </div>
      <CalibrationPanel calibration={props.calibration} />
      <SpreadList spreads={props.spreads} now={props.shell.now} />
    </Page>
  );
}
