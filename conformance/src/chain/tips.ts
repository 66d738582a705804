import type { Field } from "../formats/field.ts"
import { displayHexOf } from "../formats/hex.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { type Entry, isActive, type Store } from "./store.ts"

/** A block that no other is on top of, and how far from the active chain it is. */
export interface ChainTip {
  readonly height: number
  readonly hash: string
  readonly branchlen: number
  readonly status: "active" | "invalid" | "headers-only" | "valid-headers" | "valid-fork"
}

const statusOf = (store: Store, entry: Entry): ChainTip["status"] => {
  if (entry === store.tip) return "active"
  if (entry.invalid) return "invalid"
  if (!entry.linked) return "headers-only"
  return entry.connected ? "valid-fork" : "valid-headers"
}

const branchLength = (store: Store, entry: Entry): number => {
  let length = 0
  for (let at: Entry = entry; !isActive(store, at); at = at.parent!) length++
  return length
}

/** `getchaintips`: the tip, and every leaf of the tree off the active chain; highest first. */
export const chainTips = (store: Store): ReadonlyArray<ChainTip> =>
  [...store.entries.values()]
    .filter((entry) => entry === store.tip || (entry.children.length === 0 && !isActive(store, entry)))
    .map((entry) => ({
      height: entry.node.height,
      hash: displayHexOf(entry.node.hash),
      branchlen: branchLength(store, entry),
      status: statusOf(store, entry)
    }))
    .sort((a, b) => b.height - a.height || (a.hash < b.hash ? -1 : 1))

const inAnyOrder = (rows: ReadonlyArray<string>): string => rows.toSorted().join("; ")

/** Compares every tip, with its status, with a `getchaintips` answer. */
export const judgeChainTips = (store: Store, tips: Field): Outcome => {
  const expected = tips.items.map((tip) =>
    `${tip.get("height").integer} ${tip.get("hash").text} ${tip.get("branchlen").integer} ${tip.get("status").text}`
  )
  const actual = chainTips(store).map(({ branchlen, hash, height, status }) =>
    `${height} ${hash} ${branchlen} ${status}`
  )
  return same("chain tips", inAnyOrder(expected), inAnyOrder(actual))
}
