import { millisecondsOf, type UnixMilliseconds, unixSeconds } from "../../quantities.ts"
import type { P2pContext } from "./p2p-context.ts"

/**
 * Returns the node's time in milliseconds since 1970. While an operator has set one (`setmocktime`, on regtest), it
 * stays there, as Bitcoin Core's does. It is used for times on disk and in messages, and for timers.
 */
export const nodeClock =
  ({ chain, environment }: Pick<P2pContext, "chain" | "environment">) => (): UnixMilliseconds => {
    const { mockTime } = chain.state()
    return mockTime === 0 ? environment.now() : millisecondsOf(unixSeconds(mockTime))
  }
