import * as Result from "effect/Result"

/** One `name=value` of a `bitcoin.conf`. The key includes the section, as in `regtest.port`. */
export interface ConfEntry {
  readonly key: string
  readonly value: string
}

/** A section that a file names, also as the prefix of a key. */
export interface ConfSection {
  readonly name: string
  readonly file: string
  readonly line: number
}

export interface ConfText {
  readonly entries: ReadonlyArray<ConfEntry>
  readonly sections: ReadonlyArray<ConfSection>
}

const trimmed = (text: string): string => text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, "")

const faultOf = (text: string, line: number): string => {
  if (text.startsWith("-")) {
    return `parse error on line ${line}: ${text}, options in configuration file must be specified without leading -`
  }
  const hint = text.startsWith("no") ? `, if you intended to specify a negated option, use ${text}=1 instead` : ""
  return `parse error on line ${line}: ${text}${hint}`
}

/** Reads the text of a `bitcoin.conf`. A failure is Bitcoin Core's message. */
export const readConfText = (file: string, content: string): Result.Result<ConfText, string> => {
  const entries: Array<ConfEntry> = []
  const sections: Array<ConfSection> = []
  let prefix = ""
  for (const [at, raw] of content.split("\n").entries()) {
    const line = at + 1
    const hash = raw.indexOf("#")
    const text = trimmed(hash < 0 ? raw : raw.slice(0, hash))
    if (text === "") continue
    if (text.startsWith("[") && text.endsWith("]")) {
      const name = text.slice(1, -1)
      sections.push({ name, file, line })
      prefix = `${name}.`
      continue
    }
    const equals = text.indexOf("=")
    if (text.startsWith("-") || equals < 0) return Result.fail(faultOf(text, line))
    const key = prefix + trimmed(text.slice(0, equals))
    if (hash >= 0 && key.includes("rpcpassword")) {
      return Result.fail(
        `parse error on line ${line}, using # in rpcpassword can be ambiguous and should be avoided`
      )
    }
    entries.push({ key, value: trimmed(text.slice(equals + 1)) })
    const dot = key.lastIndexOf(".")
    if (dot >= prefix.length) sections.push({ name: key.slice(0, dot), file, line })
  }
  return Result.succeed({ entries, sections })
}
