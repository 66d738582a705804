/** A tool cannot do what was asked; the message says what to do. */
export class ToolError extends Error {
  override readonly name = "ToolError"
}
