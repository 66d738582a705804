import type { RpcNode } from "../rpc-node.ts"

const CLOCK =
  "The clock of this machine seems to be wrong by more than ten minutes; set it, else valid blocks may be refused"

/** What an operator should know, whichever method is asked. */
export const warningsOf = (
  { chain, peers }: RpcNode
): ReadonlyArray<string> => [...chain.state().warnings, ...peers()?.clocks.isFarOff() === true ? [CLOCK] : []]
