/** A failure of a tool; the message says what to do. */
export class ToolError extends Error {
  override readonly name = "ToolError"
}
