/** Reports asked for at simulated providers over real HTTP, into a spool of their own. */

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { Spool } from "../../src/base/files.ts";
import type { Simulators } from "../../src/demo/simulator/simulators.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import type { Outcome } from "../../src/providers/faults.ts";
import { askReport, readReport } from "../../src/providers/providers.ts";
import {
  findFamily,
  type RawReport,
  type ReadReport,
  type ReportAsked,
  type ReportFamily,
  type ReportRow,
} from "../../src/providers/report_families.ts";
import { PageFile } from "../../src/providers/report_pages.ts";
import type { FakeClock } from "./clock.ts";
import { temporaryFolder } from "./folder.ts";
import { type ClientChange, simulatedClient } from "./provider_client.ts";

/** A report as it was asked for, with everything that came of it. */
export interface ReportTried {
  readonly requests: number;
  readonly raw: RawReport | undefined;
  /** The bodies of its pages. */
  readonly bodies: readonly string[];
  /** What it came to: undefined where it was not answered, of which `fault` says why. */
  readonly read: Outcome<ReadReport> | undefined;
  /** `category code`; undefined where it is a report. */
  readonly fault: string | undefined;
  readonly rows: readonly ReportRow[];
}

export type AskedChange = Partial<Omit<ReportAsked, "family" | "property">> & {
  readonly client?: ClientChange;
};

export interface SimulatedReports {
  readonly spool: Spool;
  readonly folder: string;
  /** Names of the files in the spool. */
  files(): readonly string[];
  /** Asks for a report of a day (number) and reads it. */
  try(family: ReportFamily, property: string, day: number, change?: AskedChange): Promise<ReportTried>;
  close(): void;
}

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

export async function simulatedReports(simulators: Simulators, clock: FakeClock): Promise<SimulatedReports> {
  const folder = temporaryFolder();
  const spool = new Spool(`${folder.path}/spool`);
  await spool.open();
  return {
    spool,
    folder: folder.path,
    files: () => readdirSync(`${folder.path}/spool`),
    try: async (family, property, day, { client: change, ...asked } = {}) => {
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
