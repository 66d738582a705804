/** Traces of what only the node's own log may hold: exceptions, places in programs, values that stand for nothing. */
const TRACES: ReadonlyArray<RegExp> = [
  /\n\s+at \S/,
  /\.[cm]?[jt]s:\d+/,
  /node:internal/,
  /node_modules/,
  /\b(?:Type|Range|Reference|Syntax|Assertion)Error\b/,
  /Cannot (?:read|convert|mix|destructure)/,
  /is not (?:a function|iterable|defined|an object)/,
  /\[object \w+\]/,
  /\bundefined\b/,
  /invalid array length/i,
  /Maximum call stack/,
  /BigInt/,
  /Internal error/
]

/** Words of Bitcoin Core in which such a trace stands by chance. */
const CORE_WORDS = /witness program is undefined/g

/** What in a message was meant for a programmer, not for the caller; texts of the request may come back in it. */
export const programmersWords = (message: string, request: string): string | undefined => {
  const text = message.replaceAll(CORE_WORDS, "")
  const found = TRACES.map((trace) => trace.exec(text)?.[0]).find((each) => each !== undefined)
  return found === undefined || request.includes(found.trim())
    ? undefined
    : `the message says "${found}": ${message.slice(0, 200)}`
}
