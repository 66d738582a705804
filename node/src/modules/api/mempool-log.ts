import type { EngineNotification } from "../../engine/api/engine-notification.ts"
import type { Chain } from "../../engine-client/chain.ts"

/** One change of the mempool, as modules follow it. Bytes in internal byte order. */
export interface MempoolChange {
  readonly txid: Uint8Array
  /** The mempool's sequence number; of a removal by a block, that of the next change. */
  readonly sequence: number
  /** Why it left; none: it entered. */
  readonly left: string | undefined
}

const HASH_BYTES = 32

/** The hashes in an answer of the engine. */
export const hashesIn = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, i) => bytes.subarray(HASH_BYTES * i, HASH_BYTES * (i + 1)))

/** Changes that are kept for modules that come back. */
export const KEPT_CHANGES = 20_000

/** The changes of the mempool since the log was opened, of which the last ones are kept. */
export interface MempoolLog {
  /** The place behind the last change. */
  readonly end: () => number
  /** The change at a place; none: it is no longer kept, or has not happened. */
  readonly at: (place: number) => MempoolChange | undefined
  /** The place of the first change that answers of this sequence number do not have in them. */
  readonly placeOf: (sequence: number) => number
  /** Calls once when there is a change behind a place; answers how to stop waiting. */
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

/** Opens the log for as long as the node runs: a module that comes back goes on in it. */
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
    // One that is called may wait for the next change at once.
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
