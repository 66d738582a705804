import type { EngineNotification } from "../../engine/api/engine-notification.ts"
import type { Chain } from "../../engine-client/chain.ts"

/** One change of the mempool, as modules follow it. Hashes are in internal byte order. */
export interface MempoolChange {
  readonly txid: Uint8Array
  /** The mempool's sequence number; for a removal by a block, that of the next change. */
  readonly sequence: number
  /** Reason of the removal; `undefined` if the transaction was added. */
  readonly left: string | undefined
}

const HASH_BYTES = 32

/** Splits the hashes in an answer of the engine. */
export const hashesIn = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, i) => bytes.subarray(HASH_BYTES * i, HASH_BYTES * (i + 1)))

/** Number of changes kept for modules that reconnect. */
export const KEPT_CHANGES = 20_000

/** The changes of the mempool since the log was opened. Only the latest ones are kept. */
export interface MempoolLog {
  /** Returns the position after the last change. */
  readonly end: () => number
  /** Returns the change at a position, or `undefined` if it is no longer kept or has not happened. */
  readonly at: (place: number) => MempoolChange | undefined
  /** Returns the position of the first change that an engine answer with this sequence number does not include. */
  readonly placeOf: (sequence: number) => number
  /** Calls `then` once, when a change at this position exists. Returns a function that cancels the wait. */
  readonly onceBehind: (place: number, then: () => void) => () => void
}

const changeOf = (notification: EngineNotification): MempoolChange | undefined => {
  switch (notification._tag) {
    case "TransactionAdded":
      return { txid: notification.transaction.txid, sequence: notification.sequence, left: undefined }
    case "TransactionRemoved":
      return { txid: notification.txid, sequence: notification.sequence, left: notification.reason }
    default:
      return undefined
  }
}

/** Opens the log for as long as the node runs, so that a module that reconnects can continue in it. */
export const mempoolLog = (chain: Pick<Chain["Service"], "subscribe">, kept: number = KEPT_CHANGES): MempoolLog => {
  const changes: Array<MempoolChange | undefined> = []
  let end = 0
  const waiting = new Set<() => void>()
  const at = (place: number): MempoolChange | undefined =>
    place >= end - kept && place < end ? changes[place % kept] : undefined
  chain.subscribe((notification) => {
    const change = changeOf(notification)
    if (change === undefined) return
    changes[end % kept] = change
    end++
    // A callback may wait for the next change at once.
    const due = [...waiting]
    waiting.clear()
    for (const then of due) then()
  })
  return {
    end: () => end,
    at,
    placeOf: (sequence) => {
      let place = end
      for (let before = at(place - 1); before !== undefined && before.sequence >= sequence; before = at(place - 1)) {
        place--
      }
      return place
    },
    onceBehind: (place, then) => {
      if (place < end) then()
      else waiting.add(then)
      return () => void waiting.delete(then)
    }
  }
}
