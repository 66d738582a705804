/** A command line that only calls a method. */
export interface QuickLine {
  readonly method: string
  /** Parameters as typed. */
  readonly params: ReadonlyArray<string>
  /** Options as given: they decide which node is called. */
  readonly options: ReadonlyArray<string>
}

const WITH_VALUE = new Set(["--network", "-n", "--rpc-addr", "-r", "--data-dir", "-d", "--config", "-c"])

const isOption = (word: string): boolean => word.startsWith("-")

/** Splits a command line into its parts. Returns `undefined` for a line that does more than call a method. */
export const quickLine = (args: ReadonlyArray<string>): QuickLine | undefined => {
  const words: Array<string> = []
  const options: Array<string> = []
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!
    if (!isOption(word)) {
      words.push(word)
      continue
    }
    const value = args[++i]
    if (!WITH_VALUE.has(word) || value === undefined || isOption(value)) return undefined
    options.push(word, value)
  }
  const [command, method, ...params] = words
  if (command !== "rpc" || method === undefined) return undefined
  return { method, params, options }
}
