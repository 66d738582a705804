import { blockSubsidy } from "@lockstep/kernel/internal/connect/subsidy.ts"
import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import { serializedSetHash } from "@lockstep/kernel/internal/utxo-hash/serialized-hash.ts"
import type { BlockUndo } from "@lockstep/kernel/internal/utxo/undo.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import type { Listener } from "../chain/activate.ts"
import { satoshisOf } from "../chain/amount.ts"
import { blockStatistics, judgeBlockInfo } from "../chain/block-statistics.ts"
import { sortedCoins } from "../chain/coin-set.ts"
import { framedBlocks } from "../chain/framed-blocks.ts"
import { importBlocks, shuffled } from "../chain/import-blocks.ts"
import { inOrder } from "../chain/in-order.ts"
import { judgeAnswer } from "../chain/row-answer.ts"
import { judgeSetInfo } from "../chain/set-facts.ts"
import { createStore, type Store } from "../chain/store.ts"
import { submitBlock, submitHeader } from "../chain/submit.ts"
import { judgeChainTips } from "../chain/tips.ts"
import { judgeUndo } from "../chain/undo-facts.ts"
import type { Field } from "../formats/field.ts"
import { displayHexOf } from "../formats/hex.ts"
import { parseJson, readJson, readText } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { fileAt, type VectorFile } from "../sources/source.ts"
import type { Case, Runner } from "./runner.ts"

const SHUFFLES = 4
const SNAPSHOTS = ["utxo_tip.dat.json", "utxo_h300.dat.json"]

/** What stands beside the blocks, by the hash of the block it is about. */
interface Facts {
  readonly index: Field
  readonly live: ReadonlyMap<string, Field>
  readonly heights: ReadonlyMap<string, Field>
  readonly snapshots: ReadonlyMap<string, Field>
  readonly undone: ReadonlyArray<Field>
}

const beside = (file: VectorFile, name: string): VectorFile => fileAt(file.source, file.path.replace(/[^/]*$/, name))

const rowsIn = (file: VectorFile): ReadonlyArray<Field> =>
  existsSync(file.absolute)
    ? readText(file).split("\n").filter((line) => line !== "").map((line, i) => parseJson(line, file, `row ${i}`))
    : []

const factsBeside = (file: VectorFile): Facts => {
  const rows = rowsIn(beside(file, "txoutset.jsonl.gz"))
  const ofKind = (kind: string): ReadonlyArray<Field> => rows.filter((row) => row.get("kind").text === kind)
  const snapshots = SNAPSHOTS.map((name) => beside(file, name)).filter(({ absolute }) => existsSync(absolute))
  return {
    index: readJson(beside(file, "index.json")),
    live: new Map(ofKind("live").map((row) => [row.get("best").text, row])),
    heights: new Map(
      ofKind("coinstatsindex").filter((row) => row.get("result").find("muhash") !== undefined)
        .map((row) => [row.get("result").get("bestblock").text, row.get("result")])
    ),
    snapshots: new Map(snapshots.map(readJson).map((snapshot) => [snapshot.get("base_hash").text, snapshot])),
    undone: rowsIn(beside(file, "getblock_v3.jsonl.gz"))
  }
}

/** What goes on from case to case. */
interface Play {
  readonly facts: Facts
  store: Store | undefined
  /** Unspendable satoshis, up to and with each block. */
  readonly unspendable: Map<string, bigint>
  readonly undo: Map<string, BlockUndo>
  readonly compared: Set<string>
  /** What the first block that is not as its row says differs in. */
  difference: Outcome
}

const newStore = ({ index }: Facts, crypto: Crypto): Store =>
  createStore(REGTEST.parameters, REGTEST.genesisBlock, index.get("mocktime").integer, crypto)

const judgeSnapshot = ({ coins, crypto }: Store, snapshot: Field): Outcome =>
  same("coins of the snapshot", snapshot.get("coins_written").integer, coins.table.size) ??
    same(
      "hash of the snapshot",
      snapshot.get("txoutset_hash").text,
      displayHexOf(serializedSetHash(sortedCoins(coins), createHash("sha256"), crypto))
    )

