/** Judges the data folder that is named, by the acknowledgements on standard input: run by storm.ts. */

import { type Ack, judgeFolder } from "./storm.ts";

const acks = (await Bun.stdin.json()) as Ack[];
process.stdout.write(JSON.stringify(await judgeFolder(Bun.argv[2] ?? "", acks)));
