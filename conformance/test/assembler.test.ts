import { assert, describe, it } from "vitest"
import { assemble, assembleBitcoinjs, AssemblyError, type Parts } from "../src/formats/assembler.ts"
import { hexOf } from "../src/formats/hex.ts"

describe("assembler", () => {
  it.each([
    ["", ""],
    ["0", "00"],
    ["-1", "4f"],
    ["1", "51"],
    ["16", "60"],
    ["17", "0111"],
    ["-17", "0191"],
    ["127", "017f"],
    ["128", "028000"],
    ["-128", "028080"],
    ["4294967295", "05ffffffff00"],
    ["-549755813888", "06000000008080"],
    ["0x51", "51"],
    ["0x02 0xabCD", "02abcd"],
    ["''", "00"],
    ["'a'", "0161"],
    ["DUP HASH160 OP_EQUALVERIFY", "76a988"],
    ["CHECKLOCKTIMEVERIFY NOP2 CHECKSIGADD RESERVED", "b1b1ba50"],
    ["PUSHDATA1 0x01 0x07", "4c0107"],
    ["OP_0 OP_16 1NEGATE TRUE FALSE", "00604f5100"],
    ["IF\t1\nELSE  0 ENDIF", "6351670068"]
  ])("%s", (asm, hex) => {
    assert.strictEqual(hexOf(assemble(asm)), hex)
  })

  it.each([[75, "4b"], [76, "4c4c"], [255, "4cff"], [256, "4d0001"]])(
    "pushes %i bytes with the shortest prefix",
    (size, prefix) => {
      assert.strictEqual(hexOf(assemble(`'${"a".repeat(size)}'`)), prefix + "61".repeat(size))
    }
  )

  it("writes repetitions out", () => {
    const parts: Parts = ["1", { repeat: "NOP DUP", times: 3 }, "DROP"]
    assert.strictEqual(hexOf(assemble(parts)), "51" + "6176".repeat(3) + "75")
  })

  it.each(["FOO", "0x1", "0xzz", "9223372036854775808", "'open", "10.5"])("refuses %s", (asm) => {
    assert.throws(() => assemble(asm), AssemblyError)
  })

  it("takes bare hex as a push in the dialect of bitcoinjs", () => {
    assert.strictEqual(hexOf(assembleBitcoinjs("OP_DUP abcd OP_2")), "7602abcd52")
    assert.throws(() => assembleBitcoinjs("OP_DUP xyz"), AssemblyError)
  })
})
