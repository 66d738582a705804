import { merkleRoot } from "@lockstep/kernel/internal/block/merkle.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { decodeHeader } from "@lockstep/kernel/internal/model/header.ts"
import { blockHash } from "@lockstep/kernel/internal/model/identity.ts"
import { blockWeight } from "@lockstep/kernel/internal/model/weight.ts"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyBlock, merkleLeaves } from "../../arbitraries/block.ts"
import { bytesOf, mutated } from "../../arbitraries/bytes.ts"
import { check } from "../../check.ts"
import * as oracle from "../../oracles/block.ts"
import { fromLittleEndian, join } from "../../oracles/byte-string.ts"
import { merkleRoot as naiveRoot } from "../../oracles/merkle.ts"
import { serializeTransaction } from "../../oracles/transaction.ts"
import { verdictName } from "../../subject/kernel.ts"

const encoded = anyBlock.map(oracle.serializeBlock)
const anyEncoding = fc.oneof(encoded, mutated(encoded), fc.uint8Array({ maxLength: 90 }))

describe("SER header and block", () => {
  it("SER-020/P1 verdict and fields equal the statement", () => {
    check(
      fc.property(fc.oneof(bytesOf(80), bytesOf(79), bytesOf(81), fc.uint8Array({ maxLength: 100 })), (bytes) => {
        const decoded = decodeHeader(bytes)
        agree(verdictName(decoded), bytes.length === 80 ? "OK" : "SER-020")
        if (decoded._tag === "Failure") return
        const uint32 = (at: number): number => Number(fromLittleEndian(bytes.subarray(at, at + 4)))
        const { version, previous, merkleRoot: root, time, bits, nonce } = decoded.success
        agree(
          [previous, root, time, bits, nonce],
          [bytes.subarray(4, 36), bytes.subarray(36, 68), uint32(68), uint32(72), uint32(76)]
        )
        agree(version, uint32(0) | 0)
      })
    )
  })

  it("SER-021/P1 verdict, header and transactions equal the statement", () => {
    check(
      fc.property(anyEncoding, (bytes) => {
        const decoded = decodeBlock(bytes)
        const expected = oracle.parseBlock(bytes)
        agree(verdictName(decoded), typeof expected === "string" ? expected : "OK")
        if (decoded._tag === "Failure") return
        assert(typeof expected !== "string")
        agree(decoded.success.header.bytes, expected.header)
        const inner = expected.transactions.filter((tx) => tx.inputs.length > 0).map(serializeTransaction)
        agree(
          decoded.success.transactions.filter((tx) => tx.inputs.length > 0).map((tx) => tx.bytes),
          inner
        )
        agree(decoded.success.transactions.length, expected.transactions.length)
      })
    )
  })

  it("SER-032/P1 the value equals the statement", () => {
    check(
      fc.property(bytesOf(80), (bytes) => {
        const decoded = decodeHeader(bytes)
        assert(decoded._tag === "Success")
        agree(blockHash(decoded.success, nobleCrypto), oracle.blockHash({ header: bytes, transactions: [] }))
      })
    )
  })

  it("SER-034/P1 the value equals the statement", () => {
    check(
      fc.property(anyBlock, (block) => {
        const decoded = decodeBlock(oracle.serializeBlock(block))
        assert(decoded._tag === "Success")
        agree(blockWeight(decoded.success), oracle.blockWeight(block))
      })
    )
  })

  it("BLK-001/P1 root and flag equal the statement", () => {
    check(fc.property(merkleLeaves, (leaves) => agree(merkleRoot(join(...leaves), nobleCrypto), naiveRoot(leaves))))
  })

  it("BLK-001/P2 repeating the last of an odd number of hashes keeps the root and is noticed", () => {
    check(
      fc.property(fc.array(bytesOf(32), { minLength: 3, maxLength: 15 }), (some) => {
        const leaves = some.length % 2 === 1 ? some : some.slice(1)
        const { root } = merkleRoot(join(...leaves), nobleCrypto)
        agree(merkleRoot(join(...leaves, leaves.at(-1)!), nobleCrypto), { root, mutated: true })
      })
    )
  })
})
