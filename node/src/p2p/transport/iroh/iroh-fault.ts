/** A fault of the library: its own words, without the places in its source where it came about. */
export const libraryFault = (cause: unknown): string => {
  const text = cause instanceof Error ? cause.message : String(cause)
  const [words = ""] = text.split(/\n\s*Stack backtrace:/)
  const causes = words.split("\n").map((line) => line.trim()).filter((line) => line !== "" && line !== "Caused by:")
  // The innermost cause is the last one; those around it name steps.
  return (causes.at(-1) ?? words).replace(/^\d+: /, "").replace(/ \(\/.*\)$/, "")
}

/** Whether a node has answered that has another key than the one it was asked for. */
export const isOtherIdentity = (cause: unknown): boolean =>
  /invalid peer certificate|certificate unknown|BadCertificate/i.test(libraryFault(cause))
