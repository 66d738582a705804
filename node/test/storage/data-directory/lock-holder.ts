// A program for tests: holds the data directory it is given until it is killed.
import * as Effect from "effect/Effect"
import { openDataDirectory } from "../../../src/storage/data-directory/open-data-directory.ts"

const [directory = ""] = process.argv.slice(2)
await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  yield* openDataDirectory({ directory, network: "regtest" })
  process.stdout.write("held\n")
  // Ends by itself should its test be gone.
  yield* Effect.sleep("60 seconds")
})))
