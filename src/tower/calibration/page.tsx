import type { Calibration } from "../../flow/mod.ts";
import { paths } from "../paths.ts";
import { SettingsPage } from "../settings/settings_page.tsx";
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
    <SettingsPage shell={props.shell} part={paths.calibration} title="Calibration">
      <CalibrationPanel calibration={props.calibration} />
      <SpreadList spreads={props.spreads} now={props.shell.now} />
    </SettingsPage>
  );
}
