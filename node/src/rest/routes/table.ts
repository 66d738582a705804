import type { Route } from "../route.ts"
import { ADDRESS_ROUTES } from "./addresses.ts"
import { BLOCK_ROUTES } from "./blocks.ts"
import { CHAIN_ROUTES } from "./chain.ts"
import { MEMPOOL_ROUTES } from "./mempool.ts"
import { FEE_ROUTES } from "./fees.ts"
import { NETWORK_ROUTES } from "./network.ts"
import { NODE_ROUTES } from "./node.ts"
import { TRANSACTION_ROUTES } from "./transactions.ts"

/** All resources. The first of several matching paths counts. */
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

/** Parts that this build lacks, by the prefix of the paths of their resources. */
const NOT_BUILT: ReadonlyArray<readonly [path: RegExp, part: string]> = [
  [/^\/(payments?|vaults|pools|batches|congestion)(\/|$)/, "payment processing"]
]

/** Returns the part that is missing for a path, or `undefined` if no such resource is planned. */
export const missingPart = (path: string): string | undefined => NOT_BUILT.find(([begin]) => begin.test(path))?.[1]
