import { isSwitchedOn } from "./draft.ts"

/** One setting of a `bitcoin.conf`. */
export interface CoreEntry {
  readonly line: number
  /** The section that it applies to; empty for all networks, except a few keys that then apply to mainnet alone. */
  readonly section: string
  readonly key: string
  readonly value: string
}

export interface CoreFile {
  readonly entries: ReadonlyArray<CoreEntry>
  /** Lines that are no settings. */
  readonly problems: ReadonlyArray<string>
}

export const CORE_SECTIONS = ["main", "test", "testnet4", "signet", "regtest"] as const

export type CoreSection = typeof CORE_SECTIONS[number]

/** Turns `nolisten=1` into `listen=0`, and `nolisten=0` into `listen=1`. */
const withoutNegation = (key: string, value: string): readonly [string, string] =>
  key.startsWith("no") && key.length > 2 ? [key.slice(2), isSwitchedOn(value) ? "0" : "1"] : [key, value]

/** Turns `regtest.rpcport=1` into `rpcport=1` in the section `regtest`. */
const withoutPrefix = (section: string, key: string): readonly [string, string] => {
  const dot = key.indexOf(".")
  const prefix = key.slice(0, Math.max(dot, 0))
  return section === "" && CORE_SECTIONS.some((known) => known === prefix)
    ? [prefix, key.slice(dot + 1)]
    : [section, key]
}

const NOT_NEGATIONS = new Set(["notifytx"])

/** Parses a `bitcoin.conf` as Bitcoin Core does: `#` starts a comment at any position. */
export const parseBitcoinConf = (path: string, text: string): CoreFile => {
  const entries: Array<CoreEntry> = []
  const problems: Array<string> = []
  let section = ""
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = index + 1
    const content = raw.replace(/^\uFEFF/, "").replace(/#.*$/, "").trim()
    if (content === "") continue
    const header = /^\[(.*)\]$/.exec(content)?.[1]
    if (header !== undefined) {
      section = header.trim()
      continue
    }
    const equals = content.indexOf("=")
    if (equals < 1) {
      problems.push(`${path}:${line}: neither key=value nor [section]`)
      continue
    }
    const value = content.slice(equals + 1).trim()
    const [own, written] = withoutPrefix(section, content.slice(0, equals).trim().replace(/^-+/, ""))
    const [key, meant] = NOT_NEGATIONS.has(written) ? [written, value] : withoutNegation(written, value)
    entries.push({ line, section: own, key, value: meant })
  }
  return { entries, problems }
}
