/** Where the judged series come from: only what sites send is judged yet. */
export { SOURCE } from "../pulse/mod.ts";
