/** What holds a secret, and shows nothing of it when it is printed, logged or written as JSON. */
export class Hidden {
  toJSON(): string {
    return "[secret]";
  }

  toString(): string {
    return "[secret]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[secret]";
  }
}
