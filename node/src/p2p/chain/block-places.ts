import * as Effect from "effect/Effect"
import { activeAt, isActive } from "../../engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../engine/header-index/header-status.ts"
import { has, type HeaderIndex } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { FilePosition } from "../../storage/block-files/block-files.ts"

/** Cache of the positions of stored blocks, as the engine last reported them. */
export interface BlockPlaces {
  /** Position of a block; `undefined` if it is not stored. The block may have been removed since. */
  readonly of: (node: HeaderIndexNode) => Effect.Effect<FilePosition | undefined>
  /** Records the position of a block that the engine has just stored. */
  readonly note: (node: HeaderIndexNode, place: FilePosition) => void
  /** Drops a position that is no longer valid. */
  readonly forget: (node: HeaderIndexNode) => void
}

/**
 * Positions requested at a time: a call costs more than a hundred answers, and a peer that fetches a chain wants the
 * next blocks too.
 */
export const PLACES_AT_ONCE = 64
/** Maximum number of cached positions; the oldest are dropped first. */
const PLACES_KEPT = 4_096

/** Makes the cache. `ask` requests the positions of blocks from the engine, by their indexes in the tree. */
export const blockPlaces = (
  tree: HeaderIndex,
  ask: (indexes: Uint32Array) => Effect.Effect<ReadonlyArray<FilePosition | undefined>>
): BlockPlaces => {
  const known = new Map<number, FilePosition>()

  /** Returns the block and those on top of it in the active chain that are stored and whose position is unknown. */
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
          // A call for several blocks at a time may have returned some already; these positions are newer.
          for (const [i, index] of indexes.entries()) learn(index, places[i])
          return places[0]
        })
      }),
    note: ({ index }, place) => learn(index, place),
    forget: ({ index }) => void known.delete(index)
  }
}
