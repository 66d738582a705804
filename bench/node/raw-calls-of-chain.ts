import { readFileSync } from "node:fs"
import {
  CONSENSUS_FLAGS,
  createMachine,
  type Crypto,
  decodeBlock,
  judgeScripts,
  type Transaction,
  transactionId,
  type TransactionOutput
} from "../../kernel/src/index.ts"
import { blocksOf } from "./bench-chain.ts"

/** One question about a signature that judging the chain asks the provider. */
export interface RawCall {
  readonly isSchnorr: boolean
  readonly signature: Uint8Array
  readonly key: Uint8Array
  readonly digest: Uint8Array
}

/** So many that keys come back as often as they do in the whole chain. */
const LONG_STRETCH = 65_536

const keyOf = (txid: Uint8Array, vout: number): string => `${Buffer.from(txid).toString("latin1")}${vout}`

/** The first questions that judging the chain asks, in its order. They are noted, not answered. */
export const rawCallsOfChain = (chain: string, crypto: Crypto): ReadonlyArray<RawCall> => {
  const outputs = new Map<string, TransactionOutput>()
  const calls: Array<RawCall> = []
  const note = (isSchnorr: boolean) => (signature: Uint8Array, key: Uint8Array, digest: Uint8Array): boolean => {
    calls.push({ isSchnorr, signature: Uint8Array.from(signature), key: Uint8Array.from(key), digest })
    return true
  }
  const machine = createMachine({ ...crypto, ecdsaVerify: note(false), schnorrVerify: note(true) })
  const judge = (tx: Transaction): void => {
    const coins = tx.inputs.map(({ prevout }) => ({
      ...outputs.get(keyOf(prevout.txid, prevout.vout))!,
      height: 0,
      isCoinbase: false
    }))
    const verdict = judgeScripts(machine, { tx, coins, flags: CONSENSUS_FLAGS })
    if (verdict._tag === "Failure") {
      throw new Error(`a transaction of the chain does not hold (${verdict.failure.rule})`)
    }
  }
  for (const bytes of blocksOf(new Uint8Array(readFileSync(chain)))) {
    if (calls.length >= LONG_STRETCH) break
    const decoded = decodeBlock(bytes)
    if (decoded._tag === "Failure") throw new Error(`${chain} holds something that is no block`)
    for (const [i, tx] of decoded.success.transactions.entries()) {
      if (i > 0) judge(tx)
      const txid = transactionId(tx, crypto)
      for (const [vout, output] of tx.outputs.entries()) outputs.set(keyOf(txid, vout), output)
    }
  }
  return calls
}
