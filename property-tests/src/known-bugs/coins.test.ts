import { collectBlock } from "@lockstep/kernel/internal/connect/collect.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { forbidsOverwriting } from "@lockstep/kernel/internal/deployment/repeated-coinbase.ts"
import { blockScriptFlags } from "@lockstep/kernel/internal/deployment/script-flags.ts"
import { ScriptFlag } from "@lockstep/kernel/internal/script/flags.ts"
import { disconnectBlock } from "@lockstep/kernel/internal/utxo/undo.ts"
import { assert, describe, it } from "vitest"
import { type NaiveBlock, serializeBlock } from "../oracles/block.ts"
import { type NaiveCoins, outPointKey } from "../oracles/coins.ts"
import { type NaiveTransaction, transactionId } from "../oracles/transaction.ts"
import { blockOf, coinbaseOf, inputOf } from "../sequence/make-block.ts"
import { type KernelNode, kernelNode, offerToKernel, sameCoins } from "../sequence/kernel-node.ts"
import { EASIEST_BITS, EASY_NETWORK, GENESIS_TIME } from "../sequence/network.ts"
import { kernelBlock, kernelIdentity, kernelParameters, kernelView, withChanges } from "../subject/chain.ts"
import { chainOf, headerOn, idOf, plainTransaction, TRUE } from "./made.ts"

const NEVER = 1_000_000_000
const PARAMETERS = kernelParameters(EASY_NETWORK)
const OLD = { ...PARAMETERS, heights: { bip34: NEVER, bip65: NEVER, bip66: NEVER, csv: NEVER, segwit: NEVER } }
const PARENT = chainOf(20)
const COINBASE = coinbaseOf(20, [{ value: 0n, script: TRUE }], TRUE)
const coin = (value: bigint, height = 5, isCoinbase = false) => ({ value, script: TRUE, height, isCoinbase })
const ONE: NaiveCoins = new Map([[outPointKey(idOf(1), 0), coin(9n)]])

const made = (...transactions: ReadonlyArray<NaiveTransaction>): NaiveBlock =>
  blockOf({ version: 4, previous: PARENT.hash, time: PARENT.header.time + 600, bits: EASIEST_BITS }, transactions)

const collected = (block: NaiveBlock, coins: NaiveCoins, parameters = OLD) => {
  const node = headerOn(PARENT, PARENT.header.time + 600)
  return collectBlock(kernelBlock(block), node, kernelIdentity(block), parameters, kernelView(coins))
}