/** Compares the state behind every block that becomes the tip with what is known about it. */
const follow = (play: Play, store: Store): Listener => ({
  judged: () => {},
  connected: (entry, block, collected) => {
    const { heights, live, snapshots } = play.facts
    const hash = displayHexOf(entry.node.hash)
    const statistics = blockStatistics(block, entry.node.height, collected, store.parameters.subsidyHalvingInterval)
    const before = play.unspendable.get(displayHexOf(entry.parent!.node.hash)) ?? 0n
    const unspendable = before + statistics.scripts + statistics.unclaimed
    play.unspendable.set(hash, unspendable)
    if (entry.undo !== undefined) play.undo.set(hash, entry.undo)
    const [info, moment, snapshot] = [heights.get(hash), live.get(hash), snapshots.get(hash)]
    if (info !== undefined) {
      play.compared.add(hash)
      play.difference ??= judgeSetInfo(store, info) ?? judgeBlockInfo(info.get("block_info"), statistics) ??
        same("unspendable amount so far", satoshisOf(info.get("total_unspendable_amount").number), unspendable)
    }
    if (moment !== undefined) {
      play.difference ??= judgeSetInfo(store, moment.get("hash_serialized_3")) ??
        judgeSetInfo(store, moment.get("muhash_noindex"))
    }
    if (snapshot !== undefined) play.difference ??= judgeSnapshot(store, snapshot)
  }
})

const judgeBlock = (play: Play, row: Field, bytes: Uint8Array, crypto: Crypto): Outcome => {
  const isGenesis = play.store === undefined
  const store = play.store ??= newStore(play.facts, crypto)
  play.difference = undefined
  const genesisHash = displayHexOf(store.genesis.node.hash)
  if (isGenesis) {
    play.unspendable.set(genesisHash, blockSubsidy(0, store.parameters.subsidyHalvingInterval))
    const info = play.facts.heights.get(genesisHash)
    if (info !== undefined) play.compared.add(genesisHash)
    return same("genesis block", row.get("hash").text, genesisHash) ?? (info && judgeSetInfo(store, info))
  }
  const answer = submitBlock(store, () => bytes, follow(play, store))
  return judgeAnswer(row.replaced({ result: row.find("submitblock")?.raw ?? null }), answer) ??
    same("best block", row.get("bestAfter").text, displayHexOf(store.tip.node.hash)) ?? play.difference
}

const judgeShuffle = (blocks: ReadonlyArray<Uint8Array>, facts: Facts, seed: number, crypto: Crypto): Outcome => {
  const store = newStore(facts, crypto)
  importBlocks(store, shuffled(blocks.slice(1), seed))
  const tip = facts.live.get(displayHexOf(store.tip.node.hash))
  return same("tip", facts.index.get("tip").text, displayHexOf(store.tip.node.hash)) ??
    (tip && judgeSetInfo(store, tip.get("muhash_noindex")))
}

/** The same blocks are connected again and again; what their signatures are worth is asked once. */
const rememberingCrypto = ({ sweepMachine }: Bench): Crypto => sweepMachine.crypto

/**
 * A chain that Bitcoin Core made: each block submitted in order, the state behind every block that is or was
 * on the active chain, headers without blocks, the final tree, undo data, and the same blocks in other orders.
 */
export const oracleChain: Runner = function*(file): Generator<Case> {
  const facts = factsBeside(file)
  const blocks = framedBlocks(file, REGTEST.magic)
  const rows = facts.index.get("blocks").items
  if (rows.length !== blocks.length) {
    facts.index.fail(`describes ${rows.length} blocks, the file holds ${blocks.length}`)
  }
  const play: Play = {
    facts,
    store: undefined,
    unspendable: new Map(),
    undo: new Map(),
    compared: new Set(),
    difference: undefined
  }
  const step = inOrder()
  for (const [i, row] of rows.entries()) {
    const name = row.find("note")?.text ?? "block"
    yield {
      index: String(i),
      name,
      judge: step((bench) => judgeBlock(play, row, blocks[i]!, rememberingCrypto(bench)))
    }
  }
  const allHeights = step(() => same("heights", facts.heights.size, play.compared.size))
  yield { index: "heights", name: "every height was compared", judge: allHeights }
  yield {
    index: "tips",
    name: "all chain tips, with a header that has no block",
    judge: step(() =>
      same("result", null, submitHeader(play.store!, facts.index.get("headersOnly").bytes).result) ??
        judgeChainTips(play.store!, facts.index.get("chaintips"))
    )
  }
  for (const row of facts.undone) {
    const hash = row.get("hash").text
    const judge = step(() => {
      const undo = play.undo.get(hash)
      return undo === undefined ? same("undo data", "known", "none") : judgeUndo(row.get("result"), undo)
    })
    yield { index: `undo-${hash}`, name: "undo data", judge }
  }
  for (let seed = 1; seed <= SHUFFLES; seed++) {
    const judge = step((bench) => judgeShuffle(blocks, facts, seed, rememberingCrypto(bench)))
    yield { index: `shuffle-${seed}`, name: "in another order", judge }
  }
}
