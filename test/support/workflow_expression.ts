/** The part of the workflows' expression language that the action and its workflow use. */

/** What names stand for: `github.ref` looks into `github`. */
export type Context = Readonly<Record<string, unknown>>;

export type Value = string | number | boolean | null;

/** Fills in every expression of a text. */
export function fillIn(text: string, context: Context): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, inner: string) => words(evaluate(inner, context)));
}

function words(value: Value): string {
  return value === null ? "" : String(value);
}

/** Evaluates one expression. Throws at what is not understood, so that nothing is taken for something else. */
export function evaluate(text: string, context: Context): Value {
  const tokens = [...text.matchAll(/\s*('(?:[^']|'')*'|[A-Za-z_][\w.-]*|&&|\|\||[!=]=|[!()]|\S)/g)].map(
    ([, token]) => token ?? "",
  );
  let at = 0;
  const take = (...known: readonly string[]) => known.includes(tokens[at] ?? "") && at++ >= 0;
  const either = (): Value => {
    let value = both();
    while (take("||")) {
      const other = both();
      value = value ? value : other;
    }
    return value;
  };
  const both = (): Value => {
    let value = compared();
    while (take("&&")) {
      const other = compared();
      value = value ? other : value;
    }
    return value;
  };
  const compared = (): Value => {
    const value = one();
    if (take("==")) return words(value) === words(one());
    if (take("!=")) return words(value) !== words(one());
    return value;
  };
  const one = (): Value => {
    if (take("!")) return !one();
    if (take("(")) {
      const value = either();
      if (!take(")")) throw new Error(`no closing bracket: ${text}`);
      return value;
    }
    const token = tokens[at++] ?? "";
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    if (!/^[A-Za-z_]/.test(token)) throw new Error(`not understood: ${token} in ${text}`);
    if (take("(")) {
      if (!take(")")) throw new Error(`arguments are not understood: ${text}`);
      return call(token, context);
    }
    return lookUp(token, context);
  };
  const value = either();
  if (at !== tokens.length) throw new Error(`not understood: ${text}`);
  return value;
}

function call(name: string, context: Context): Value {
  if (name === "always") return true;
  if (name === "success") return context["success"] === true;
  throw new Error(`no function ${name}`);
}

/** An unknown name is empty, as it is there; a whole object is none of what is asked for. */
function lookUp(path: string, context: Context): Value {
  let value: unknown = context;
  for (const part of path.split(".")) {
    value = typeof value === "object" && value !== null && part in value ? Reflect.get(value, part) : null;
  }
  if (typeof value === "object" && value !== null) throw new Error(`${path} is no text`);
  return (value ?? null) as Value;
}
