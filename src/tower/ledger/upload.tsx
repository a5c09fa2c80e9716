/** `/ledger/upload`: a file, what it would do, and then all of it or nothing. */

import { countWords as countOf } from "../../base/text.ts";
import {
  type BadLine,
  FILE_KINDS,
  type FileKindName,
  importLedger,
  MAX_CSV_BYTES,
  type Tally,
} from "../../ledger/csv.ts";
import type { ConstantsStore } from "../../sites/constants_store.ts";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { type ConfirmDeps, confirmed, PasswordAgain } from "../kit/confirmed_form.tsx";
import { type Filled, Form, SelectField, TextField } from "../kit/field.tsx";
import { Told } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { mounted, own } from "../kit/route.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";

/** As base64 a file is a third longer. */
const MOST_FORM_BYTES = 1.5 * MAX_CSV_BYTES;

interface UploadDeps extends PageDeps, ConfirmDeps {
  readonly constants: Pick<ConstantsStore, "current" | "refresh">;
}

export function ledgerUploadPages(deps: UploadDeps) {
  const isAct = (form: URLSearchParams) => form.get("act") === "store";
  return mounted(deps, [
    own.get(paths.ledgerUpload, {}, () => <UploadPage filled={{ values: {}, errors: {} }} />),
    confirmed({ takesFiles: true, maxBytes: MOST_FORM_BYTES, isAct }).post(
      paths.ledgerUpload,
      {},
      async (visit) => {
        const { form, actor, now, who } = visit;
        const [kind, isStored] = [form.get("rows") === "costs" ? "costs" : "revenue", isAct(form)] as const;
        const sent = Buffer.from(form.get("csv") ?? "", "base64url");
        const text = isStored ? sent.toString() : (form.get("file") ?? "");
        const error = faultOf(text);
        if (error !== undefined) {
          const filled = { values: { rows: kind }, errors: { file: error } };
          return visit.page(<UploadPage filled={filled} />, { status: 422 });
        }
        await deps.constants.refresh();
        const rates = deps.constants.current().constants.ledger.operator_rates;
        const by = { by: actor.name, now, rates, dryRun: !isStored };
        const imported = await importLedger(deps, kind, new TextEncoder().encode(text), by);
        const isGood = imported.bad.length === 0;
        if (isStored && isGood) return seeOther(withNotice(paths.ledger, "ledger-stored"));
        const preview = <PreviewPage kind={kind} text={text} who={who} {...imported} />;
        return visit.page(preview, { status: isGood ? 200 : 422 });
      },
    ),
  ]);
}

/** What is wrong with a file before any of its lines is looked at; bytes that are no UTF-8 came as U+FFFD. */
function faultOf(text: string): string | undefined {
  if (text.trim() === "") return "Choose a CSV file that is not empty.";
  if (text.length > MAX_CSV_BYTES) return "It is larger than 4 MiB: split it.";
  return text.includes("\uFFFD") ? "It is not UTF-8: save it as CSV UTF-8." : undefined;
}

/** Most lines that are named of those refused. */
const MOST_NAMED = 100;

const OUTCOMES: Readonly<Record<Tally["outcome"], string>> = {
  stored: "New",
  replayed: "Already stored, unchanged",
  corrected: "Corrects a stored row",
};

const EXAMPLES: Readonly<Record<FileKindName, string>> = {
  revenue: "shop,2026-11,adsense,estimated,125000,EUR,,,,",
  costs: "shop,inference,anthropic,2026-11,os-overhead,4200,,EUR,,",
};

function Frame({ heading, children }: { heading: string; children: Child }) {
  return (
    <Page title={heading} current="ledger" still>
      <div class="stack tight">
        <p class="crumb">
          <a href={paths.ledger}>Ledger</a>
        </p>
        <h1>{heading}</h1>
      </div>
      {children}
    </Page>
  );
}

