import { childOf, type HeaderNode } from "@lockstep/kernel/chain"
import { type Block, blockHash, headerOf, type Transaction } from "@lockstep/kernel/model"
import { expandTarget, hashNumber } from "@lockstep/kernel/work"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { assembleBlock, setNonce } from "../../../src/engine/mining/block-assembly.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { testCrypto } from "../../engine/test-engine.ts"

/** A block that was made in the simulation, and whether rules allow it. */
export interface MadeBlock {
  readonly key: string
  readonly node: HeaderNode
  readonly parent: MadeBlock | undefined
  readonly bytes: Uint8Array
  /** With all its ancestors. */
  readonly isValid: boolean
  /** Outpoints that it spends, by text. */
  readonly spends: ReadonlySet<string>
}

export interface NewBlock {
  readonly parent: MadeBlock
  /** Makes it another block than others on the same parent. */
  readonly tag: number
  /** Unix seconds. */
  readonly time: number
  readonly script?: Uint8Array
  readonly transactions?: ReadonlyArray<Transaction>
  /** Satoshis claimed beside the subsidy. */
  readonly fees?: bigint
  readonly isInvalid?: boolean
}

/** Pushes a number and drops it: anyone can spend the output. */
const taggedScript = (tag: number): Uint8Array => {
  const script = new Uint8Array(7)
  script[0] = 4
  new DataView(script.buffer).setUint32(1, tag, true)
  script.set([0x75, 0x51], 5)
  return script
}

export const outpointText = ({ txid, vout }: { readonly txid: Uint8Array; readonly vout: number }): string =>
  `${hashKey(txid)}:${vout}`

/** Finds a nonce; `isEnough` false: one whose work is not enough. */
export const grind = (block: Block, isEnough = true): Block => {
  const target = expandTarget(block.header.bits)!
  for (let nonce = 0;; nonce++) {
    const tried = setNonce(block, nonce)
    if ((hashNumber(blockHash(tried.header, testCrypto)) <= target) === isEnough) return tried
  }
}

/** A block of its bytes. */
export const madeOf = (
  parent: MadeBlock,
  bytes: Uint8Array,
  transactions: ReadonlyArray<Transaction>,
  isInvalid = false
): MadeBlock => {
  const header = headerOf(bytes.slice(0, 80))
  const hash = blockHash(header, testCrypto)
  return {
    key: hashKey(hash),
    node: childOf(parent.node, header, hash),
    parent,
    bytes,
    isValid: parent.isValid && !isInvalid,
    spends: new Set(transactions.flatMap(({ inputs }) => inputs.map(({ prevout }) => outpointText(prevout))))
  }
}

export const makeBlock = (
  { fees = 0n, isInvalid = false, parent, script, tag, time, transactions = [] }: NewBlock
): MadeBlock => {
  const contents = { script: script ?? taggedScript(tag), transactions, fees, now: time, version: 0x20000000 }
  const { bytes } = grind(assembleBlock(parent.node, contents, REGTEST.parameters, testCrypto))
  return madeOf(parent, bytes.slice(), transactions, isInvalid)
}

/** The block that all others stand on. */
export const genesis = (): MadeBlock => {
  const header = headerOf(REGTEST.genesisBlock.slice(0, 80))
  const hash = blockHash(header, testCrypto)
  return {
    key: hashKey(hash),
    node: childOf(undefined, header, hash),
    parent: undefined,
    bytes: REGTEST.genesisBlock,
    isValid: true,
    spends: new Set()
  }
}
