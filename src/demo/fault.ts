/** The demo cannot be shown; `message` is for a person, and says all there is to say. */
export class DemoFault extends Error {
  override readonly name = "DemoFault";
}
