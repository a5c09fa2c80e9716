import { Tabs } from "../component/tabs.tsx";
import { paths } from "../paths.ts";

const TABS = [
  ["overview", paths.settings, "Overview"],
  ["constants", paths.constants, "Constants"],
  ["calibration", paths.calibration, "Calibration"],
  ["tokens", paths.tokens, "Tokens"],
  ["audit", paths.audit, "Audit"],
  ["sessions", paths.sessions, "Sessions"],
] as const;

/** The parts of the settings that have a page. */
export type SettingsPart = (typeof TABS)[number][0];

/** Links between the parts of the settings; null on a page below one of them. */
export function SettingsTabs({ current }: { readonly current: SettingsPart | null }) {
  return (
    <Tabs
      label="Settings"
      tabs={TABS.map(([part, href, words]) => ({ href, words, current: part === current }))}
    />
  );
}
