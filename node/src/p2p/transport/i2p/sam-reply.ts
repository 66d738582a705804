/** A reply of an I2P router in SAM, such as `STREAM STATUS RESULT=OK`. */
export interface SamReply {
  /** The first two words, such as `STREAM STATUS`. */
  readonly topic: string
  readonly values: ReadonlyMap<string, string>
}

const WORD = /^([^ ="]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^ "]*)))?(?: +|$)/

/** Splits a line into its first two words and the values behind them; `undefined` if it has another form. */
export const parseReply = (line: string): SamReply | undefined => {
  const topic: Array<string> = []
  const values = new Map<string, string>()
  let left = line.trim()
  while (left !== "") {
    const [all, name, quoted, plain] = WORD.exec(left) ?? []
    if (all === undefined || name === undefined) return undefined
    left = left.slice(all.length)
    const value = quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, "$1")
    if (value === undefined) topic.push(name)
    else values.set(name, value)
  }
  return topic.length === 2 ? { topic: topic.join(" "), values } : undefined
}
