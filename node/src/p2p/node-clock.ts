import type { P2pContext } from "./p2p-context.ts"

/**
 * The time that is written down, told to others and compared with what they tell, in milliseconds since 1970: on regtest an
 * operator may set it. Waiting goes by the environment's own, which follows it forward and never stands still.
 */
export const nodeClock = ({ chain, environment }: Pick<P2pContext, "chain" | "environment">) => (): number => {
  const { mockTime } = chain.state()
  return mockTime === 0 ? (environment.date ?? environment.now)() : mockTime * 1_000
}
