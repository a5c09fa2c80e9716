import { FILE_KINDS, type FileKindName, importLedger, MAX_CSV_BYTES } from "../ledger/csv.ts";
import { shown } from "../lib/command_line.ts";
import { type Command, command, done, refused } from "./contract.ts";

/** Most bad lines that are printed. */
const MOST_PRINTED = 50;

const kindOf = (word: string | undefined): FileKindName | undefined =>
  word === "revenue" || word === "costs" ? word : undefined;

/** `ledger import`. */
export const ledgerImport: Command = command({
  name: "ledger import",
  summary: "import revenue or costs from a CSV file",
  takes: ["<revenue|costs>", "<file.csv>"],
  about: [
    "Imports a CSV file in UTF-8 whose first line names its columns, and prints how many lines were stored, replayed and corrected. All lines are stored, or none: each bad line is named.",
    `Columns of revenue: ${FILE_KINDS.revenue.columns.join(", ")}. Of costs: ${FILE_KINDS.costs.columns.join(", ")}. An empty cell is an absent value; amounts are whole minor units, such as 1250 for 12.50 EUR.`,
  ],
  options: { "dry-run": { says: "judge the file and store nothing" } },
  fileOf: ({ args: [, path] }) => path,
  fileBytes: MAX_CSV_BYTES,
  judge: ({ args: [kind] }) =>
    kindOf(kind) === undefined ? `${shown(kind ?? "")} is no kind of file: revenue or costs` : undefined,
  run: async ({ writer, store, clock, constants }, { args, options, file = "" }) => {
    const { "dry-run": dryRun = false } = options;
    await constants.refresh();
    const rates = constants.current().constants.ledger.operator_rates;
    const by = { by: "command-line", now: clock.now(), rates, dryRun };
    const bytes = Buffer.from(file, "base64");
    const { counts, bad } = await importLedger({ writer, store }, kindOf(args[0]) ?? "revenue", bytes, by);
    if (bad.length === 0) return done(JSON.stringify(counts), dryRun ? "Dry run: nothing was stored." : "");
    const lines = bad.slice(0, MOST_PRINTED).map(({ line, field, reason }) => {
      const where = line === null ? "the file" : `line ${line}:`;
      return [where, field, reason].filter((part) => part !== null && part !== "").join(" ");
    });
    const more = bad.length > MOST_PRINTED ? [`and ${bad.length - MOST_PRINTED} more`] : [];
    return refused([...lines, ...more, "Nothing was stored."].join("\n"));
  },
});
