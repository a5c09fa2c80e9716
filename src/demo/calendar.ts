/** The demo's calendar: events around the moment it was made, served over loopback. */
import { tower } from "./commands.ts";
import type { DemoFolder } from "./folder.ts";

const DAY_MS = 86_400_000;
const NAME = "Trade calendar";

/** By how many days after the demo was made. */
const EVENTS = [
  ["fair", -20, "", "Travel fair"],
  ["rates", -6, "", "Ad network changes its rates"],
  ["sale", 4, "", "Autumn sale"],
  ["holiday", 11, "", "Public holiday"],
  ["letter", -28, "RRULE:FREQ=WEEKLY\r\n", "Newsletter to all customers"],
] as const;

function textOf(madeAt: number): string {
  const events = EVENTS.map(([uid, days, rule, title]) => {
    const day = new Date(madeAt + days * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "");
    const start = rule === "" ? `;VALUE=DATE:${day}` : `;TZID=Europe/Berlin:${day}T090000`;
    return `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART${start}\r\n${rule}SUMMARY:${title}\r\nEND:VEVENT\r\n`;
  });
  return `BEGIN:VCALENDAR\r\n${events.join("")}END:VCALENDAR\r\n`;
}

/** Serves it at a free port, which the Tower is told anew; the returned function ends that. */
export async function serveCalendar({ dataDir, state }: DemoFolder): Promise<() => void> {
  const fetch = () => new Response(textOf(state.madeAt));
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  await tower(dataDir, "calendar remove", { args: [NAME] }, [0, 1]);
  const file = `http://127.0.0.1:${server.port}/trade.ics`;
  await tower(dataDir, "calendar add", { args: [NAME, "--file", "-"], file });
  await tower(dataDir, "job run", { args: ["calendars"] }, [0, 1, 3]);
  return () => void server.stop(true);
}
