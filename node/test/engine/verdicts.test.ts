import { describe, it } from "@effect/vitest"
import { readJson } from "@lockstep/conformance/formats/read-file.ts"
import { fileAt, type Source } from "@lockstep/conformance/sources/source.ts"
import * as Effect from "effect/Effect"
import { recordedFiles } from "../acceptance/recorded-files.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { play, playWithRestarts } from "./play-verdicts.ts"
import { type VerdictRow, verdictRows } from "./verdict-rows.ts"
import { patience } from "../process/patience.ts"

const source: Source = { kind: "root", label: "vectors", directory: process.env["LOCKSTEP_VECTORS"] ?? "" }
const manifest = fileAt(source, "oracle/MANIFEST.json")
const RECORDINGS = recordedFiles("oracle/verdicts")

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)

/** Where a file starts to need hundreds of large blocks. */
const largeFrom = (name: string): number =>
  readJson(manifest).get("files").items.find((each) => each.get("path").text.endsWith(`/${name}`))?.find(
    "largeReorgFromRow"
  )?.integer ?? Infinity

const rowsOf = (name: string): Effect.Effect<ReadonlyArray<VerdictRow>> =>
  Effect.promise(() => verdictRows(fileAt(source, `oracle/verdicts/${name}`), Infinity))

describe.skipIf(RECORDINGS.length === 0)("verdicts of Bitcoin Core", () => {
  for (const name of RECORDINGS) {
    it.live(`${name}, as recorded`, () =>
      Effect.gen(function*() {
        yield* play(yield* temporaryDirectory, yield* rowsOf(name), largeFrom(name))
      }), patience(600_000))
    // A restart now and then in a thousand large blocks takes longer than it shows.
    if (largeFrom(name) !== Infinity) continue
    it.live(`${name}, with restarts, seed ${SEED}`, () =>
      Effect.gen(function*() {
        yield* playWithRestarts(yield* temporaryDirectory, yield* rowsOf(name), SEED)
      }), patience(240_000))
  }
})
