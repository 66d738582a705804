/** A difference that is meant to be there. */
export interface Exception {
  readonly conversation: string
  /** The number of the row, or a pattern that the text of the difference matches. */
  readonly row: number | RegExp
  readonly reason: string
}

/** Where our node differs from Bitcoin Core on purpose, or where chance decides. */
export const EXCEPTIONS: ReadonlyArray<Exception> = [
  ...["sets_a", "sets_limits", "background", "background_genesis", "dump"].map((conversation) => ({
    conversation,
    row: /^result\.warnings: .*pre-release test build/,
    reason: "The recorded Bitcoin Core warned that it was built from a branch under development"
  })),
  {
    conversation: "p2p_segwit",
    row: 351,
    reason: "Bitcoin Core announced the transaction in the moment before the next one replaced it"
  }
]

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
