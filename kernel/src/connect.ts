/** Connecting a block: collect, judge, conclude. */
export type { CoinbasePaysTooMuch } from "./connect/block-rules.ts"
export { collectBlock, type Collected, type ScriptJob, tableSeed } from "./connect/collect.ts"
export { concludeBlock } from "./connect/conclude.ts"
export { judgeScripts } from "./connect/judge.ts"
export { blockSubsidy } from "./connect/subsidy.ts"
