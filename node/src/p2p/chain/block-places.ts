import * as Effect from "effect/Effect"
import { activeAt, isActive } from "../../engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../engine/header-index/header-status.ts"
import { has, type HeaderIndex } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { FilePosition } from "../../storage/block-files/block-files.ts"

/** Where blocks are stored, as the engine last answered. */
export interface BlockPlaces {
  /** None: not here. What is answered may have been removed since. */
  readonly of: (node: HeaderIndexNode) => Effect.Effect<FilePosition | undefined>
  /** The engine has just stored this block there. */
  readonly note: (node: HeaderIndexNode, place: FilePosition) => void
  /** The place of this block does not hold any more. */
  readonly forget: (node: HeaderIndexNode) => void
}

/**
 * Places requested at a time: a call costs more than a hundred answers, and a peer that fetches a chain wants the next
 * ones, too.
 */
export const PLACES_AT_ONCE = 64
/** Places that are kept; the oldest go first. */
const PLACES_KEPT = 4_096

/** `ask`: the engine, for the places of blocks by their indexes in the tree. */
export const blockPlaces = (
  tree: HeaderIndex,
  ask: (indexes: Uint32Array) => Effect.Effect<ReadonlyArray<FilePosition | undefined>>
): BlockPlaces => {
  const known = new Map<number, FilePosition>()

  /** The block, and those on top of it in the active chain that are here and whose place is not known. */
  const wanted = (node: HeaderIndexNode): Uint32Array => {
    const indexes = [node.index]
    if (!isActive(tree, node)) return Uint32Array.from(indexes)
    for (let height = node.height + 1; indexes.length < PLACES_AT_ONCE; height++) {
      const next = activeAt(tree, height)
      if (next === undefined || known.has(next.index) || !has(tree, next, HeaderStatus.STORED)) break
      indexes.push(next.index)
    }
    return Uint32Array.from(indexes)
  }

  const learn = (index: number, place: FilePosition | undefined): void => {
    known.delete(index)
    if (place === undefined) return
    known.set(index, place)
    if (known.size > PLACES_KEPT) known.delete(known.keys().next().value!)
  }

  return {
    of: (node) =>
      Effect.suspend(() => {
        const place = known.get(node.index)
        if (place !== undefined) return Effect.succeed(place)
        const indexes = wanted(node)
        return Effect.map(ask(indexes), (places) => {
          // A call for several at a time may have brought some already: these are newer.
          for (const [i, index] of indexes.entries()) learn(index, places[i])
          return places[0]
        })
      }),
    note: ({ index }, place) => learn(index, place),
    forget: ({ index }) => void known.delete(index)
  }
}
