import { assert, describe, it } from "@effect/vitest"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { addressOf, scriptOfAddress } from "@lockstep/descriptors/script-text/address.ts"
import { asmOf, spendingAsmOf } from "@lockstep/descriptors/script-text/asm.ts"
import { descriptorChecksum } from "@lockstep/descriptors/script-text/descriptor-checksum.ts"
import { bytesOfDigits, hexOf } from "../../src/hex.ts"
import { scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import { scriptPubKey } from "../../src/answers/script-pub-key.ts"
import { vectorLines } from "./vectors.ts"

const prefixes = NETWORKS.regtest.addresses
const bytes = (digits: string): Uint8Array => bytesOfDigits(digits)!

interface Decoded {
  readonly method?: string
  readonly params: readonly [string]
  readonly result?: { readonly asm: string; readonly desc: string; readonly type: string; readonly address?: string }
}

const decoded = vectorLines("oracle/rpc/rpc.jsonl.gz").map((line) => JSON.parse(line) as Decoded)
  .filter(({ method, result }) => method === "decodescript" && result !== undefined)

describe("scripts in words", () => {
  it.runIf(decoded.length > 0)("are as Bitcoin Core decodes them", () => {
    for (const { params: [digits], result } of decoded) {
      const { address, asm, desc, type } = scriptPubKey(bytes(digits), prefixes)
      assert.deepStrictEqual(
        { asm, type, address },
        { asm: result!.asm, type: result!.type, address: result!.address },
        digits
      )
      assert.strictEqual(desc, result!.desc, digits)
    }
  })

  const texts: ReadonlyArray<readonly [string, string]> = [
    ["", ""],
    ["00", "0"],
    ["4f5160", "-1 1 16"],
    ["50", "OP_RESERVED"],
    ["0181", "-1"],
    ["0180", "0"],
    ["04ffffffff", "-2147483647"],
    ["050000000001", "0000000001"],
    ["4c00", "0"],
    ["02ff", "[error]"],
    ["4d01", "[error]"],
    ["61b1b2ba", "OP_NOP OP_CHECKLOCKTIMEVERIFY OP_CHECKSEQUENCEVERIFY OP_CHECKSIGADD"],
    ["bbfeff", "OP_UNKNOWN OP_UNKNOWN OP_INVALIDOPCODE"],
    ["62637e8d", "OP_VER OP_IF OP_CAT OP_2MUL"]
  ]
  for (const [digits, text] of texts) it(`${digits} is "${text}"`, () => assert.strictEqual(asmOf(bytes(digits)), text))

  it("show what a signature signs only where one is spent with", () => {
    const signature = `30${"06"}${"020101"}${"020101"}`
    assert.strictEqual(spendingAsmOf(bytes(`09${signature}83`)), `${signature}[SINGLE|ANYONECANPAY]`)
    assert.strictEqual(spendingAsmOf(bytes(`09${signature}84`)), `${signature}84`)
    assert.strictEqual(asmOf(bytes(`09${signature}01`)), `${signature}01`)
    assert.strictEqual(spendingAsmOf(bytes(`6a09${signature}01`)), `OP_RETURN ${signature}01`)
  })
})

describe("kinds of scripts", () => {
  const key = `02${"11".repeat(32)}`
  const kinds: ReadonlyArray<readonly [string, string, string]> = [
    ["one of one", `5121${key}51ae`, "multisig"],
    ["more signatures than keys", `5221${key}51ae`, "nonstandard"],
    ["no key at all", "5100ae", "nonstandard"],
    ["a key count that does not fit", `5121${key}52ae`, "nonstandard"],
    ["seventeen of seventeen by number pushes", `0111${`21${key}`.repeat(17)}0111ae`, "multisig"],
    ["two of two counted by a push that is not minimal", `010221${key}21${key}52ae`, "nonstandard"],
    ["twenty-one keys", `51${`21${key}`.repeat(21)}0115ae`, "nonstandard"],
    ["something behind the multisig", `5121${key}51ae61`, "nonstandard"],
    ["a hybrid key", `4106${"22".repeat(64)}ac`, "pubkey"],
    ["a key with the wrong first byte", `2105${"22".repeat(32)}ac`, "nonstandard"],
    ["RETURN with pushes", "6a0401020304", "nulldata"],
    ["RETURN alone", "6a", "nulldata"],
    ["RETURN with a push cut off", "6a04010203", "nonstandard"],
    ["RETURN with an opcode", "6a61", "nonstandard"],
    ["version 0 with another length", `0015${"33".repeat(21)}`, "nonstandard"],
    ["version 1 with another length", `5121${"33".repeat(33)}`, "witness_unknown"],
    ["version 16", "60020000", "witness_unknown"],
    ["an anchor", "51024e73", "anchor"]
  ]
  for (const [name, digits, type] of kinds) {
    it(`${name} is ${type}`, () => assert.strictEqual(scriptKind(bytes(digits)).type, type))
  }
})

describe("addresses", () => {
  it("are read back to the script they were made of, on every network", () => {
    const scripts = [
      `76a914${"ab".repeat(20)}88ac`,
      `a914${"cd".repeat(20)}87`,
      `0014${"01".repeat(20)}`,
      `0020${"02".repeat(32)}`,
      `5120${"03".repeat(32)}`,
      "51024e73",
      "60021234"
    ]
    for (const { addresses } of Object.values(NETWORKS)) {
      for (const digits of scripts) {
        const address = addressOf(scriptKind(bytes(digits)), addresses)!
        assert.strictEqual(hexOf(scriptOfAddress(address, addresses)!), digits, address)
      }
    }
  })

  it("of BIP173 and BIP350 mean the scripts these documents give", () => {
    const { mainnet, testnet3 } = NETWORKS
    const valid: ReadonlyArray<readonly [string, string]> = [
      ["BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "0014751e76e8199196d454941c45d1b3a323f1433bd6"],
      [
        "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
        `5128${"751e76e8199196d454941c45d1b3a323f1433bd6".repeat(2)}`
      ],
      ["BC1SW50QGDZ25J", "6002751e"],
      [
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
        "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
      ]
    ]
    for (const [address, digits] of valid) {
      assert.strictEqual(hexOf(scriptOfAddress(address, mainnet.addresses)!), digits)
    }
    const invalid = [
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
      "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL",
      "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh",
      "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4",
      "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R",
      "bc1pw5dgrnzv",
      "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P",
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf",
      "bc1gmk9yu",
      "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7"
    ]
    for (const address of invalid) assert.isUndefined(scriptOfAddress(address, mainnet.addresses), address)
    assert.isUndefined(scriptOfAddress("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", testnet3.addresses))
    assert.isDefined(scriptOfAddress("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", mainnet.addresses))
    assert.isUndefined(scriptOfAddress("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3", mainnet.addresses))
    assert.isUndefined(scriptOfAddress("", mainnet.addresses))
  })
})

describe("checksums of descriptors", () => {
  it("are those of BIP380", () => {
    assert.strictEqual(descriptorChecksum("raw(deadbeef)"), "89f8spxm")
    assert.isUndefined(descriptorChecksum("raw(Ü)"))
  })
})
