import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { medianTimePast } from "@lockstep/kernel/internal/chain/median-time.ts"
import { existsSync } from "node:fs"
import { invalidateBlock, preciousBlock, reconsiderBlock, restart } from "../chain/choose.ts"
import { inOrder } from "../chain/in-order.ts"
import { parametersIn } from "../chain/recorded-options.ts"
import { judgeAnswer, judgeTip } from "../chain/row-answer.ts"
import { rowBytes } from "../chain/row-bytes.ts"
import { judgeSetInfo, judgeUtxo } from "../chain/set-facts.ts"
import { createStore, type Entry, type Store } from "../chain/store.ts"
import { type Answer, propose, submitBlock, submitHeader } from "../chain/submit.ts"
import { judgeChainTips } from "../chain/tips.ts"
import type { Field } from "../formats/field.ts"
import { linesOf, parseJson, readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { fileAt, type VectorFile } from "../sources/source.ts"
import type { Case, Runner } from "./runner.ts"

/** What a file's rows are played on. */
interface Play {
  store: Store | undefined
  readonly bytes: Map<number, () => Uint8Array>
}

const start = (row: Field, { crypto }: Bench): Store => {
  if (row.get("chain").text !== "regtest") row.get("chain").fail("expected regtest")
  return createStore(
    parametersIn(row) ?? row.fail("expected a member \"args\""),
    REGTEST.genesisBlock,
    row.get("mocktime").integer,
    crypto
  )
}

const entryNamed = (store: Store, hash: Field): Entry =>
  store.entries.get(hash.text) ?? hash.fail("names no header known here")

const CHOICES = { invalidateblock: invalidateBlock, reconsiderblock: reconsiderBlock, preciousblock: preciousBlock }

const DONE: Answer = { result: null }

const perform = (play: Play, store: Store, row: Field): Answer => {
  const op = row.get("op")
  const bytes = play.bytes.get(row.get("i").integer)
  switch (op.text) {
    case "submitblock":
      return submitBlock(store, bytes!)
    case "submitheader":
      return submitHeader(store, bytes!())
    case "proposal":
      return propose(store, bytes!())
    case "setmocktime":
      store.now = row.get("t").integer
      return DONE
    case "restart":
      // A start without options of its own has those of the start before it.
      restart(store, parametersIn(row))
      store.now = row.find("mocktime")?.integer ?? store.now
      return DONE
    case "invalidateblock":
    case "reconsiderblock":
    case "preciousblock":
      CHOICES[op.text](store, entryNamed(store, row.get("hash")))
      return DONE
    default:
      return op.fail("is an operation that this runner does not have")
  }
}

const judgeEnd = (store: Store, row: Field): Outcome => {
  const info = row.get("blockchaininfo")
  return judgeSetInfo(store, row.get("txoutset")) ?? judgeChainTips(store, row.get("chaintips")) ??
    same("work", info.get("chainwork").text, store.tip.node.chainWork.toString(16).padStart(64, "0")) ??
    same("median time past", info.get("mediantime").integer, medianTimePast(store.tip.node))
}

const judgeRow = (play: Play, row: Field, bench: Bench): Outcome => {
  const op = row.get("op").text
  if (op === "start") play.store = start(row, bench)
  const store = play.store ?? row.fail("comes before a row \"start\"")
  if (op === "end") return judgeTip(row, store) ?? judgeEnd(store, row)
  const answer = op === "start" ? DONE : perform(play, store, row)
  const utxo = row.find("utxo")
  const outcome = judgeAnswer(row, answer) ?? judgeTip(row, store) ?? (utxo && judgeUtxo(store, utxo))
  const rule = answer.rejection?.rule
  if (outcome === undefined && rule !== undefined) bench.coverage.rejected(rule)
  return outcome
}

/** The first row of a file that needs hundreds of large blocks, as the manifest beside it says. */
const largeFrom = (file: VectorFile): number => {
  const manifest = fileAt(file.source, "oracle/MANIFEST.json")
  if (!existsSync(manifest.absolute)) return Infinity
  const entry = readJson(manifest).get("files").items.find((each) => file.path.endsWith(`/${each.get("path").text}`))
  return entry?.find("largeReorgFromRow")?.integer ?? Infinity
}

const hasBytes = (row: Field): boolean => ["hex", "rle", "ref"].some((name) => row.find(name) !== undefined)

async function* rowsOf(file: VectorFile): AsyncGenerator<{ readonly case: Case; readonly number: number }> {
  const play: Play = { store: undefined, bytes: new Map() }
  const step = inOrder()
  for await (const line of linesOf(file)) {
    const row = parseJson(line, file, "row")
    const number = row.get("i").integer
    if (hasBytes(row)) play.bytes.set(number, rowBytes(row, play.bytes))
    const judge = step((bench) => judgeRow(play, row, bench))
    yield { number, case: { index: String(number), name: row.get("op").text, judge } }
  }
}

/** What a node of Bitcoin Core answered to blocks, headers and calls, one row after another. */
export const oracleVerdicts: Runner = async function*(file) {
  const from = largeFrom(file)
  for await (const row of rowsOf(file)) {
    if (row.number >= from) return
    yield row.case
  }
}

/** The rows of a file from where it needs hundreds of large blocks on; those before them are played, not counted. */
export const oracleVerdictsLarge: Runner = async function*(file) {
  const from = largeFrom(file)
  if (from === Infinity) return
  for await (const row of rowsOf(file)) if (row.number >= from) yield row.case
}
