/** Who did something, as the audit names them, in words that follow "by". */
export function actorWords(actor: string): string {
  return actor === "command-line" ? "the command line" : actor.replace(/^operator:/, "");
}
