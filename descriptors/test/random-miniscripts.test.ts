import { assert, describe, it } from "vitest"
import { decodeMiniscript } from "../src/descriptor/miniscript/decode-miniscript.ts"
import { miniscriptText } from "../src/descriptor/miniscript/miniscript-text.ts"
import { parseMiniscript } from "../src/descriptor/miniscript/parse-miniscript.ts"
import { hasProperties } from "../src/descriptor/miniscript/properties.ts"
import { scriptOfMiniscript } from "../src/descriptor/miniscript/script-of-miniscript.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { randomFrom } from "./random-from.ts"
import { textsFrom } from "./random-miniscript-texts.ts"

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)
const COUNT = 4_000

/** Bytes of a key, or of its hash, that say which one it is. */
const named = (key: number, first: number, size: number): Uint8Array => {
  const bytes = new Uint8Array(size).fill(7)
  bytes[0] = first
  new DataView(bytes.buffer).setUint32(4, key)
  return bytes
}

const numberIn = (bytes: Uint8Array): number => new DataView(bytes.buffer, bytes.byteOffset).getUint32(4)

describe(`random miniscripts, seed ${SEED}`, () => {
  for (const surroundings of ["wsh", "tr"] as const) {
    it(`in ${surroundings}() have the script they say, and are read from it again`, () => {
      const next = textsFrom(randomFrom(SEED), surroundings)
      let fitting = 0
      for (let i = 0; i < COUNT; i++) {
        const text = next()
        const names: Array<string> = []
        const root = parseMiniscript(text, surroundings, (name) => names.push(name) - 1)
        assert.isDefined(root, text)
        if (!hasProperties(root!.properties, "B")) continue
        fitting++
        const bytes = (key: number): Uint8Array => named(Number(names[key]), 2, surroundings === "tr" ? 32 : 33)
        const script = scriptOfMiniscript(root!, { bytes, hash: (key) => named(Number(names[key]), 3, 20) })
        assert.strictEqual(script.length, root!.size, text)
        const again = decodeMiniscript(script, surroundings, { ofBytes: numberIn, ofHash: numberIn })
        assert.isDefined(again, `${text} ${hexOf(script)}`)
        const keyBytes = (key: number): Uint8Array => named(key, 2, surroundings === "tr" ? 32 : 33)
        const second = scriptOfMiniscript(again!, { bytes: keyBytes, hash: (key) => named(key, 3, 20) })
        assert.strictEqual(hexOf(second), hexOf(script), text)
        // What was read from a script is written, read and compiled to the same script.
        const shown = miniscriptText(again!, String)
        const third: Array<string> = []
        const reread = parseMiniscript(shown, surroundings, (name) => third.push(name) - 1)
        assert.strictEqual(reread && miniscriptText(reread, (key) => third[key]!), shown, text)
        assert.strictEqual(reread!.properties, again!.properties, text)
      }
      assert.isAbove(fitting, COUNT / 10)
    })
  }
})
