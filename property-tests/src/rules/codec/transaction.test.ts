import { cursorOn } from "@lockstep/kernel/internal/bytes/cursor.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { transactionId, witnessTransactionId } from "@lockstep/kernel/internal/model/identity.ts"
import {
  decodeTransaction,
  encodeWithoutWitness,
  optionalDataIsKnown,
  readTransaction,
  witnessIsNotSuperfluous
} from "@lockstep/kernel/internal/model/transaction-codec.ts"
import type { Transaction } from "@lockstep/kernel/internal/model/transaction.ts"
import { transactionWeight } from "@lockstep/kernel/internal/model/weight.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { mutated } from "../../arbitraries/bytes.ts"
import { anyTransaction, inputWith } from "../../arbitraries/transaction.ts"
import { check } from "../../check.ts"
import { join, littleEndian } from "../../oracles/byte-string.ts"
import * as reading from "../../oracles/read-transaction.ts"
import * as oracle from "../../oracles/transaction.ts"
import { kernelTransaction, verdictName } from "../../subject/kernel.ts"

const wellFormed = anyTransaction.map(oracle.serializeTransaction)

/** A witness form with any flag and with witnesses that may all be empty. */
const flagged = fc
  .tuple(anyTransaction, fc.constantFrom(0, 1, 2, 3, 4, 5, 0x80, 0xff), fc.boolean())
  .map(([tx, flag, emptied]) => {
    const witnesses = tx.inputs.map((input) => oracle.serializeWitness(emptied ? [] : input.witness))
    return join(
      littleEndian(tx.version, 4),
      [0, flag],
      oracle.serializeBody(tx),
      ...(flag % 2 === 1 ? witnesses : []),
      littleEndian(tx.lockTime, 4)
    )
  })

const anyEncoding: Arbitrary<Uint8Array> = fc.oneof(
  wellFormed,
  flagged,
  mutated(wellFormed),
  mutated(flagged),
  fc.uint8Array({ maxLength: 20 }),
  fc.constant(join(littleEndian(1, 4), [0, 0], littleEndian(0, 4)))
)

/** The fields of the kernel's transaction in the oracle's words. */
const fieldsOf = (tx: Transaction): oracle.NaiveTransaction => ({
  version: tx.version,
  inputs: tx.inputs.map(({ prevout, script, sequence, witness }) => ({
    txid: prevout.txid,
    vout: prevout.vout,
    script,
    sequence,
    witness
  })),
  outputs: tx.outputs,
  lockTime: tx.lockTime
})

describe("SER transaction", () => {
  it("SER-010/P1 verdict, transaction and bytes consumed equal the statement", () => {
    check(
      fc.property(anyEncoding, fc.uint8Array({ maxLength: 4 }), (encoding, tail) => {
        const bytes = join(encoding, tail)
        const cursor = cursorOn(bytes)
        const tx = readTransaction(cursor)
        const expected = reading.readTransaction(bytes)
        agree(cursor.broken?.rule, typeof expected === "string" ? expected : undefined)
        if (typeof expected === "string") return
        agree(fieldsOf(tx), expected[0])
        agree(cursor.offset, bytes.length - expected[1].length)
        agree([tx.bytes, tx.body], [bytes.subarray(0, cursor.offset), oracle.serializeBody(expected[0])])
      }),
      600
    )
  })

  it("SER-010/P2 every proper prefix of a transaction is cut off", () => {
    check(
      fc.property(wellFormed, fc.nat(), (bytes, at) => {
        const cursor = cursorOn(bytes.subarray(0, at % bytes.length))
        readTransaction(cursor)
        agree(cursor.broken?.rule, "SER-003")
      })
    )
  })

  it("SER-011/P1 the verdict equals the statement", () => {
    check(
      fc.property(fc.array(inputWith, { maxLength: 3 }), fc.boolean(), (inputs, emptied) => {
        const tx = {
          version: 1,
          inputs: inputs.map((input) => (emptied ? { ...input, witness: [] } : input)),
          outputs: [],
          lockTime: 0
        }
        agree(
          verdictName(witnessIsNotSuperfluous(kernelTransaction(tx).inputs)),
          oracle.hasWitness(tx) ? "OK" : "SER-011"
        )
      })
    )
  })

  it("SER-012/P1 the verdict equals the statement, for all flags", () => {
    for (let flag = 1; flag < 256; flag++) agree(verdictName(optionalDataIsKnown(flag)), flag === 1 ? "OK" : "SER-012")
  })

  it("SER-013/P1 the bytes equal the statement", () => {
    check(
      fc.property(
        anyTransaction,
        (tx) => agree(encodeWithoutWitness(kernelTransaction(tx)), oracle.serializeWithoutWitness(tx))
      )
    )
  })

  it("SER-013/P2 decoding them gives the same transaction without witnesses", () => {
    check(
      fc.property(anyTransaction, (tx) => {
        const decoded = decodeTransaction(encodeWithoutWitness(kernelTransaction(tx)))
        assert(decoded._tag === "Success")
        agree(fieldsOf(decoded.success), { ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness: [] })) })
      })
    )
  })

  it("SER-014/P1 verdict and transaction equal the statement", () => {
    check(
      fc.property(anyEncoding, (bytes) => {
        const decoded = decodeTransaction(bytes)
        const expected = reading.parseTransaction(bytes)
        agree(verdictName(decoded), typeof expected === "string" ? expected : "OK")
        if (decoded._tag === "Success") agree(fieldsOf(decoded.success), expected)
      }),
      600
    )
  })

  it("SER-014/P2 writing what was decoded gives the bytes back", () => {
    check(
      fc.property(anyEncoding, (bytes) => {
        const decoded = decodeTransaction(bytes)
        if (decoded._tag === "Failure" || decoded.success.inputs.length === 0) return
        agree(oracle.serializeTransaction(fieldsOf(decoded.success)), bytes)
      }),
      400
    )
  })

  it("SER-030/P1 the value equals the statement", () => {
    check(
      fc.property(
        anyTransaction,
        (tx) => agree(transactionId(kernelTransaction(tx), nobleCrypto), oracle.transactionId(tx))
      )
    )
  })

  it("SER-031/P1 the value equals the statement", () => {
    check(
      fc.property(
        anyTransaction,
        (tx) => agree(witnessTransactionId(kernelTransaction(tx), nobleCrypto), oracle.witnessTransactionId(tx))
      )
    )
  })

  it("SER-031/P2 both ids are one exactly when no input has a witness", () => {
    check(
      fc.property(anyTransaction, (tx) => {
        const kernel = kernelTransaction(tx)
        const same = Buffer.compare(transactionId(kernel, nobleCrypto), witnessTransactionId(kernel, nobleCrypto)) === 0
        agree(
          same,
          tx.inputs.every((input) => input.witness.length === 0)
        )
      })
    )
  })

  it("SER-033/P1 the value equals the statement", () => {
    check(
      fc.property(anyTransaction, (tx) => agree(transactionWeight(kernelTransaction(tx)), oracle.transactionWeight(tx)))
    )
  })

  it("SER-033/P2 weight lies between four times the stripped and four times the full size", () => {
    check(
      fc.property(anyTransaction, (tx) => {
        const weight = transactionWeight(kernelTransaction(tx))
        const [stripped, full] = [
          4 * oracle.serializeWithoutWitness(tx).length,
          4 * oracle.serializeTransaction(tx).length
        ]
        const plain = tx.inputs.every((input) => input.witness.length === 0)
        assert(stripped <= weight && weight <= full)
        agree([weight === stripped, weight === full], [plain, plain])
      })
    )
  })
})
