import { parse } from "smol-toml"
import { assert } from "vitest"
import { convertCoreConfig } from "../../../src/config/convert-core/convert-core-config.ts"

/** What becomes of a bitcoin.conf with these lines. */
export const convert = (...lines: ReadonlyArray<string>) => convertCoreConfig("bitcoin.conf", lines.join("\n"))

/** The draft of these lines, read. There is one: nothing keeps a start from it. */
export const draftOf = (...lines: ReadonlyArray<string>) => {
  const { problems, toml } = convert(...lines)
  assert.deepStrictEqual(problems, [])
  return parse(toml) as Record<string, Record<string, unknown>>
}
