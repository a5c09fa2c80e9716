/** Tokens that programs show: the book of those in force, and their life, the same for sites' and for operators'. */
export { TokenBook } from "./book.ts";
export { flushUses, issueToken, revokeToken } from "./life.ts";
