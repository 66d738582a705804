import { assert, describe, it } from "@effect/vitest"
import { decodeMiniscript } from "../../src/descriptors/miniscript/decode-miniscript.ts"
import type { Surroundings } from "../../src/descriptors/miniscript/fragment.ts"
import { miniscriptText } from "../../src/descriptors/miniscript/miniscript-text.ts"
import { parseMiniscript } from "../../src/descriptors/miniscript/parse-miniscript.ts"
import { hasProperties } from "../../src/descriptors/miniscript/properties.ts"
import { scriptOfMiniscript } from "../../src/descriptors/miniscript/script-of-miniscript.ts"
import { hexOf } from "../../src/hex.ts"
import { randomFrom } from "../engine/session.ts"

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)
const COUNT = 4_000

const HASH = "926a54995ca48600920a19bf7bc502ca5f2f7d07e6f804c4f00ebf0325084dbc"

/** Texts of miniscripts of which most fit together, each key a number. */
const textsFrom = (random: () => number, surroundings: Surroundings) => {
  let keys = 0
  const key = (): string => String(keys++)
  const pick = <A>(choices: ReadonlyArray<() => A>): A => choices[Math.floor(random() * choices.length)]!()
  const wrapped = (letter: string, text: string): string => /^[a-z]+:/.test(text) ? letter + text : `${letter}:${text}`
  const leaf = (): string =>
    pick([
      () => `pk(${key()})`,
      () => `pkh(${key()})`,
      () => "older(144)",
      () => "after(500000001)",
      () => `sha256(${HASH})`,
      () => `hash160(${HASH.slice(24)})`,
      () => "0",
      () => "1",
      () => surroundings === "tr" ? `multi_a(1,${key()},${key()})` : `multi(2,${key()},${key()})`
    ])
  const w = (depth: number): string => wrapped(random() < 0.5 ? "a" : "s", b(depth))
  const v = (depth: number): string =>
    depth <= 0 || random() < 0.6
      ? wrapped("v", b(depth))
      : pick([() => `and_v(${v(depth - 1)},${v(depth - 1)})`, () => `or_c(${b(depth - 1)},${v(depth - 1)})`])
  const b = (depth: number): string => {
    if (depth <= 0) return leaf()
    const [x, y] = [() => b(depth - 1), () => w(depth - 1)]
    return pick([
      leaf,
      () => wrapped("d", v(depth - 1)),
      () => wrapped("j", x()),
      () => wrapped("n", x()),
      () => wrapped("u", x()),
      () => wrapped("t", v(depth - 1)),
      () => `and_v(${v(depth - 1)},${x()})`,
      () => `and_b(${x()},${y()})`,
      () => `or_b(${x()},${y()})`,
      () => `or_d(${x()},${x()})`,
      () => `or_i(${x()},${x()})`,
      () => `andor(${x()},${x()},${x()})`,
      () => `c:and_v(${v(depth - 1)},pk_k(${key()}))`,
      () => `thresh(2,${x()},${y()},${y()})`
    ])
  }
  return () => b(1 + Math.floor(random() * 3))
}

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
