import { Block } from "../component/block.tsx";
import { formatCount } from "../format.ts";
import { paths } from "../paths.ts";
import type { OneReport } from "./one_report.ts";
import { JSON_PLACES } from "./revision.tsx";

/** Most characters shown on the page; the download has all. */
const MOST_SHOWN = 20_000;

/** The report as JSON: to be read here, set out in lines, or taken away as it is kept. */
export function AsSent({ one, body }: { readonly one: OneReport; readonly body: string }) {
  const { kind, asset, row } = one;
  const { date, revision } = row;
  const lines = JSON.stringify(JSON.parse(body), null, 2);
  const days = new URLSearchParams({ from: date, to: date, revisions: "all" });
  const api = kind === "nightly" ? paths.apiPulses : paths.apiCodebaseReports;
  return (
    <Block
      heading="As sent"
      note={`${formatCount(Math.max(1, Math.round(Buffer.byteLength(body) / 1024)))} KiB`}
      tools={<a href={JSON_PLACES[kind](asset, date, revision)}>Download the JSON</a>}
    >
      <details>
        <summary>Show the JSON</summary>
        <div class="copy">
          <pre hx-ignore tabindex={0} role="group" aria-label="The report as JSON">
            {lines.slice(0, MOST_SHOWN)}
          </pre>
        </div>
        <p class="note">
          {lines.length > MOST_SHOWN
            ? `The first ${formatCount(MOST_SHOWN)} of ${formatCount(lines.length)} characters. `
            : ""}
          Set out in lines for reading; the download is what is kept, byte for byte: what was sent, without
          what was ignored.
        </p>
      </details>
      <p class="note">
        Programs read all revisions of the day at <code>{`${api(asset)}?${days}`}</code>
      </p>
    </Block>
  );
}
