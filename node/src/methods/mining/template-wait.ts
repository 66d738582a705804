import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import type { JsonRead } from "../../json/json-value.ts"
import { hashOf } from "../definition/parameter.ts"
import type { CallError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"
import { waitForChain } from "../chain/tip-wait.ts"

/** Milliseconds that a miner waits for another tip before other transactions are as good, and between later looks. */
const FIRST_LOOK = 60_000
const LATER_LOOKS = 10_000

const HASH_DIGITS = 64

/** What a miner works on: a tip, and the mempool's counter of changes. */
interface Known {
  readonly tip: Uint8Array
  readonly updates: number
}

/** What a template is called, so that a miner can wait for another one. */
export const longPollId = (displayedTip: string, updates: number): string => `${displayedTip}${updates}`

/** An id that is no text stands for the last template. */
const knownBy = Effect.fnUntraced(function*(id: JsonRead, { chain }: MethodNode): Effect.fn.Return<Known, CallError> {
  if (typeof id !== "string") {
    const tip = chain.state().hash
    return { tip, updates: (yield* chain.call("mempoolUpdates", undefined)).atTemplate }
  }
  const tip = yield* Effect.fromResult(hashOf(id.slice(0, HASH_DIGITS), "longpollid"))
  return { tip, updates: Number.parseInt(id.slice(HASH_DIGITS), 10) || 0 }
})

/**
 * Waits until there is something else to work on than what `id` stands for: at once another tip, after a minute other
 * transactions. Its clock is the machine's, whatever time the node goes by. Answers whether the node goes on: when it
 * stops, the wait is over.
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
