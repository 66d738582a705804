import { isAsmap } from "@lockstep/protocol/asmap/asmap.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync, statSync } from "node:fs"
import { fsPath } from "../bytes/byte-path.ts"
import { asmapGroups, type NetGroups, PREFIX_GROUPS } from "./net-groups.ts"

/** An asmap that cannot be used. `message` says why, in Bitcoin Core's words. */
export class AsmapError extends Schema.TaggedError<AsmapError>()("AsmapError", { message: Schema.String }) {}

/** More bytes than any asmap has: one of the whole internet takes two megabytes. */
const LARGEST = 64 * 1024 * 1024

/**
 * Returns the content of a file, or `undefined` if it is missing. Throws if it is no regular file: a FIFO would wait
 * for a writer.
 */
const contentOf = (path: string | Buffer): Buffer | undefined => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (!stats.isFile()) throw new Error("not a file")
  return readFileSync(path)
}

/** Reads the asmap by which addresses are grouped. Without a path they are grouped by their prefixes. */
export const loadAsmap = Effect.fn("net.loadAsmap")(function*(
  path: string | undefined
): Effect.fn.Return<NetGroups, AsmapError> {
  if (path === undefined) return PREFIX_GROUPS
  const refused = (fault: "find" | "parse") => new AsmapError({ message: `Could not ${fault} asmap file "${path}"` })
  const bytes = yield* Effect.try({ try: () => contentOf(fsPath(path)), catch: () => refused("parse") })
  if (bytes === undefined) return yield* refused("find")
  const asmap = new Uint8Array(bytes)
  if (asmap.length > LARGEST || !isAsmap(asmap)) return yield* refused("parse")
  const groups = asmapGroups(asmap)
  yield* Effect.logInfo(`Opened asmap file "${path}" (${asmap.length} bytes) from disk`).pipe(
    Effect.annotateLogs({ category: "net" })
  )
  yield* Effect.logInfo(`Using asmap version ${groups.version} for IP bucketing`).pipe(
    Effect.annotateLogs({ category: "net", file: path })
  )
  return groups
})
