import * as Effect from "effect/Effect"
import { lookup } from "node:dns/promises"
import { parseAddress } from "../../net/endpoint-text.ts"
import type { Resolve } from "./find-endpoints.ts"

/** Resolves a name with the machine's name service. An unknown name has no addresses. */
export const systemResolve: Resolve = (name) =>
  Effect.promise(() => lookup(name, { all: true }).catch(() => [])).pipe(
    Effect.map((found) => found.flatMap(({ address }) => parseAddress(address) ?? []))
  )

/** Resolves no name: behind a proxy a query would reveal who this node is. */
export const resolveNothing: Resolve = () => Effect.succeed([])
