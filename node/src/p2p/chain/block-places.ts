import * as Effect from "effect/Effect"
import { activeAt, isActive } from "../../engine/header-tree/active-chain.ts"
import { HeaderStatus } from "../../engine/header-tree/header-status.ts"
import { has, type HeaderTree } from "../../engine/header-tree/header-tree.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import type { FilePosition } from "../../storage/block-files/block-files.ts"

/** Where blocks are, as the engine told when it was last asked. */
export interface BlockPlaces {
  /** None: not here. What is answered may have been removed since. */
  readonly of: (node: TreeNode) => Effect.Effect<FilePosition | undefined>
  /** What was told of this block does not hold any more. */
  readonly forget: (node: TreeNode) => void
}

/** Places that are asked for at a time: a question costs more than a hundred answers, and who fetches a chain wants the next ones, too. */
export const PLACES_AT_ONCE = 64
/** Places that are kept; the oldest go first. */
const PLACES_KEPT = 4_096

/** `ask`: the engine, for the places of blocks by their indexes in the tree. */
export const blockPlaces = (
  tree: HeaderTree,
  ask: (indexes: Uint32Array) => Effect.Effect<ReadonlyArray<FilePosition | undefined>>
): BlockPlaces => {
  const known = new Map<number, FilePosition>()

  /** The block, and those on top of it in the active chain that are here and whose place is not known. */
  const wanted = (node: TreeNode): Uint32Array => {
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
          // Whoever asked for several at a time may have learned of some already: these are newer.
          for (const [i, index] of indexes.entries()) learn(index, places[i])
          return places[0]
        })
      }),
    forget: ({ index }) => void known.delete(index)
  }
}