/** Asks for the file. */
function UploadPage({ filled }: { filled: Filled }) {
  return (
    <Frame heading="Upload rows">
      <div class="halves">
        <Form action={paths.ledgerUpload} files>
          <SelectField
            name="rows"
            label="Rows"
            filled={filled}
            choices={[
              ["revenue", "Revenue"],
              ["costs", "Costs"],
            ]}
          />
          <TextField
            name="file"
            label="CSV file"
            type="file"
            accept=".csv,text/csv"
            help="UTF-8, at most 20,000 lines. Nothing is stored before you confirm."
            filled={filled}
          />
          <div>
            <button class="btn primary">Preview</button>
          </div>
        </Form>
        <Block heading="Columns">
          <p>Amounts are whole minor units, such as 1250 for 12.50 EUR. A period is a month or a day.</p>
          <h3>Revenue</h3>
          <Example kind="revenue" />
          <h3>Costs</h3>
          <Example kind="costs" />
        </Block>
      </div>
    </Frame>
  );
}

function Example({ kind }: { kind: FileKindName }) {
  return (
    <pre class="scroll" tabindex={0}>
      {`${FILE_KINDS[kind].columns.join(",")}\n${EXAMPLES[kind]}`}
    </pre>
  );
}

/** What the rows of a tally come to; an affiliate estimate is shown as its range, and never as a point. */
function sumOf({ low, high, isOpen }: Tally): string {
  const [least, most] = [`${low}`, `${high}`];
  return isOpen ? "estimate, may still change" : least === most ? least : `${least}–${most}`;
}

/** Says what storing the file would do; the file goes along in the form, and is judged again when it comes back. */
function PreviewPage(props: {
  readonly kind: FileKindName;
  readonly text: string;
  readonly bad: readonly BadLine[];
  readonly tallies: readonly Tally[];
  readonly who: SignedIn;
}) {
  const { kind, bad, tallies } = props;
  const wrong = new Set(bad.map(({ line }) => line)).size;
  const fresh = tallies
    .filter(({ outcome }) => outcome !== "replayed")
    .reduce((sum, { count }) => sum + count, 0);
  return (
    <Frame heading={`Preview: ${kind}`}>
      {bad.length === 0 ? (
        <>
          <List
            fold={false}
            of="What would be stored"
            items={tallies}
            columns={[
              ["Currency", ({ currency }) => currency],
              ["Rows", ({ outcome }) => OUTCOMES[outcome], { label: false }],
              ["Count", ({ count }) => formatCount(count), { label: false, numeric: true }],
              ["Sum", sumOf, { label: false, numeric: true }],
            ]}
          />
          {fresh === 0 ? (
            <p>Every row is stored already. There is nothing to do.</p>
          ) : (
            <Form
              action={paths.ledgerUpload}
              hidden={[
                ["act", "store"],
                ["rows", kind],
                ["csv", Buffer.from(props.text).toString("base64url")],
              ]}
            >
              <PasswordAgain id="upload" who={props.who} />
              <div>
                <button class="btn primary">Store {countOf(fresh, "row")}</button>
              </div>
            </Form>
          )}
        </>
      ) : (
        <>
          <Callout tone="failing" role="alert">
            <p>
              Nothing was stored: {countOf(wrong, "line")} {wrong === 1 ? "is" : "are"} wrong. Fix the file
              and upload it again.
            </p>
          </Callout>
          <List
            fold={false}
            of="Lines that are wrong"
            items={bad.slice(0, MOST_NAMED)}
            columns={[
              ["Line", ({ line }) => (line === null ? "File" : formatCount(line)), { class: "nowrap" }],
              [
                "Why",
                ({ field, reason }) => (
                  <Told class="wrap">{field === null ? reason : `${field} ${reason}`}</Told>
                ),
                { label: false },
              ],
            ]}
          />
          {bad.length > MOST_NAMED ? <p>And {formatCount(bad.length - MOST_NAMED)} more.</p> : null}
        </>
      )}
      <p>
        <a href={paths.ledgerUpload}>Choose another file</a>
      </p>
    </Frame>
  );
}
