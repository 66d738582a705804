import type { Route } from "../route.ts"
import { ADDRESS_ROUTES } from "./addresses.ts"
import { BLOCK_ROUTES } from "./blocks.ts"
import { CHAIN_ROUTES } from "./chain.ts"
import { MEMPOOL_ROUTES } from "./mempool.ts"
import { FEE_ROUTES } from "./fees.ts"
import { NETWORK_ROUTES } from "./network.ts"
import { NODE_ROUTES } from "./node.ts"
import { TRANSACTION_ROUTES } from "./transactions.ts"

/** Every resource there is. Of two paths that fit, the first one counts. */
export const ROUTES: ReadonlyArray<Route> = [
  ...CHAIN_ROUTES,
  ...BLOCK_ROUTES,
  ...TRANSACTION_ROUTES,
  ...ADDRESS_ROUTES,
  ...MEMPOOL_ROUTES,
  ...FEE_ROUTES,
  ...NETWORK_ROUTES,
  ...NODE_ROUTES
]

/** What a resource would need that is not in this build, by the begin of its path. */
const NOT_BUILT: ReadonlyArray<readonly [path: RegExp, part: string]> = [
  [/^\/(payments?|vaults|pools|batches|congestion)(\/|$)/, "payment processing"]
]

/** What is missing for a path; none: there never is such a resource. */
export const missingPart = (path: string): string | undefined => NOT_BUILT.find(([begin]) => begin.test(path))?.[1]
