import type { Calibration } from "../../flow/mod.ts";
import { SettingsFrame } from "../settings/frame.tsx";
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
    <SettingsFrame shell={props.shell} title="Calibration" current="calibration">
      <CalibrationPanel calibration={props.calibration} />
      <SpreadList spreads={props.spreads} now={props.shell.now} />
    </SettingsFrame>
  );
}
