import { stillChain } from "./still-chain.ts"
import { testHost } from "./test-host.ts"

/** The time at which the sessions of these tests begin, in milliseconds. */
export const START = stillChain().state().time * 1_000

/** A node on a chain that stays as it is, for one session. */
export const host = (
  options: { readonly start?: number; readonly wantsTransactions?: boolean; readonly peerTimeout?: number } = {}
) =>
  testHost({
    chain: stillChain(),
    start: options.start ?? START,
    versionInfo: { wantsTransactions: options.wantsTransactions ?? true, peerTimeout: options.peerTimeout }
  })
