import type { NaiveCoins } from "../oracles/coins.ts"

/** What a node says of a block it is handed, and what it holds afterwards. */
export interface Answer {
  /** `OK`, `known`, the rule the block breaks, or what is wrong with its place in the tree. */
  readonly said: string
  readonly tip: string
  readonly coins: NaiveCoins
}
