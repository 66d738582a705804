import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { asnOf, isAsmap } from "../../src/asmap/asmap.ts"
import { check } from "../wire/check.ts"
import { branching, defaulting, matching, packed, programOf, returning, routeOf, type Routes } from "./asmap-program.ts"

/** Numbers of every class, its first and last ones among them. */
const asn = fc.oneof(
  fc.integer({ min: 1, max: 2 ** 25 - 2 ** 15 }),
  fc.constantFrom(1, 32_768, 32_769, 98_304, 98_305, 2 ** 25 - 2 ** 15)
)

const { routes } = fc.letrec<{ routes: Routes }>((tie) => ({
  routes: fc.oneof({ maxDepth: 7, withCrossShrink: true }, asn, fc.record({ zero: tie("routes"), one: tie("routes") }))
}))

const address = fc.uint8Array({ minLength: 16, maxLength: 16 })
const zeros = new Uint8Array(16)
const ones = new Uint8Array(16).fill(255)

describe("an asmap", () => {
  it("answers what its branches say, for any address", () => {
    check(fc.property(routes, fc.array(address, { minLength: 1, maxLength: 8 }), (tree, addresses) => {
      const asmap = packed(programOf(tree))
      assert.isTrue(isAsmap(asmap))
      for (const each of addresses) assert.strictEqual(asnOf(asmap, each), routeOf(tree, each))
    }))
  })

  it("answers the default where the address differs from a pattern, none where there is no default", () => {
    const bits = "10110101"
    const start = Uint8Array.of(0b1011_0101, ...zeros.subarray(1))
    for (let length = 1; length <= 8; length++) {
      const pattern = bits.slice(0, length)
      const bare = packed(matching(pattern) + returning(7))
      const fallback = packed(defaulting(9) + matching(pattern) + returning(7))
      assert.isTrue(isAsmap(bare) && isAsmap(fallback))
      assert.deepStrictEqual([asnOf(bare, start), asnOf(fallback, start)], [7, 7])
      assert.deepStrictEqual([asnOf(bare, zeros), asnOf(fallback, zeros)], [0, 9])
    }
    const many = packed(matching("11111111").repeat(16) + returning(5))
    assert.isTrue(isAsmap(many))
    assert.deepStrictEqual([asnOf(many, ones), asnOf(many, zeros)], [5, 0])
  })

  it.each<readonly [what: string, bits: string]>([
    ["is empty", ""],
    ["does not end", matching("1")],
    ["ends within a number", returning(7).slice(0, -1)],
    ["goes on behind its end", returning(7) + returning(8)],
    ["is padded with ones", `${returning(7)}1`],
    ["is padded with a byte", `${returning(1)}00000000`],
    ["sets a default that it returns at once", defaulting(7) + returning(8)],
    ["sets two defaults", defaulting(7) + defaulting(8) + matching("1") + returning(9)],
    ["has two short patterns in a row", matching("1") + matching("1") + returning(7)],
    ["asks for more bits than an address has", matching("11111111").repeat(16) + matching("1") + returning(7)],
    ["jumps beyond its end", branching(returning(7), returning(8)).slice(0, 30)],
    ["jumps into an instruction", branching(`${returning(7)}00`, returning(8))],
    ["branches on a bit that no address has", matching("11111111").repeat(16) + branching(returning(7), returning(8))]
  ])("is none when it %s", (_, bits) => {
    assert.isFalse(isAsmap(packed(bits)))
  })

  it("is what any bytes are or are not: neither looking at them nor asking them fails or takes long", () => {
    check(fc.property(fc.uint8Array({ maxLength: 200 }), address, (bytes, each) => {
      if (isAsmap(bytes)) assert.isAtMost(asnOf(bytes, each), 2 ** 25 - 2 ** 15)
      else asnOf(bytes, each)
    }))
  })
})
