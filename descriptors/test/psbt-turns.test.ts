import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { psbtInput } from "@lockstep/protocol/psbt/psbt.ts"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { analyzePsbt } from "../src/psbt/analyze-psbt.ts"
import { psbtOfText } from "../src/psbt/psbt-text.ts"
import { finalizePsbt } from "../src/psbt/sign/finalize-psbt.ts"
import { noteOrigin } from "../src/psbt/sign/sign-key.ts"
import { dataOfInput, fillInput, knownKey } from "../src/psbt/sign/signature-data.ts"
import { noSignatures } from "../src/psbt/sign/signature-creator.ts"
import { emptyProvider } from "../src/psbt/sign/signing-provider.ts"
import { psbtOfSpending, scriptOfDescriptor, spendingOf, testKey, testKeyText } from "./spend-of.ts"

const sized = (bytes: Uint8Array): Uint8Array => concatBytes([encodeCompactSize(bytes.length), bytes])

/** A key of 33 bytes that ends with a number. */
const keyOf = (number: number): Uint8Array => {
  const key = new Uint8Array(33)
  key[0] = 2
  new DataView(key.buffer).setUint32(29, number)
  return key
}

/** A text of version 2 with one input and no output, with what several sign for together. */
const jointText = (participants: ReadonlyArray<Uint8Array>): string => {
  const field = (type: number, key: Uint8Array, value: Uint8Array): Uint8Array =>
    concatBytes([sized(Uint8Array.of(type, ...key)), sized(value)])
  const none = new Uint8Array(0)
  const word = new Uint8Array(4)
  return Buffer.from(concatBytes([
    Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff),
    field(2, none, Uint8Array.of(2, 0, 0, 0)),
    field(4, none, Uint8Array.of(1)),
    field(5, none, Uint8Array.of(0)),
    field(0xfb, none, Uint8Array.of(2, 0, 0, 0)),
    Uint8Array.of(0),
    field(0x0e, none, new Uint8Array(32)),
    field(0x0f, none, word),
    field(0x1a, keyOf(0), concatBytes(participants)),
    Uint8Array.of(0)
  ])).toString("base64")
}

/** A native library as far as it is asked for points: `last` alone is none. It notes what it was asked for. */
const pointsBut = (last: Uint8Array | undefined, asked: Array<string>): Crypto => ({
  ...nobleCrypto,
  taprootTweakMatches: (internal, tweak, output, parity) => {
    asked.push(hexOf(internal))
    assert.isTrue(tweak.every((byte) => byte === 0) && parity === 0)
    assert.deepStrictEqual(internal, output)
    return last === undefined || hexOf(internal) !== hexOf(last.subarray(1))
  }
})

/** How often the event loop turns while something runs. */
const turnsDuring = async (run: () => Promise<unknown>): Promise<number> => {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await run()
  isOver = true
  return turns
}

describe("large partially signed transactions", () => {
  const KEYS = 3_000
  const many = Array.from({ length: KEYS }, (_, i) => keyOf(i))

  it("lets the event loop turn while the keys of one field are read", async () => {
    const asked: Array<string> = []
    const turns = await turnsDuring(() => Effect.runPromise(psbtOfText(jointText(many), pointsBut(undefined, asked))))
    assert.strictEqual(asked.length, KEYS)
    assert.isAtLeast(turns, KEYS / 200)
  })

  it("looks at each key once, however often it comes, and names the fault of the last one", async () => {
    const asked: Array<string> = []
    const same = Array.from({ length: KEYS }, () => keyOf(1))
    await Effect.runPromise(psbtOfText(jointText(same), pointsBut(undefined, asked)))
    assert.strictEqual(asked.length, 2)
    const refused = psbtOfText(jointText(many), pointsBut(many.at(-1), []))
    assert.strictEqual(
      await Effect.runPromise(Effect.flip(refused)),
      "TX decode failed Input musig2 participant pubkey is invalid: iostream error"
    )
  })

  it.each(["wpkh(A)", "tr(A)", "pkh(A)"])(
    "hashes of %s no more than twice as much for twice the inputs",
    async (text) => {
      const { script } = scriptOfDescriptor(text.replace("A", testKeyText(testKey(1))))
      const hashed = async (count: number): Promise<number> => {
        let bytes = 0
        const noting = (hash: (data: Uint8Array) => Uint8Array) => (data: Uint8Array): Uint8Array => {
          bytes += data.length
          return hash(data)
        }
        const crypto = { ...nobleCrypto, sha256: noting(nobleCrypto.sha256), sha256d: noting(nobleCrypto.sha256d) }
        const coins = Array.from({ length: count }, () => ({ value: 1_000n, script }))
        await Effect.runPromise(analyzePsbt(psbtOfSpending(spendingOf(coins), coins), crypto))
        await Effect.runPromise(finalizePsbt(psbtOfSpending(spendingOf(coins), coins), crypto))
        return bytes
      }
      assert.isAtMost(await hashed(80), 2.2 * await hashed(40))
    }
  )

  it("hashes each known key once, however many scripts ask for a key by its hash", () => {
    const input = psbtInput({ txid: new Uint8Array(32), vout: 0 }, 0)
    const origin = { fingerprint: new Uint8Array(4), path: [] }
    for (const key of many.slice(0, 100)) input.origins.set(hexOf(key), { key, origin })
    for (const key of many.slice(100, 200)) {
      input.taprootOrigins.set(hexOf(key.subarray(1)), { key: key.subarray(1), origin, leafHashes: [] })
    }
    const data = dataOfInput(input)
    let hashes = 0
    const crypto: Crypto = {
      ...nobleCrypto,
      hash160: (bytes) => {
        hashes++
        return nobleCrypto.hash160(bytes)
      }
    }
    const found = many.slice(0, 250).map((key, i) =>
      knownKey(data, nobleCrypto.hash160(i < 100 ? key : key.subarray(1)), crypto)
    )
    assert.deepStrictEqual(found, many.slice(0, 250).map((key, i) => i < 200 ? key : undefined))
    assert.strictEqual(hashes, 200)
  })

  it("reads each leaf of a key a few times, however many it has, and writes them in order beside those it had", () => {
    const input = psbtInput({ txid: new Uint8Array(32), vout: 0 }, 0)
    const key = testKey(1).publicKey.subarray(1)
    const origin = { fingerprint: new Uint8Array(4), path: [1] }
    let reads = 0
    const leaves = Array.from({ length: 300 }, (_, i) => {
      const leaf = keyOf(i).slice(1)
      const { buffer } = leaf
      return Object.defineProperty(leaf, "buffer", {
        get: () => {
          reads++
          return buffer
        }
      })
    })
    const [first, ...others] = leaves
    const data = dataOfInput(input)
    data.taprootKeys.set(hexOf(key), { key, origin, leafHashes: [first!] })
    const signing = { provider: emptyProvider(), creator: noSignatures, data, crypto: nobleCrypto }
    const other = { ...origin, path: [2] }
    for (const leaf of [...others.toReversed(), undefined, first]) noteOrigin(key, leaf, other, signing)
    fillInput(input, data)
    assert.isAtMost(reads, 5 * leaves.length)
    assert.deepStrictEqual([...input.taprootOrigins.values()], [{ key, origin, leafHashes: leaves }])
  })
})
