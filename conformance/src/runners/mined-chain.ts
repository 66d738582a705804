import { concatBytes } from "@lockstep/kernel/internal/bytes/equal.ts"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import { inOrder } from "../chain/in-order.ts"
import { extend, storeOf } from "../chain/offer.ts"
import type { Store } from "../chain/store.ts"
import { bytesOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import { transactionBytes } from "../judge/transaction-bytes.ts"
import type { Runner } from "./runner.ts"

/** The coinbases of the chain all pay to this script. */
const PAID_TO = bytesOf("76a914eadbac7f36c37e39361168b7aaee3cb24a25312d88ac")
const NOTHING = { txid: new Uint8Array(32), vout: 0xffffffff }
const SUBSIDY = 5_000_000_000n
const VERSION = 0x20000000
const INTERVAL = 2016
const DIFFICULTY_1 = 0x1d00ffff
/** A quarter of that target: the period took less than a quarter of its time. */
const DIFFICULTY_4 = 0x1c3fffc0

/** Precondition: below 32,768, which the chain is far from. */
const numberPush = (height: number): Uint8Array => {
  // A small number is one opcode, with a zero behind it so that the script has two bytes.
  if (height <= 16) return Uint8Array.of(0x50 + height, 0)
  if (height < 128) return Uint8Array.of(1, height)
  return Uint8Array.of(2, height & 255, height >> 8)
}

const coinbaseAt = (height: number): Uint8Array =>
  transactionBytes({
    version: 2,
    inputs: [{ prevout: NOTHING, script: numberPush(height), sequence: 0xffffffff, witness: [] }],
    outputs: [{ value: SUBSIDY, script: PAID_TO }],
    lockTime: 0
  })

const uint32 = (value: number): Uint8Array => new Uint8Array(new Uint32Array([value]).buffer)

const blockOn = ({ crypto, tip }: Store, time: number, nonce: number): Uint8Array => {
  const height = tip.node.height + 1
  const coinbase = coinbaseAt(height)
  const bits = height < INTERVAL ? DIFFICULTY_1 : DIFFICULTY_4
  return concatBytes([
    uint32(VERSION),
    tip.node.hash,
    crypto.sha256d(coinbase),
    uint32(time),
    uint32(bits),
    uint32(nonce),
    Uint8Array.of(1),
    coinbase
  ])
}

/** A chain with real work, given as the times and nonces of blocks that pay all to one script; the rest follows. */
export const minedChain: Runner = function*(file) {
  const content = readJson(file)
  const nonces = content.get("nonces").items
  const step = inOrder()
  let store: Store | undefined
  for (const [i, time] of content.get("timestamps").items.entries()) {
    const judge = step(({ crypto }) => {
      store ??= storeOf(MAINNET, crypto)
      return extend(store, blockOn(store, time.integer, nonces[i]!.integer))
    })
    yield { index: String(i + 1), name: `block ${i + 1}`, judge }
  }
}
