import { displayHexOf } from "../formats/hex.ts"
import { entryOf, type Store } from "./store.ts"
import { submitBlock } from "./submit.ts"

/**
 * Imports blocks as from a file, in whatever order they come: one whose parent is not there yet waits for it. Answers
 * how many still wait.
 */
export const importBlocks = (store: Store, blocks: Iterable<Uint8Array>): number => {
  const waiting = new Map<string, Array<Uint8Array>>()
  const waitFor = (parent: string, block: Uint8Array): void => {
    const others = waiting.get(parent)
    if (others === undefined) waiting.set(parent, [block])
    else others.push(block)
  }
  for (const block of blocks) {
    const ready = [block]
    for (const each of ready) {
      const parent = each.subarray(4, 36)
      if (entryOf(store, parent) === undefined) {
        waitFor(displayHexOf(parent), each)
        continue
      }
      submitBlock(store, () => each)
      const hash = displayHexOf(store.crypto.sha256d(each.subarray(0, 80)))
      ready.push(...(waiting.get(hash) ?? []))
      waiting.delete(hash)
    }
  }
  let left = 0
  for (const blocksOfParent of waiting.values()) left += blocksOfParent.length
  return left
}

/** `items` in an order that depends on `seed` alone. */
export const shuffled = <A>(items: ReadonlyArray<A>, seed: number): ReadonlyArray<A> => {
  const order = [...items]
  let state = seed >>> 0
  for (let i = order.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const j = state % (i + 1)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order
}
