import type { Crypto } from "@lockstep/kernel/crypto"
import type { OutPoint, TransactionOutput } from "@lockstep/kernel/model"
import { isUnspendable } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import type { CoinCache } from "../../coins/coin-cache.ts"
import type { MempoolQueries } from "../txmempool/contract.ts"
import type { MempoolListener } from "./contract.ts"
import type { UnconfirmedLookups, UnconfirmedMovement } from "../state/unconfirmed-lookups.ts"
import {
  type CreatedRecord,
  createdIn,
  decodeRecord,
  encodeRecord,
  spentIn,
  type UnconfirmedRecord
} from "./unconfirmed-record.ts"

/** Look-ups of unconfirmed outputs, kept up to date by this listener. */
export interface UnconfirmedOutputs extends UnconfirmedLookups {
  readonly listener: MempoolListener
}

export interface UnconfirmedOutputsOptions {
  readonly crypto: Pick<Crypto, "sha256">
  readonly coins: Pick<CoinCache, "coinAt" | "prefetchCoins">
  readonly state: Pick<MempoolQueries, "ofTxid" | "transaction">
}

const nameOf = (id: Uint8Array): string => Buffer.from(id).toString("latin1")
const idOf = (name: string): Uint8Array => new Uint8Array(Buffer.from(name, "latin1"))

/** Entries by script that they pay to or spend from. Most scripts have one entry, which needs no set. */
const scriptNames = () => {
  const found = new Map<string, string | Set<string>>()
  return {
    of: (script: string): Iterable<string> => {
      const names = found.get(script)
      return typeof names === "string" ? [names] : names ?? []
    },
    add: (script: string, txid: string): void => {
      const names = found.get(script)
      if (names === undefined) found.set(script, txid)
      else if (typeof names === "string") found.set(script, new Set([names, txid]))
      else names.add(txid)
    },
    remove: (script: string, txid: string): void => {
      const names = found.get(script)
      if (typeof names === "object") names.delete(txid)
      if (names === txid || (typeof names === "object" && names.size === 0)) found.delete(script)
    }
  }
}

const scriptsOf = ({ created, spent }: UnconfirmedRecord): Set<string> =>
  new Set([...created, ...spent].map(({ scriptHash }) => nameOf(scriptHash)))

/** The requested part of the outputs that an entry creates and spends. */
const movementOf = (
  name: string,
  record: Uint8Array,
  isWanted: (output: CreatedRecord) => boolean
): UnconfirmedMovement => {
  const txid = idOf(name)
  const { created, spent } = decodeRecord(record)
  return {
    txid,
    created: created.filter(isWanted).map(({ value, vout }) => ({ txid, vout, value })),
    spent: spent.filter(isWanted).map(({ txid: prevTxid, value, vout }) => ({ txid: prevTxid, vout, value }))
  }
}

/** Follows the mempool. An entry is indexed when it enters, or at the next query if its coins are on disk. */
export const unconfirmedOutputs = ({ coins, crypto, state }: UnconfirmedOutputsOptions): UnconfirmedOutputs => {
  const records = new Map<string, Uint8Array>()
  const unresolved = new Set<string>()
  const byScript = scriptNames()
  let bytes = 0

  const outputAt = ({ txid, vout }: OutPoint): Pick<TransactionOutput, "script" | "value"> | undefined => {
    const parent = state.ofTxid(txid)
    return parent === undefined ? coins.coinAt({ txid, vout }) : state.transaction(parent).outputs[vout]
  }

  /** Returns `undefined` if a coin is not in memory. */
  const recordOf = (txid: Uint8Array): UnconfirmedRecord | undefined => {
    const { inputs, outputs } = state.transaction(state.ofTxid(txid)!)
    const spent = inputs.flatMap(({ prevout }) => {
      const output = outputAt(prevout)
      return output === undefined ? [] : [{ ...prevout, value: output.value, scriptHash: crypto.sha256(output.script) }]
    })
    if (spent.length < inputs.length) return undefined
    const created = outputs.flatMap(({ script, value }, vout) =>
      isUnspendable(script) ? [] : [{ vout, value, scriptHash: crypto.sha256(script) }]
    )
    return { created, spent }
  }

  /** Indexes an entry. Returns whether it is indexed now. */
  const lookThrough = (txid: Uint8Array): boolean => {
    const record = recordOf(txid)
    if (record === undefined) return false
    const name = nameOf(txid)
    const encoded = encodeRecord(record)
    records.set(name, encoded)
    bytes += encoded.length
    for (const script of scriptsOf(record)) byScript.add(script, name)
    return true
  }

  return {
    listener: {
      added: (_tx, { txid }) => {
        if (!lookThrough(txid)) unresolved.add(nameOf(txid))
      },
      removed: ({ entry: { txid } }) => {
        const name = nameOf(txid)
        unresolved.delete(name)
        const record = records.get(name)
        if (record === undefined) return
        records.delete(name)
        bytes -= record.length
        for (const script of scriptsOf(decodeRecord(record))) byScript.remove(script, name)
      }
    },
    resolve: Effect.fnUntraced(function*(most) {
      const names = [...unresolved].slice(0, most)
      const prevouts = names.flatMap((name) =>
        state.transaction(state.ofTxid(idOf(name))!).inputs.map(({ prevout }) => prevout)
      )
      yield* coins.prefetchCoins(prevouts.filter(({ txid }) => state.ofTxid(txid) === undefined))
      for (const name of names) {
        lookThrough(idOf(name))
        unresolved.delete(name)
      }
      return unresolved.size === 0
    }),
    ofScript: (scriptHash) => {
      const wanted = nameOf(scriptHash)
      return [...byScript.of(wanted)].map((name) =>
        movementOf(name, records.get(name)!, (output) => nameOf(output.scriptHash) === wanted)
      )
    },
    ofValues: (least, most) => {
      const isIn = (value: bigint): boolean => value >= least && value <= most
      return [...records].flatMap(([name, record]) =>
        createdIn(record, isIn) || spentIn(record, isIn) ? [movementOf(name, record, ({ value }) => isIn(value))] : []
      )
    },
    bytes: () => bytes
  }
}
