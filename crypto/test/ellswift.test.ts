import fc from "fast-check"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { addonPoints } from "../src/transport/addon-points.ts"
import { FIELD, isSquare, squareRoot } from "../src/transport/field.ts"
import { libraryEllSwift } from "../src/transport/library-ellswift.ts"
import { decodedX } from "../src/transport/mapped-ellswift.ts"
import { noblePoints } from "../src/transport/noble-points.ts"
import { bytesOf, numberOf } from "../src/transport/number-bytes.ts"
import { ellSwiftProviders } from "../src/transport/select-ellswift.ts"
import { pairOfX, xOfPair } from "../src/transport/swift-map.ts"

const providers = ellSwiftProviders()

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"))
const hex = (given: Uint8Array): string => Buffer.from(given).toString("hex")

/** Rows of a file of reference vectors; none where they are not at hand. */
const rowsOf = (name: string): ReadonlyArray<ReadonlyArray<string>> => {
  const path = join(process.env["LOCKSTEP_VECTORS"] ?? "", "crypto", name)
  if (process.env["LOCKSTEP_VECTORS"] === undefined || !existsSync(path)) return []
  return readFileSync(path, "utf8").trim().split("\n").slice(1).map((line) => line.split(","))
}

const decodings = rowsOf("ellswift_decode.csv")
const inverses = rowsOf("xswiftec_inv.csv")

/** Private keys, the least and the greatest among them. */
const privateKey = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((key) => key[0]! < 0xff && key.some((byte) => byte > 0)),
  fc.constantFrom(
    bytes("00".repeat(31) + "01"),
    bytes("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140")
  )
)

const half = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  fc.constantFrom(0n, 1n, FIELD - 1n, FIELD, FIELD + 1n, 2n ** 256n - 1n).map(bytesOf)
)

const encoded = fc.tuple(half, half).map(([u, t]) => Uint8Array.of(...u, ...t))

/** The one answer of all providers. */
const answerOfAll = (ask: (provider: (typeof providers)[number]["ellSwift"]) => Uint8Array): Uint8Array => {
  const answers = providers.map(({ detail, ellSwift }) => ({ detail, answer: hex(ask(ellSwift)) }))
  for (const { answer, detail } of answers) assert.strictEqual(answer, answers[0]!.answer, detail)
  return bytes(answers[0]!.answer)
}

describe(`ElligatorSwift by ${providers.map(({ detail }) => detail).join(", ")}`, () => {
  it("encodes the public key, the same bytes by every provider", () => {
    fc.assert(
      fc.property(privateKey, fc.uint8Array({ minLength: 32, maxLength: 32 }), (key, entropy) => {
        const key64 = answerOfAll(({ encodePublicKey }) => encodePublicKey(key, entropy))
        assert.strictEqual(key64.length, 64)
        assert.strictEqual(hex(decodedX(key64)), hex(noblePoints.publicKey(key).subarray(0, 32)))
      }),
      { numRuns: 40 }
    )
  })

  it("encodes one key differently for other entropy", () => {
    const key = new Uint8Array(32).fill(7)
    for (const { ellSwift } of providers) {
      const encodings = [0, 1, 2, 3].map((i) => hex(ellSwift.encodePublicKey(key, new Uint8Array(32).fill(i))))
      assert.strictEqual(new Set(encodings).size, 4)
    }
  })

  it("comes to the same secret on both sides, and with every provider for any 64 bytes", () => {
    fc.assert(
      fc.property(privateKey, privateKey, encoded, (ours, theirs, any) => {
        const entropy = new Uint8Array(32)
        const [first, second] = [ours, theirs].map((key) =>
          answerOfAll(({ encodePublicKey }) => encodePublicKey(key, entropy))
        )
        const initiator = answerOfAll(({ sharedSecret }) => sharedSecret(ours, first!, second!, true))
        const responder = answerOfAll(({ sharedSecret }) => sharedSecret(theirs, second!, first!, false))
        assert.strictEqual(hex(initiator), hex(responder))
        assert.notStrictEqual(
          hex(initiator),
          hex(answerOfAll(({ sharedSecret }) => sharedSecret(ours, first!, any, true)))
        )
      }),
      { numRuns: 30 }
    )
  })

  it("has the addon of this machine among its providers, as the signatures have", () => {
    assert.strictEqual(providers.some(({ detail }) => detail === "secp256k1"), addonPoints().ok)
    assert.strictEqual(providers.at(-1)!.detail, "pure JavaScript")
  })

  it("is not taken from a library without it", () => {
    const found = libraryEllSwift(["libnothing.so.1"])
    assert.deepStrictEqual(found, {
      ok: false,
      reason: "no libsecp256k1 with ElligatorSwift on this system (tried libnothing.so.1)"
    })
    assert.isFalse(addonPoints("no-such-addon").ok)
  })
})

describe("the mapping between x and pairs", () => {
  it("leads back to x in every branch that has a pair, and no two branches have the same", () => {
    fc.assert(
      fc.property(privateKey, half, (key, u) => {
        const x = numberOf(noblePoints.publicKey(key).subarray(0, 32))
        const found = Array.from({ length: 8 }, (_, branch) => pairOfX(x, numberOf(u) % FIELD, branch))
        const pairs = found.filter((t) => t !== undefined)
        if (numberOf(u) % FIELD === 0n) return
        for (const t of pairs) assert.strictEqual(xOfPair(numberOf(u), t), x)
        assert.strictEqual(new Set(pairs).size, pairs.length)
      }),
      { numRuns: 60 }
    )
  })

  it("distinguishes squares from other numbers", () => {
    fc.assert(
      fc.property(half.map(numberOf), (number) => {
        const square = number * number % FIELD
        assert.isTrue(isSquare(square))
        const root = squareRoot(square)
        assert.strictEqual(root * root % FIELD, square)
        // -1 is no square modulo p.
        assert.strictEqual(isSquare(-square), square === 0n)
      }),
      { numRuns: 60 }
    )
  })

  it.skipIf(decodings.length === 0)("agrees with the reference decodings", () => {
    assert.isAbove(decodings.length, 70)
    for (const [encoding, x, comment] of decodings) {
      assert.strictEqual(hex(decodedX(bytes(encoding!))), x, comment)
    }
  })

  it.skipIf(inverses.length === 0)("agrees with the reference encodings in each of the eight branches", () => {
    assert.isAbove(inverses.length, 30)
    for (const [u, x, ...branches] of inverses) {
      const found = Array.from({ length: 8 }, (_, branch) => {
        const t = pairOfX(numberOf(bytes(x!)), numberOf(bytes(u!)), branch)
        return t === undefined ? "" : hex(bytesOf(t))
      })
      assert.deepStrictEqual(found, branches.slice(0, 8), `u ${u}, x ${x}`)
    }
  })
})
