import { expect, test } from "bun:test";
import type { LiveView } from "../../../src/signals/live_traffic.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { LivePanel } from "../../../src/tower/site/live_panel.tsx";
import { attribute, elements, parsed } from "../../support/html.ts";
import { inPage } from "../../support/tower_data.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 30);
const HOUR = 3_600_000;
const counts = { activeUsers: 70, pageViews: 268, eventCount: 920 };

/** How often the panel asks for itself, where a value was seen so long ago. */
function every(asking: boolean, age: number): string | undefined {
  const seen = { seenAt: NOW - age, nextAt: NOW - age + 30_000, failure: null, asking };
  const view = {
    state: "watched",
    realtime: { ...seen, value: { last30: counts, last5: counts } },
    hourly: { ...seen, asking: false, value: null },
  } as unknown as LiveView;
  const tree = parsed(render(inPage(() => <LivePanel asset="harbor" view={view} />, { now: NOW })));
  const [live] = elements(tree, (element) => attribute(element, "id") === "live");
  return live && attribute(live, "data-every");
}

test("a value of an hour ago is followed within seconds by the one that is being asked for", () => {
  expect([every(true, HOUR), every(false, 10_000)]).toEqual(["3", "30"]);
});
