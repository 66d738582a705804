/** Returns the message of a library fault, without its source locations. */
export const libraryFault = (cause: unknown): string => {
  const text = cause instanceof Error ? cause.message : String(cause)
  const [words = ""] = text.split(/\n\s*Stack backtrace:/)
  const causes = words.split("\n").map((line) => line.trim()).filter((line) => line !== "" && line !== "Caused by:")
  // The innermost cause is last; the others name steps.
  return (causes.at(-1) ?? words).replace(/^\d+: /, "").replace(/ \(\/.*\)$/, "")
}

/** True if a node answered with another key than the requested one. */
export const isOtherIdentity = (cause: unknown): boolean =>
  /invalid peer certificate|certificate unknown|BadCertificate/i.test(libraryFault(cause))
