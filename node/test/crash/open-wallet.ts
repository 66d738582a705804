import type { Store } from "@lockstep/conformance/chain/store.ts"
import { hexOf } from "@lockstep/conformance/formats/hex.ts"
import { bytesEqual } from "@lockstep/kernel/bytes"
import { transactionOf } from "@lockstep/kernel/model"
import { bech32 } from "@scure/base"
import type { PlacedCoin } from "@lockstep/kernel/utxo"
import { createHash } from "node:crypto"
import type { Random } from "./random.ts"

/** A way to own coins without a key: a script that any witness satisfies, behind its hash. */
interface OpenPlace {
  readonly witness: Uint8Array
  readonly script: Uint8Array
  /** On regtest. */
  readonly address: string
}

const openPlace = (opcode: number): OpenPlace => {
  const witness = Uint8Array.of(opcode)
  const program = new Uint8Array(createHash("sha256").update(witness).digest())
  return {
    witness,
    script: Uint8Array.of(0x00, 0x20, ...program),
    address: bech32.encode("bcrt", [0, ...bech32.toWords(program)])
  }
}

const OP_1 = 0x51

/** OP_1 to OP_16: blocks that pay to different places are different blocks, even in the same second. */
const PLACES: ReadonlyArray<OpenPlace> = Array.from({ length: 16 }, (_, i) => openPlace(OP_1 + i))

/** An address whose coins anyone can spend. */
export const openAddress = (random: Random): string => random.pick(PLACES).address
/** The same one every time. */
export const OPEN_ADDRESS = PLACES[0]!.address

const placeOf = ({ coin }: PlacedCoin): OpenPlace | undefined =>
  PLACES.find(({ script }) => bytesEqual(coin.script, script))

const MATURITY = 100
const FEE = 1000n

const isSpendable = (height: number) => (placed: PlacedCoin): boolean => {
  const { height: created, isCoinbase, value } = placed.coin
  return placeOf(placed) !== undefined && value > 20_000n && (!isCoinbase || height + 1 - created >= MATURITY)
}

const spend = (coins: ReadonlyArray<PlacedCoin>, outputs: number, withOpReturn: boolean, to: OpenPlace): string => {
  const total = coins.reduce((sum, { coin }) => sum + coin.value, 0n) - FEE
  const share = total / BigInt(outputs)
  const tx = transactionOf({
    version: 2,
    inputs: coins.map((placed) => ({
      prevout: placed.outpoint,
      script: new Uint8Array(0),
      sequence: 0xffffffff,
      witness: [placeOf(placed)!.witness]
    })),
    outputs: [
      ...Array.from({ length: outputs }, () => ({ value: share, script: to.script })),
      // An output that never enters the set.
      ...(withOpReturn ? [{ value: 0n, script: Uint8Array.of(0x6a, 0x01, 0x42) }] : [])
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
    for (let k = random.below(3) + 1; k > 0 && coins.length > 0; k--) {
      taken.push(...coins.splice(random.below(coins.length), 1))
    }
    transactions.push(spend(taken, random.below(6) + 1, random.below(4) === 0, random.pick(PLACES)))
  }
  return transactions
}
