import { hexOf } from "@lockstep/conformance/formats/hex.ts"
import { transactionId, transactionOf } from "@lockstep/kernel/model"
import {
  PAY_TO_ANCHOR,
  PAY_TO_ANCHOR_ADDRESS,
  type LooseCoin,
  type LooseTransaction,
  spendLoose
} from "../../../crash/mempool/families.ts"
import { randomOf } from "../../../crash/random.ts"
import { wireCrypto } from "../../sockets/regtest-wire.ts"
import type { WireNode, WireNodes } from "../../sockets/wire-node.ts"
import { type Outside, outsideOf } from "../node-under-attack.ts"
import { honestRelay } from "./honest-relay.ts"
import { COSTLY, type JunkCoins } from "./junk.ts"
import { floodWithJunk, type JunkFigures } from "./sender.ts"

export interface JunkTrialOptions {
  readonly nodes: WireNodes
  readonly peers: number
  readonly transactions: number
  readonly seed: number
  /** Honest transactions, and how long one comes after another. */
  readonly honest: number
  readonly everyMs: number
}

export interface JunkTrial {
  readonly figures: JunkFigures
  readonly seconds: number
  readonly before: Outside
  readonly after: Outside
  /** Milliseconds that each honest transaction took from one honest peer to the other. */
  readonly relayed: ReadonlyArray<number>
  readonly areHonestThere: boolean
  /** Honest transactions that are not in the mempool at the end. */
  readonly missing: ReadonlyArray<string>
  readonly banned: number
  readonly log: string
}

const CONTESTED = 120
const COSTLY_COINS = 6
const PINNABLE = 80
const VALUE = 1_000_000n

/** Splits a coinbase into anyone-can-spend coins and costly ones, in a block. */
const split = async ({ call }: WireNode, height: number, anchors: number): Promise<ReadonlyArray<LooseCoin>> => {
  const hash = await call("getblockhash", height)
  const { tx: [coinbase] } = await call<{ readonly tx: ReadonlyArray<string> }>("getblock", hash, 1)
  const tx = transactionOf({
    version: 2,
    inputs: [{
      prevout: { txid: Uint8Array.from(Buffer.from(coinbase!, "hex")).reverse(), vout: 0 },
      script: new Uint8Array(),
      sequence: 0xffffffff,
      witness: []
    }],
    outputs: [
      ...Array.from({ length: anchors }, () => ({ value: VALUE, script: PAY_TO_ANCHOR })),
      ...Array.from({ length: COSTLY_COINS }, () => ({ value: VALUE, script: COSTLY }))
    ],
    lockTime: 0
  })
  await call("generateblock", PAY_TO_ANCHOR_ADDRESS, [hexOf(tx.bytes)])
  const txid = transactionId(tx, wireCrypto)
  return Array.from({ length: anchors + COSTLY_COINS }, (_, vout) => ({ outpoint: { txid, vout }, value: VALUE }))
}

interface Prepared {
  readonly coins: JunkCoins
  readonly honest: ReadonlyArray<LooseTransaction>
}

/** A chain with coins, and a mempool with what junk attacks. */
const prepare = async (node: WireNode, honest: number): Promise<Prepared> => {
  await node.call("generatetoaddress", 101, PAY_TO_ANCHOR_ADDRESS)
  const anchors = CONTESTED + 1 + 20 + honest
  const all = await split(node, 1, anchors)
  const contested = all.slice(0, CONTESTED)
  for (const coin of contested) await node.call("sendrawtransaction", spendLoose([coin], 1, 500n).hex)
  const parent = spendLoose([all[CONTESTED]!], PINNABLE, 10_000n)
  await node.call("sendrawtransaction", parent.hex)
  return {
    coins: {
      contested,
      pinned: parent.coins,
      free: all.slice(CONTESTED + 1, CONTESTED + 21),
      costly: all.slice(anchors)
    },
    honest: all.slice(CONTESTED + 21, anchors).map((coin) => spendLoose([coin], 1, 1_000n))
  }
}

/** Peers send junk while two honest ones relay transactions through the node. */
export const junkTrial = async (
  { everyMs, honest: count, nodes, peers, seed, transactions }: JunkTrialOptions
): Promise<JunkTrial> => {
  const node = await nodes.start(`junk-${seed}`, ["--set", `max_peers=${peers + 20}`])
  const { coins, honest } = await prepare(node, count)
  const relay = await honestRelay(node.p2pPort)
  const before = outsideOf(node.running.pid)
  const start = performance.now()
  const flood = floodWithJunk({ port: node.p2pPort, peers, transactions, coins, random: randomOf(seed) })
  const [figures] = await Promise.all([flood, relay.announce(honest, everyMs)])
  const seconds = (performance.now() - start) / 1_000
  const relayed = await relay.arrived()
  const areHonestThere = relay.areThere()
  const pool = new Set(await node.call<ReadonlyArray<string>>("getrawmempool"))
  const after = outsideOf(node.running.pid)
  const banned = (await node.call<ReadonlyArray<unknown>>("listbanned")).length
  relay.end()
  await nodes.stop(node)
  const missing = honest.flatMap(({ txid }) => pool.has(txid) ? [] : [txid])
  return { figures, seconds, before, after, relayed, areHonestThere, missing, banned, log: node.running.stdout() }
}
