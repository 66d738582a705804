import { isAsmap } from "@lockstep/protocol/asmap/asmap.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { asmapGroups, type NetGroups, PREFIX_GROUPS } from "./net-groups.ts"

/** An asmap that cannot be used. `message` says why, in Bitcoin Core's words. */
export class AsmapError extends Schema.TaggedError<AsmapError>()("AsmapError", { message: Schema.String }) {}

/** More than any asmap has: one of the whole internet takes two megabytes. */
const LARGEST = 64 * 1024 * 1024

/** Reads the asmap that addresses are to be grouped by; none: they are grouped by their first bytes. */
export const loadAsmap = Effect.fn("net.loadAsmap")(function*(
  path: string | undefined
): Effect.fn.Return<NetGroups, AsmapError> {
  if (path === undefined) return PREFIX_GROUPS
  const bytes = yield* Effect.tryPromise({
    try: () => readFile(path),
    catch: () => new AsmapError({ message: `Could not find asmap file "${path}"` })
  })
  const asmap = new Uint8Array(bytes)
  if (asmap.length > LARGEST || !isAsmap(asmap)) {
    return yield* new AsmapError({ message: `Could not parse asmap file "${path}"` })
  }
  const groups = asmapGroups(asmap)
  yield* Effect.logInfo(`Opened asmap file "${path}" (${asmap.length} bytes) from disk`).pipe(
    Effect.annotateLogs({ category: "net" })
  )
  yield* Effect.logInfo(`Using asmap version ${groups.version} for IP bucketing`).pipe(
    Effect.annotateLogs({ category: "net", file: path })
  )
  return groups
})
