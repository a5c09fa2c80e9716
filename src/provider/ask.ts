/** Questions to providers, one door for all three: what is sent, what is sent again, and what the answers come to. */
import type { ProviderClient } from "./client.ts";
import type {
  DailyReport,
  DiscoveredProperty,
  HourlyReport,
  Outcome,
  Provider,
  Realtime,
} from "./contract.ts";

/** What a question came to, with the requests that were sent for it: those for a token and repeated ones too. */
export interface Asked<T> {
  readonly outcome: Outcome<T>;
  readonly requests: number;
}

/** Answers that are no errors, as they came, with what was asked: plain data, so that they can be read elsewhere (`parseDaily`). */
export interface RawDaily {
  readonly provider: Provider;
  readonly property: string;
  /** The days asked for, both included, and the time zone they are of where it was known; undefined for webmaster tools. */
  readonly asked: { readonly from: number; readonly to: number; readonly timeZone: string | undefined };
  /** When it was asked, in milliseconds since the epoch. */
  readonly askedAt: number;
  /** Bodies of the pages, in order. */
  readonly bodies: readonly string[];
}

/** What is known when days are asked for. */
export interface DailyQuestion {
  readonly now: number;
  /** The property's time zone as it was last told. */
  readonly timeZone?: string | undefined;
}

/** The daily figures of a property's last 97 days. */
export async function askDaily(
  _client: ProviderClient,
  _provider: Provider,
  _property: string,
  _question: DailyQuestion,
): Promise<Asked<RawDaily>> {
  throw new Error("not asked yet");
}

/** The report in what was answered: pure, and may run anywhere. */
export function parseDaily(_raw: RawDaily): Outcome<DailyReport> {
  throw new Error("not read yet");
}

/** Every property that the credential gives access to. */
export async function discover(
  _client: ProviderClient,
  _provider: Provider,
): Promise<Asked<readonly DiscoveredProperty[]>> {
  throw new Error("not asked yet");
}

/** Whether the provider answers with this credential. */
export async function testConnection(_client: ProviderClient, _provider: Provider): Promise<Asked<void>> {
  throw new Error("not asked yet");
}

/** What goes on at an analytics property now. */
export async function askRealtime(_client: ProviderClient, _property: string): Promise<Asked<Realtime>> {
  throw new Error("not asked yet");
}

/** The hours of an analytics property's yesterday and today. */
export async function askHourly(
  _client: ProviderClient,
  _property: string,
  _question: DailyQuestion,
): Promise<Asked<HourlyReport>> {
  throw new Error("not asked yet");
}
