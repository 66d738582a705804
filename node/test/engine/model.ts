import { invalidateBlock, preciousBlock, reconsiderBlock, restart } from "@lockstep/conformance/chain/choose.ts"
import { muHashOf } from "@lockstep/conformance/chain/coin-set.ts"
import { parametersIn } from "@lockstep/conformance/chain/recorded-options.ts"
import { createStore, type Store } from "@lockstep/conformance/chain/store.ts"
import { type Answer, propose, submitBlock, submitHeader } from "@lockstep/conformance/chain/submit.ts"
import { chainTips } from "@lockstep/conformance/chain/tips.ts"
import { displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import type { ChainParameters } from "@lockstep/kernel/parameters"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { testCrypto } from "./test-engine.ts"
import type { VerdictRow } from "./verdict-rows.ts"

/** What a chain looks like from outside, as one text. */
export interface View {
  readonly tip: string
  readonly headers: number
  readonly tips: string
}

/** The chain in memory that reports what the engine should do. */
export interface Model {
  readonly perform: (row: VerdictRow) => string
  readonly restart: () => void
  readonly view: () => View
  readonly muHash: () => string
}

const shown = ({ error, result }: Answer): string =>
  error === undefined ? `${result}` : `error ${error.code} "${error.message}"`

const bestHeaderHeight = ({ entries, tip }: Store): number => {
  let best = tip
  for (const entry of entries.values()) if (!entry.invalid && entry.node.chainWork > best.node.chainWork) best = entry
  return best.node.height
}

const CHOICES = { invalidateblock: invalidateBlock, reconsiderblock: reconsiderBlock, preciousblock: preciousBlock }

const answerOf = (store: Store, { bytes, row }: VerdictRow): string => {
  const op = row.get("op").text
  switch (op) {
    case "submitblock":
      return shown(submitBlock(store, bytes!))
    case "submitheader":
      return shown(submitHeader(store, bytes!()))
    case "proposal":
      return shown(propose(store, bytes!()))
    case "setmocktime":
      store.now = row.get("t").integer
      return "null"
    case "invalidateblock":
    case "reconsiderblock":
    case "preciousblock":
      CHOICES[op](store, store.entries.get(row.get("hash").text)!)
      return "null"
    case "restart":
      restart(store, parametersIn(row))
      store.now = row.find("mocktime")?.integer ?? store.now
      return "null"
    default:
      return "null"
  }
}

/** A model of a fresh node at this time. */
export const modelOf = (parameters: ChainParameters, now: number): Model => {
  const store = createStore(parameters, REGTEST.genesisBlock, now, testCrypto)
  return {
    perform: (row) => answerOf(store, row),
    restart: () => restart(store),
    view: () => ({
      tip: displayHexOf(store.tip.node.hash),
      headers: bestHeaderHeight(store),
      tips: chainTips(store).map(({ branchlen, hash, height, status }) => `${height} ${hash} ${branchlen} ${status}`)
        .toSorted().join("; ")
    }),
    muHash: () => displayHexOf(muHashOf(store.coins, testCrypto))
  }
}
