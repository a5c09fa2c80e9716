import { FILE_AUTHOR, SERVICE_AUTHOR } from "../../constants/mod.ts";
import { Told } from "../component/text.tsx";

/** Who put a version of the constants document in effect, in words that follow "by" or stand alone. */
export function Author({ author }: { readonly author: string }) {
  if (author === FILE_AUTHOR) return <>a text editor</>;
  if (author === SERVICE_AUTHOR) return <>Tower itself</>;
  return <Told>{author.replace(/^operator:/, "")}</Told>;
}
