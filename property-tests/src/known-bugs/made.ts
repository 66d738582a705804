import { childOf, type HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import type { NaiveBlock } from "../oracles/block.ts"
import { join } from "../oracles/byte-string.ts"
import { hash160 } from "../oracles/hash.ts"
import { sha256d } from "../oracles/hash.ts"
import { type NaiveHeader, serializeHeader } from "../oracles/header.ts"
import { pushOf } from "../oracles/instructions.ts"
import { closed, CONSENSUS_FLAG_NAMES, type NaiveSpend } from "../oracles/spend.ts"
import { tapLeafHash } from "../oracles/taproot.ts"
import type { NaiveOutput, NaiveTransaction } from "../oracles/transaction.ts"
import { KEY_PAIRS, keyPairOfSecret, tweakedSecret } from "../arbitraries/signer.ts"
import { inputOf } from "../sequence/make-block.ts"
import { EASIEST_BITS, GENESIS_TIME } from "../sequence/network.ts"
import { kernelHeader } from "../subject/chain.ts"

export const CONSENSUS = closed(CONSENSUS_FLAG_NAMES)
export const TRUE = Uint8Array.of(0x51)
export const NOTHING = new Uint8Array(0)

/** An id that is a byte repeated. */
export const idOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

export const payToScriptHash = (script: Uint8Array): Uint8Array => join([0xa9], pushOf(hash160(script)), [0x87])

/** A transaction with one input, of the output 0 of id 1, and one output. */
export const plainTransaction = (change: Partial<NaiveTransaction> = {}): NaiveTransaction => ({
  version: 1,
  inputs: [inputOf(idOf(1), 0)],
  outputs: [{ value: 1n, script: TRUE }],
  lockTime: 0,
  ...change
})

/** The spend of `scriptPubKey` by `scriptSig` and `witness`. */
export const spendOf = (
  scriptSig: Uint8Array,
  scriptPubKey: Uint8Array,
  witness: ReadonlyArray<Uint8Array> = [],
  flags: ReadonlySet<string> = CONSENSUS
): NaiveSpend => ({
  tx: plainTransaction({ inputs: [{ ...inputOf(idOf(1), 0), script: scriptSig, witness }] }),
  index: 0,
  spent: [{ value: 0n, script: scriptPubKey }],
  flags
})

/** The output that can be spent by `script` in a tree of one leaf, and what the witness ends with. */
export const taprootOf = (
  script: Uint8Array
): { readonly output: NaiveOutput; readonly tail: ReadonlyArray<Uint8Array> } => {
  const [internal] = KEY_PAIRS
  const key = keyPairOfSecret(tweakedSecret(internal!, tapLeafHash(0xc0, script)))
  const control = join([0xc0 + Number(key.point.y % 2n)], internal!.xOnly)
  return { output: { value: 0n, script: join([0x51], pushOf(key.xOnly)) }, tail: [script, control] }
}

/** A header on top of `parent` at `time`. */
export const headerOn = (
  parent: HeaderNode | undefined,
  time: number,
  change: Partial<NaiveHeader> = {}
): HeaderNode => {
  const header = {
    version: 4,
    previous: parent?.hash ?? new Uint8Array(32),
    merkleRoot: new Uint8Array(32),
    time,
    bits: EASIEST_BITS,
    nonce: 0,
    ...change
  }
  return childOf(parent, kernelHeader(header), sha256d(serializeHeader(header)))
}

/** A chain of so many headers ten minutes apart; answers its last. */
export const chainOf = (length: number): HeaderNode => {
  let node = headerOn(undefined, GENESIS_TIME)
  for (let i = 1; i < length; i++) node = headerOn(node, GENESIS_TIME + i * 600)
  return node
}

/** The headers of a node from genesis on. */
export const headersTo = (last: HeaderNode): ReadonlyArray<HeaderNode> => {
  const nodes: Array<HeaderNode> = []
  for (let at: HeaderNode | undefined = last; at !== undefined; at = at.parent) nodes.push(at)
  return nodes.reverse()
}

/** The block with other transactions under the same header. */
export const withTransactions = (block: NaiveBlock, transactions: NaiveBlock["transactions"]): NaiveBlock => ({
  header: block.header,
  transactions
})
