import { nobleCrypto } from "@lockstep/kernel/noble"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Hashes } from "../src/hash/hashes.ts"
import { nodeCryptoHashes } from "../src/hash/node-crypto.ts"
import { opensslHashes } from "../src/hash/openssl.ts"

const openssl = opensslHashes()
const candidates: ReadonlyArray<readonly [string, Hashes]> = [
  ["node:crypto", nodeCryptoHashes],
  ...(openssl.ok ? [["OpenSSL", openssl.value] as const] : [])
]

const NAMES = ["sha256", "sha256d", "ripemd160", "sha1", "hash160"] as const
const sequence = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 167 + (i >> 8)) & 0xff)

const agrees = (hashes: Hashes, data: Uint8Array): boolean =>
  NAMES.every((name) => Buffer.compare(hashes[name](data), nobleCrypto[name](data)) === 0)

describe.each(candidates)("hashes by %s", (_, hashes) => {
  it("agree with the reference for every length up to 300", () => {
    for (let length = 0; length <= 300; length++) assert(agrees(hashes, sequence(length)), `length ${length}`)
  })

  it("agree around the sizes of buffers and for a megabyte", () => {
    for (const length of [511, 512, 513, 4_095, 4_096, 4_097, 8_192, 65_536, 1_000_000]) {
      assert(agrees(hashes, sequence(length)), `length ${length}`)
    }
  })

  it("agree on random bytes that are a part of something larger", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 5_000 }),
        fc.nat(5_000),
        fc.nat(5_000),
        (bytes, a, b) => agrees(hashes, bytes.subarray(Math.min(a, b), Math.max(a, b)))
      )
    )
  })

  it("read memory that threads share", () => {
    for (const length of [10, 200, 10_000]) {
      const shared = new Uint8Array(new SharedArrayBuffer(length + 7)).subarray(7)
      shared.set(sequence(length))
      assert(agrees(hashes, shared))
    }
  })

  it("return plain arrays that later calls leave alone", () => {
    for (const name of NAMES) {
      const first = hashes[name](sequence(40))
      const copy = Uint8Array.from(first)
      hashes[name](sequence(41))
      hashes[name](sequence(5_000))
      assert.deepStrictEqual(first, copy)
      assert.strictEqual(first.constructor, Uint8Array)
    }
  })

  it("hash one level of a merkle tree", () => {
    for (const pairs of [1, 2, 3, 4, 5, 7, 63, 64, 65, 127, 128, 129, 1_024, 1_025]) {
      const level = sequence(pairs * 64)
      const before = Uint8Array.from(level)
      const parents = hashes.sha256dPairs(level)
      assert.strictEqual(parents.constructor, Uint8Array)
      assert.deepStrictEqual(parents, nobleCrypto.sha256dPairs(level), `${pairs} pairs`)
      assert.deepStrictEqual(level, before)
    }
  })

  it("hash a pair as the hash of its 64 bytes", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        (pair) => Buffer.compare(hashes.sha256dPairs(pair), hashes.sha256d(pair)) === 0
      )
    )
  })
})
