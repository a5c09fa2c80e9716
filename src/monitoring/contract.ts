import type { MONITORING_KINDS } from "./table.ts";

/**
 * `constants`: the document; `rule`: a metric that cannot be judged; `recorder`: what records health; `job`: scheduled work;
 * `credentials`: an account of a provider that cannot be read; `archive`: objects that are damaged or missing.
 */
export type MonitoringKind = (typeof MONITORING_KINDS)[number];

/** What was to be watched. Texts are ids and names, never a secret and never what a provider said. */
export interface Monitored {
  readonly kind: MonitoringKind;
  /** '' where no site is concerned. */
  readonly asset: string;
  /** The series' source, such as `pulse`; '' where there is none. */
  readonly source: string;
  /** The metric, the job, the file; '' where there is none. */
  readonly subject: string;
}

/** Something that should be watched and is not, since when (milliseconds since the epoch), and why in plain words. */
export interface MonitoringFailure extends Monitored {
  readonly since: number;
  readonly reason: string;
}
