/** Reports asked for at simulated providers over real HTTP, into a spool of their own. */

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { Spool } from "../../src/base/files.ts";
import type { Simulators } from "../../src/demo/simulator/simulators.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { askReport, readReport } from "../../src/providers/providers.ts";
import {
  findFamily,
  type ReportAsked,
  type ReportFamily,
  type ReportRow,
} from "../../src/providers/report_families.ts";
import { PageFile } from "../../src/providers/report_pages.ts";
import type { FakeClock } from "./clock.ts";
import { temporaryFolder } from "./folder.ts";
import { type ClientChange, simulatedClient } from "./provider_client.ts";

export type AskedChange = Partial<Omit<ReportAsked, "family" | "property">> & {
  readonly client?: ClientChange;
};

/** A family by its name. */
export function familyOf(provider: Provider, name: string): ReportFamily {
  const family = findFamily(provider, name);
  if (family === undefined) throw new Error(`there is no family ${provider} ${name}`);
  return family;
}

export const ERROR_EVENTS = {
  events: ["exception", "js_error"],
  message: "error_message",
  source: "error_source",
};

export async function simulatedReports(simulators: Simulators, clock: FakeClock) {
  const folder = temporaryFolder();
  const spool = new Spool(`${folder.path}/spool`);
  await spool.open();
  return {
    spool,
    folder: folder.path,
    /** Names of the files in the spool. */
    files: () => readdirSync(`${folder.path}/spool`),
    /**
     * Asks for a report of a day (number) and reads it: the bodies of its pages, its rows, and what it came to, undefined where it was not
     * answered; `fault` is `category code`, undefined where it is a report.
     */
    try: async (
      family: ReportFamily,
      property: string,
      day: number,
      { client: change, ...asked }: AskedChange = {},
    ) => {
      const client = await simulatedClient(simulators, clock, family.provider, change);
      const { outcome, requests } = await askReport(
        client,
        {
          family,
          property,
          from: family.of === "days28" ? day - 27 : day,
          to: day,
          timeZone: undefined,
          bounds: { rows: 1_000_000, bytes: 256 * 1024 * 1024 },
          errorEvents: ERROR_EVENTS,
          ...asked,
        },
        { spool, open: (page) => new PageFile(page) },
      );
      if (!outcome.ok) {
        const { category, code } = outcome.fault;
        return {
          requests,
          raw: undefined,
          bodies: [],
          read: undefined,
          fault: `${category} ${code}`,
          rows: [],
        };
      }
      const raw = outcome.value;
      const rows: ReportRow[] = [];
      const read = await readReport(structuredClone(raw), (row) => rows.push(row));
      const bodies = raw.pages.map(({ path }) => readFileSync(path, "utf8"));
      await spool.remove(raw.pages.map(({ path }) => path));
      const fault = read.ok ? undefined : `${read.fault.category} ${read.fault.code}`;
      return { requests, raw, bodies, read, fault, rows };
    },
    close: () => {
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}
