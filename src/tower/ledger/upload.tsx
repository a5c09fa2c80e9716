/**
 * `/ledger/upload`: a file of rows, what storing it would do, and then all of it or nothing. The file goes along in the form that
 * confirms it and is judged again when it comes back, as if nobody had seen it before.
 */

import { countWords as countOf } from "../../base/text.ts";
import {
  type BadLine,
  FILE_KINDS,
  type FileKindName,
  importLedger,
  MAX_CSV_BYTES,
} from "../../ledger/csv.ts";
import { formatCount } from "../format.ts";
import type { PageGround } from "../ground.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { withNotice } from "../keyboard.tsx";
import { confirmed, PasswordAgain } from "../kit/confirmed_form.tsx";
import { type Filled, Form, SelectField, TextField } from "../kit/field.tsx";
import { Told } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { mounted, own } from "../kit/route.ts";
import { Callout } from "../kit/words.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";

/** A file that comes back is base64, a third longer. */
const MOST_FORM_BYTES = 1.5 * MAX_CSV_BYTES;
/** Most bad lines that are named. */
const MOST_NAMED = 100;

export function ledgerUploadPages(deps: PageGround) {
  const isAct = (form: URLSearchParams) => form.get("act") === "store";
  return mounted(deps, [
    own.get(paths.ledgerUpload, {}, () => <UploadPage filled={{ values: {}, errors: {} }} />),
    confirmed({ takesFiles: true, maxBytes: MOST_FORM_BYTES, isAct }).post(
      paths.ledgerUpload,
      {},
      async ({ form, actor, now, who, page }) => {
        const isStored = isAct(form);
        const rows = form.get("rows") ?? "";
        const sent = Buffer.from(form.get("csv") ?? "", "base64url");
        const text = isStored ? sent.toString() : (form.get("file") ?? "");
        const kind = rows === "revenue" || rows === "costs" ? rows : undefined;
        const file = faultOf(text);
        if (kind === undefined || file !== undefined) {
          const errors = { rows: kind === undefined ? "Choose revenue or costs." : undefined, file };
          return page(<UploadPage filled={{ values: { rows }, errors }} />, { status: 422 });
        }
        await deps.constants.refresh();
        const rates = deps.constants.current().constants.ledger.operator_rates;
        const by = { by: actor.name, now, rates, dryRun: !isStored };
        const { counts, bad } = await importLedger(deps, kind, Buffer.from(text), by);
        if (bad.length > 0) return page(<RefusedPage kind={kind} bad={bad} />, { status: 422 });
        if (isStored) return seeOther(withNotice(paths.ledger, "ledger-stored"));
        return <PreviewPage kind={kind} text={text} counts={counts} who={who} />;
      },
    ),
  ]);
}

/** What is wrong with a file before any of its lines is looked at; bytes that are no UTF-8 came as U+FFFD. */
function faultOf(text: string): string | undefined {
  if (text.trim() === "") return "Choose a CSV file that is not empty.";
  if (Buffer.byteLength(text) > MAX_CSV_BYTES) return "It is larger than 4 MiB: split it.";
  return text.includes("\uFFFD") ? "It is not UTF-8: save it as CSV UTF-8." : undefined;
}

function Frame({ heading, children }: { readonly heading: string; readonly children: Child }) {
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

const EXAMPLES: Readonly<Record<FileKindName, string>> = {
  revenue: "shop,2026-11,adsense,estimated,125000,EUR,,,,",
  costs: "shop,inference,anthropic,2026-11,os-overhead,4200,,EUR,,",
};

/** Asks for the file. */
function UploadPage({ filled }: { readonly filled: Filled }) {
  const example = (kind: FileKindName) => (
    <pre class="scroll" tabindex={0}>
      {`${FILE_KINDS[kind].columns.join(",")}\n${EXAMPLES[kind]}`}
    </pre>
  );
  return (
    <Frame heading="Upload rows">
      <div class="halves">
        <Form action={paths.ledgerUpload} files send="Preview">
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
        </Form>
        <Block heading="Columns">
          <p>Amounts are whole minor units, such as 1250 for 12.50 EUR. A period is a month or a day.</p>
          <h3>Revenue</h3>
          {example("revenue")}
          <h3>Costs</h3>
          {example("costs")}
        </Block>
      </div>
    </Frame>
  );
}

interface Previewed {
  readonly kind: FileKindName;
  readonly text: string;
  readonly counts: Readonly<Record<"stored" | "replayed" | "corrected", number>>;
  readonly who: SignedIn;
}

/** Says what storing a good file would do. */
function PreviewPage({ kind, text, counts: { stored, replayed, corrected }, who }: Previewed) {
  const outcomes: readonly (readonly [words: string, count: number])[] = [
    ["New", stored],
    ["Corrects a stored row", corrected],
    ["Already stored, unchanged", replayed],
  ];
  const hidden = { act: "store", rows: kind, csv: Buffer.from(text).toString("base64url") };
  return (
    <Frame heading={`Preview: ${kind}`}>
      <List
        fold={false}
        of="What would be stored"
        items={outcomes}
        columns={[
          ["Rows", ([words]) => words],
          ["Count", ([, count]) => formatCount(count), { numeric: true }],
        ]}
      />
      {stored + corrected === 0 ? (
        <p>Every row is stored already. There is nothing to do.</p>
      ) : (
        <Form action={paths.ledgerUpload} hidden={hidden}>
          <PasswordAgain id="upload" who={who} />
          <div>
            <button class="btn primary">Store {countOf(stored + corrected, "row")}</button>
          </div>
        </Form>
      )}
      <AnotherFile />
    </Frame>
  );
}

/** Names the bad lines; such a file cannot be confirmed. */
function RefusedPage({ kind, bad }: { readonly kind: FileKindName; readonly bad: readonly BadLine[] }) {
  const wrong = new Set(bad.map(({ line }) => line)).size;
  const isWhole = bad.some(({ line }) => line === null);
  return (
    <Frame heading={`Preview: ${kind}`}>
      <Callout tone="failing" role="alert">
        <p>
          Nothing was stored: {isWhole ? "the file" : countOf(wrong, "line")} {wrong === 1 ? "is" : "are"}{" "}
          wrong. Fix the file and upload it again.
        </p>
      </Callout>
      <List
        fold={false}
        of="What is wrong"
        items={bad.slice(0, MOST_NAMED)}
        columns={[
          ["Line", ({ line }) => (line === null ? "File" : formatCount(line)), { class: "nowrap" }],
          [
            "Why",
            ({ field, reason }) => <Told class="wrap">{[field, reason].filter(Boolean).join(" ")}</Told>,
          ],
        ]}
      />
      {bad.length > MOST_NAMED ? <p>And {formatCount(bad.length - MOST_NAMED)} more.</p> : null}
      <AnotherFile />
    </Frame>
  );
}

function AnotherFile() {
  return (
    <p>
      <a href={paths.ledgerUpload}>Choose another file</a>
    </p>
  );
}
