/** What came of something that may fail for reasons outside the program: a missing library, an unsupported machine. */
export type Attempt<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly reason: string }

/** Runs `action`; an exception becomes its message, on one line. */
export const attempt = <A>(action: () => A): Attempt<A> => {
  try {
    return { ok: true, value: action() }
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    return { ok: false, reason: message.split("\n", 1)[0] ?? "" }
  }
}
