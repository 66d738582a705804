import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import type { JsonRead } from "../../json/json-value.ts"
import { hashOf } from "../definition/parameter.ts"
import type { CallError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"
import { waitForChain } from "../chain/tip-wait.ts"

/** Milliseconds until changes of the mempool end a wait, and between later checks. */
const FIRST_LOOK = 60_000
const LATER_LOOKS = 10_000

const HASH_DIGITS = 64

/** State that a miner works on: a tip, and the mempool's counter of changes. */
interface Known {
  readonly tip: Uint8Array
  readonly updates: number
}

/** Returns the id of a template, by which a miner can wait for a newer one. */
export const longPollId = (displayedTip: string, updates: number): string => `${displayedTip}${updates}`

/** Reads the id of a template. An id that is no string means the last template. */
const knownBy = Effect.fnUntraced(function*(id: JsonRead, { chain }: MethodNode): Effect.fn.Return<Known, CallError> {
  if (typeof id !== "string") {
    const tip = chain.state().hash
    return { tip, updates: (yield* chain.call("mempoolUpdates", undefined)).atTemplate }
  }
  const tip = yield* Effect.fromResult(hashOf(id.slice(0, HASH_DIGITS), "longpollid"))
  return { tip, updates: Number.parseInt(id.slice(HASH_DIGITS), 10) || 0 }
})

/**
 * Waits until a better template than that of `id` is available: at once for another tip, after a minute for other
 * transactions. The wait uses the machine's clock, even if the time is mocked. Returns false if the node is stopping.
 */
export const awaitTemplate = Effect.fnUntraced(
  function*(id: JsonRead, node: MethodNode): Effect.fn.Return<boolean, CallError> {
    const { tip, updates } = yield* knownBy(id, node)
    for (let pause = FIRST_LOOK;; pause = LATER_LOOKS) {
      const waited = yield* waitForChain(node, ({ hash }) => !bytesEqual(hash, tip), pause)
      if (waited._tag !== "TimeUp") return waited._tag === "Wanted"
      if ((yield* node.chain.call("mempoolUpdates", undefined)).now !== updates) return true
    }
  }
)
