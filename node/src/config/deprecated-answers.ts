/** Bitcoin Core's names of deprecated answers that callers may still need. */
export const DEPRECATED_ANSWERS = ["bip125", "fullrbf", "warnings"] as const

export type DeprecatedAnswer = typeof DEPRECATED_ANSWERS[number]
