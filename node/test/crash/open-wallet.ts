import type { Store } from "@lockstep/conformance/chain/store.ts"
import { hexOf } from "@lockstep/conformance/formats/hex.ts"
import { bytesEqual } from "@lockstep/kernel/bytes/equal.ts"
import { transactionOf } from "@lockstep/kernel/model/transaction-encode.ts"
import type { PlacedCoin } from "@lockstep/kernel/utxo/coin.ts"
import { createHash } from "node:crypto"
import type { Random } from "./random.ts"

/** A script that anybody satisfies, behind its hash: coins that move without keys. */
const ANYBODY = Uint8Array.of(0x51)
const PROGRAM = new Uint8Array(createHash("sha256").update(ANYBODY).digest())

/** Pays to whoever shows the script. */
export const OPEN_SCRIPT = Uint8Array.of(0x00, 0x20, ...PROGRAM)
/** Its regtest address. */
export const OPEN_ADDRESS = "bcrt1qft5p2uhsdcdc3l2ua4ap5qqfg4pjaqlp250x7us7a8qqhrxrxfsqseac85"

const MATURITY = 100
const FEE = 1000n

const isSpendable = (height: number) => ({ coin }: PlacedCoin): boolean =>
  bytesEqual(coin.script, OPEN_SCRIPT) && coin.value > 20_000n && (!coin.isCoinbase || height + 1 - coin.height >= MATURITY)

const spend = (coins: ReadonlyArray<PlacedCoin>, outputs: number, toNobody: boolean): string => {
  const total = coins.reduce((sum, { coin }) => sum + coin.value, 0n) - FEE
  const share = total / BigInt(outputs)
  const tx = transactionOf({
    version: 2,
    inputs: coins.map(({ outpoint }) => ({
      prevout: outpoint,
      script: new Uint8Array(0),
      sequence: 0xffffffff,
      witness: [ANYBODY]
    })),
    outputs: [
      ...Array.from({ length: outputs }, () => ({ value: share, script: OPEN_SCRIPT })),
      // An output that never enters the set.
      ...(toNobody ? [{ value: 0n, script: Uint8Array.of(0x6a, 0x01, 0x42) }] : [])
    ],
    lockTime: 0
  })
  return hexOf(tx.bytes)
}

/** Some transactions that may stand in the next block of `store`: each joins a few coins and splits them again. */
export const someSpends = (store: Store, random: Random, limit: number): ReadonlyArray<string> => {
  const coins = [...store.coins.table.values()].filter(isSpendable(store.tip.node.height))
  const transactions: Array<string> = []
  for (let i = 0; i < limit && coins.length > 0; i++) {
    const taken: Array<PlacedCoin> = []
    for (let k = random.below(3) + 1; k > 0 && coins.length > 0; k--) taken.push(...coins.splice(random.below(coins.length), 1))
    transactions.push(spend(taken, random.below(6) + 1, random.below(4) === 0))
  }
  return transactions
}
