/** What a person types in Tower's own folder to run its command line. */

/** Where npx keeps what it runs: under no name that a shell finds. */
const OF_NPX = /[\\/]_npx[\\/]/;

/** The command line as it is called where this Bun is: by name, or through npx where that alone has it. */
export function commandWord(bun: string = process.execPath): string {
  return OF_NPX.test(bun) ? `npx -y bun@${Bun.version} run tower` : "bun run tower";
}

/** The same for the Bun that runs this. */
export const TOWER_COMMAND = commandWord();