describe("bugs there were in coins", () => {
  it("Floresta d01523c6 CVE-2018-17144 an output is spent once in a block, whether scripts are judged or not", () => {
    const again = plainTransaction({ lockTime: 1 })
    assert.strictEqual(collected(made(COINBASE, plainTransaction(), again), ONE).failure?.rule, "TXI-001")
    const made_ = plainTransaction()
    const child = plainTransaction({ inputs: [inputOf(transactionId(made_), 0)] })
    assert.strictEqual(collected(made(COINBASE, made_, child), ONE).failure, undefined)
    assert.strictEqual(collected(made(COINBASE, made_, child, { ...child, lockTime: 1 }), ONE).failure?.rule, "TXI-001")
    assert.strictEqual(collected(made(COINBASE, child, made_), ONE).failure?.rule, "TXI-001")
  })

  it("CVE-2012-1909 a coinbase that is there unspent may not come once more", () => {
    const there: NaiveCoins = new Map([[outPointKey(transactionId(COINBASE), 0), coin(0n, 3, true)]])
    assert.strictEqual(collected(made(COINBASE), there).failure?.rule, "UTX-005")
    assert.strictEqual(collected(made(COINBASE), new Map()).failure, undefined)
  })

  it("btcd 29d105bb BIP30 is skipped on top of the block that activated BIP34 only", () => {
    const chain = chainOf(20)
    const activation = headerOn(chain, GENESIS_TIME)
    const parameters = { ...OLD, heights: { ...OLD.heights, bip34: 20 }, bip34Hash: activation.hash }
    assert.isTrue(forbidsOverwriting(chain, parameters))
    // btcd 5baa6387: the activating block itself is not on top of itself.
    assert.isTrue(forbidsOverwriting(activation, parameters))
    assert.isFalse(forbidsOverwriting(headerOn(activation, GENESIS_TIME), parameters))
    // A branch of the same height without that block.
    const other = headerOn(headerOn(chain, GENESIS_TIME + 1), GENESIS_TIME)
    assert.isTrue(forbidsOverwriting(other, parameters))
    assert.isTrue(forbidsOverwriting(headerOn(activation, GENESIS_TIME), { ...parameters, bip34Hash: undefined }))
  })

  it("btcd 6803c625 BIP30 is looked at again from height 1,983,702 on", () => {
    const activation = chainOf(21)
    const parameters = { ...OLD, heights: { ...OLD.heights, bip34: 20 }, bip34Hash: activation.hash }
    const child = headerOn(activation, GENESIS_TIME)
    assert.isFalse(forbidsOverwriting({ ...child, height: 21 }, parameters))
    assert.isTrue(forbidsOverwriting({ ...child, height: 1_983_702 }, parameters))
  })

  it("bitcoin-rs a8f3eaa BIP30's exceptions are of a block, and undoing one brings the overwritten coin back", () => {
    const block = made(COINBASE)
    const { hash, transactionIds } = kernelIdentity(block)
    const node = { ...headerOn(PARENT, PARENT.header.time + 600), hash }
    const parameters = { ...OLD, repeatedCoinbases: [{ height: 20, hash }] }
    assert.isFalse(forbidsOverwriting(node, parameters))
    assert.isTrue(forbidsOverwriting({ ...node, hash: idOf(3) }, parameters))
    assert.isTrue(forbidsOverwriting({ ...node, height: 21 }, parameters))

    const before: NaiveCoins = new Map([[outPointKey(transactionId(COINBASE), 0), coin(0n, 3, true)]])
    const connected = collectBlock(kernelBlock(block), node, kernelIdentity(block), parameters, kernelView(before))
    assert.strictEqual(connected.failure, undefined)
    const after = withChanges(before, connected.delta)
    assert.isTrue(sameCoins(after, new Map([[[...before.keys()][0]!, coin(0n, 20, true)]])))
    const back = disconnectBlock(kernelBlock(block), transactionIds, 20, connected.undo, kernelView(after), 1)
    assert(back._tag === "Success")
    assert.isTrue(sameCoins(withChanges(after, back.success), before))
  })

  it("bitcoin-rs 49bf5cd a block that breaks P2SH is named by its hash, not by a height", () => {
    const parameters = {
      ...OLD,
      scriptFlagExceptions: [{ hash: idOf(1), flags: 0 }, { hash: idOf(2), flags: ScriptFlag.P2SH }]
    }
    assert.strictEqual(blockScriptFlags(idOf(1), 170_060, parameters), 0)
    assert.strictEqual(blockScriptFlags(idOf(2), 709_632, parameters), ScriptFlag.P2SH)
    const usual = ScriptFlag.P2SH | ScriptFlag.WITNESS | ScriptFlag.TAPROOT
    assert.strictEqual(blockScriptFlags(idOf(3), 170_060, parameters), usual)
    assert.strictEqual(blockScriptFlags(idOf(3), 0, parameters), usual)
    const later = { ...parameters, heights: { ...parameters.heights, bip66: 100 } }
    assert.strictEqual(blockScriptFlags(idOf(1), 100, later), ScriptFlag.DERSIG)
  })

  it("satd 3060506 flags follow the heights of the network they are asked for", () => {
    const all = ScriptFlag.P2SH | ScriptFlag.WITNESS | ScriptFlag.TAPROOT | ScriptFlag.DERSIG | ScriptFlag.NULLDUMMY |
      ScriptFlag.CHECKLOCKTIMEVERIFY | ScriptFlag.CHECKSEQUENCEVERIFY
    assert.strictEqual(blockScriptFlags(idOf(9), 1, PARAMETERS), all)
    assert.strictEqual(blockScriptFlags(idOf(9), 1, OLD), ScriptFlag.P2SH | ScriptFlag.WITNESS | ScriptFlag.TAPROOT)
  })

  it("CVE-2013-3220 a block may touch any number of coins", () => {
    const inputs = Array.from({ length: 6_000 }, (_, i) => inputOf(idOf(1), i))
    const coins: NaiveCoins = new Map(inputs.map(({ txid, vout }) => [outPointKey(txid, vout), coin(1n)]))
    const outputs = Array.from({ length: 6_000 }, () => ({ value: 1n, script: TRUE }))
    const connected = collected(made(COINBASE, plainTransaction({ inputs, outputs })), coins)
    assert.strictEqual(connected.failure, undefined)
    assert.strictEqual(connected.delta.changes.outpoints.length, 12_001)
  })

  it("satd 885b69e a reorganisation that fails halfway leaves the coins that there were", () => {
    const genesis = blockOf({ version: 4, previous: idOf(0), time: GENESIS_TIME, bits: EASIEST_BITS }, [COINBASE])
    const node: KernelNode = kernelNode(PARAMETERS, serializeBlock(genesis), GENESIS_TIME + 9_000, nobleCrypto)
    const on = (parent: NaiveBlock, height: number, value: bigint): NaiveBlock => {
      const { hash } = kernelIdentity(parent)
      const coinbase = coinbaseOf(height, [{ value, script: TRUE }], Uint8Array.of(Number(value % 200n)))
      return blockOf({ version: 4, previous: hash, time: GENESIS_TIME + height * 600, bits: EASIEST_BITS }, [coinbase])
    }
    const offered = (block: NaiveBlock): string => offerToKernel(node, serializeBlock(block)).said
    const [a1, b1] = [on(genesis, 1, 1n), on(genesis, 1, 2n)]
    const a2 = on(a1, 2, 3n)
    const b2 = on(b1, 2, 4n)
    const tooMuch = on(b2, 3, 5_000_000_001n)
    for (const block of [a1, a2]) assert.strictEqual(offered(block), "OK")
    const before = new Map(node.coins)
    const { tip } = node
    for (const block of [b1, b2, tooMuch]) assert.strictEqual(offered(block), "OK")
    assert.deepStrictEqual([...node.judged.values()].filter((said) => !said.startsWith("OK")), ["UTX-008"])
    assert.deepStrictEqual(node.faults, [])
    assert.strictEqual(node.tip, tip)
    assert.isTrue(sameCoins(node.coins, before))
  })
})
