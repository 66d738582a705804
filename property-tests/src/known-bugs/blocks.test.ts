import { checkBlock, checkBlockInContext } from "@lockstep/kernel/internal/block/check-block.ts"
import { merkleRoot } from "@lockstep/kernel/internal/block/merkle.ts"
import { blockIsMutated } from "@lockstep/kernel/internal/block/mutated.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { assert, describe, it } from "vitest"
import type { NaiveBlock } from "../oracles/block.ts"
import { join } from "../oracles/byte-string.ts"
import { sha256d } from "../oracles/hash.ts"
import { type NaiveTransaction, serializeWithoutWitness } from "../oracles/transaction.ts"
import { blockOf, coinbaseOf, committed, inputOf } from "../sequence/make-block.ts"
import { EASIEST_BITS, EASY_NETWORK } from "../sequence/network.ts"
import { kernelBlock, kernelIdentity, kernelIds, kernelParameters } from "../subject/chain.ts"
import { verdictName } from "../subject/kernel.ts"
import { chainOf, idOf, plainTransaction, TRUE, withTransactions } from "./made.ts"

const PARENT = chainOf(20)
const PARAMETERS = kernelParameters(EASY_NETWORK)
const COINBASE = coinbaseOf(20, [{ value: 1n, script: TRUE }], TRUE)
const spends = (count: number): ReadonlyArray<NaiveTransaction> =>
  Array.from({ length: count }, (_, i) => plainTransaction({ inputs: [inputOf(idOf(9), i)] }))

const made = (...transactions: ReadonlyArray<NaiveTransaction>): NaiveBlock =>
  blockOf({ version: 4, previous: PARENT.hash, time: PARENT.header.time + 600, bits: EASIEST_BITS }, transactions)

const alone = (block: NaiveBlock): string =>
  verdictName(checkBlock(kernelBlock(block), kernelIdentity(block), PARAMETERS, nobleCrypto))
const inContext = (block: NaiveBlock): string =>
  verdictName(checkBlockInContext(kernelBlock(block), kernelIdentity(block), PARENT, PARAMETERS, nobleCrypto))
const isMutated = (block: NaiveBlock): boolean =>
  blockIsMutated(kernelBlock(block), kernelIdentity(block), true, nobleCrypto)

/** The transactions with another witness of the first one's input. */
const withNonce = (block: NaiveBlock, witness: ReadonlyArray<Uint8Array>): NaiveBlock =>
  withTransactions(
    block,
    block.transactions.map((tx, i) => (i === 0 ? { ...tx, inputs: [{ ...tx.inputs[0]!, witness }] } : tx))
  )

describe("bugs there were in blocks", () => {
  it.each([
    [3, 1],
    [6, 2],
    [12, 4],
    [5, 1]
  ])("CVE-2012-2459 of %i transactions the last %i once more keep the root, and that is detected", (count, tail) => {
    const honest = made(COINBASE, ...spends(count - 1))
    const repeated = withTransactions(honest, [...honest.transactions, ...honest.transactions.slice(-tail)])
    assert.strictEqual(alone(honest), "OK")
    assert.strictEqual(alone(repeated), "BLK-003")
    assert.isTrue(isMutated(repeated))
    assert.isFalse(isMutated(honest))
    assert.deepStrictEqual(
      merkleRoot(kernelIds(repeated), nobleCrypto).root,
      merkleRoot(kernelIds(honest), nobleCrypto).root
    )
  })

  it("libbitcoin-system #1829 a block without transactions is refused", () => {
    assert.strictEqual(alone(withTransactions(made(COINBASE), [])), "BLK-002")
    const header = join(made(COINBASE).header.subarray(0, 36), new Uint8Array(32), made(COINBASE).header.subarray(68))
    assert.strictEqual(alone({ header, transactions: [] }), "BLK-004")
  })

  it("satd 15b80f4 the witness nonce is one item of 32 bytes, and a commitment is looked at without any witness", () => {
    const block = made(...committed([COINBASE, ...spends(2)]))
    assert.strictEqual(inContext(block), "OK")
    for (const witness of [[], [new Uint8Array(31)], [new Uint8Array(33)], [new Uint8Array(32), new Uint8Array(0)]]) {
      assert.strictEqual(inContext(withNonce(block, witness)), "BLK-011")
    }
    assert.strictEqual(inContext(withNonce(block, [idOf(1)])), "BLK-012")
    assert.strictEqual(inContext(withNonce(made(COINBASE), [new Uint8Array(32)])), "BLK-013")
    const unlocked = made(COINBASE, { ...plainTransaction(), inputs: [{ ...inputOf(idOf(9), 0), witness: [TRUE] }] })
    assert.strictEqual(inContext(unlocked), "BLK-013")
  })

  it("satd 0493e34 CVE-2010-5138 20,000 signature operations are the most that a block's own scripts have", () => {
    const withOps = (count: number): NaiveBlock =>
      made({ ...COINBASE, outputs: [{ value: 0n, script: new Uint8Array(count).fill(0xac) }] })
    assert.deepStrictEqual([20_000, 20_001].map((count) => alone(withOps(count))), ["OK", "BLK-008"])
    const multisig = (count: number): NaiveBlock =>
      made({ ...COINBASE, outputs: [{ value: 0n, script: new Uint8Array(count).fill(0xae) }] })
    assert.deepStrictEqual([1_000, 1_001].map((count) => alone(multisig(count))), ["OK", "BLK-008"])
  })

  it("satd 2b10dd2 CVE-2017-12842 a transaction of 64 bytes makes no honest block suspect", () => {
    // 4 + 1 + 36 + 1 + 4 + 1 + 8 + 1 + 4 with 4 bytes of output script.
    const tx = plainTransaction({ outputs: [{ value: 1n, script: new Uint8Array(4).fill(0x51) }] })
    assert.strictEqual(serializeWithoutWitness(tx).length, 64)
    const block = made(COINBASE, tx)
    assert.isFalse(isMutated(block))
    assert.deepStrictEqual([alone(block), inContext(block)], ["OK", "OK"])
    // The same bytes as a leaf and as an inner node: without a coinbase in front the two cannot be distinguished.
    assert.isTrue(isMutated(made(tx)))
    assert.deepStrictEqual(sha256d(serializeWithoutWitness(tx)), kernelIds(made(tx)))
  })

  it("Floresta d920bbdc a block holds no transaction that is not final yet", () => {
    const locked = (lockTime: number): NaiveBlock =>
      made(COINBASE, plainTransaction({ lockTime, inputs: [{ ...inputOf(idOf(9), 0), sequence: 0 }] }))
    // BIP113: the median of the eleven headers before, not the block's own time.
    const median = PARENT.header.time - 3_000
    const verdicts = [19, 20, median - 1, median].map((time) => inContext(locked(time)))
    assert.deepStrictEqual(verdicts, ["OK", "BLK-009", "OK", "BLK-009"])
  })
})
