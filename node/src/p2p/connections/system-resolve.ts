import * as Effect from "effect/Effect"
import { lookup } from "node:dns/promises"
import { parseAddress } from "../endpoint/endpoint-text.ts"
import type { Resolve } from "./manual.ts"

/** Asks the machine's name service. A name that nobody knows has no addresses. */
export const systemResolve: Resolve = (name) =>
  Effect.promise(() => lookup(name, { all: true }).catch(() => [])).pipe(
    Effect.map((found) => found.flatMap(({ address }) => parseAddress(address) ?? []))
  )

/** Never asks anybody: behind a proxy a question would tell who asks. */
export const resolveNothing: Resolve = () => Effect.succeed([])
