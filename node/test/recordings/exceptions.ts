/** A difference that is meant to be there. */
export interface Exception {
  readonly conversation: string
  /** The number of the row, or a pattern that the text of the difference matches. */
  readonly row: number | RegExp
  readonly reason: string
}

/** Where our node differs from Bitcoin Core on purpose, or where chance decides. */
export const EXCEPTIONS: ReadonlyArray<Exception> = []

/** The exception that a difference falls under. */
export const exceptionFor = (
  conversation: string,
  row: number,
  text: string,
  exceptions: ReadonlyArray<Exception> = EXCEPTIONS
): Exception | undefined =>
  exceptions.find((each) =>
    each.conversation === conversation && (typeof each.row === "number" ? each.row === row : each.row.test(text))
  )
