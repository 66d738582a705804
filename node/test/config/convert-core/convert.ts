import { parse } from "smol-toml"
import { convertCoreConfig } from "../../../src/config/convert-core/convert-core-config.ts"

/** What becomes of a bitcoin.conf with these lines. */
export const convert = (...lines: ReadonlyArray<string>) => convertCoreConfig("bitcoin.conf", lines.join("\n"))

/** The draft of these lines, read. */
export const draftOf = (...lines: ReadonlyArray<string>) =>
  parse(convert(...lines).toml) as Record<string, Record<string, unknown>>
