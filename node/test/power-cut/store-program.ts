// A program for tests: writes numbered batches into a store, which it opens again and again, and after each appends the
// number of the batch to a file beside the store.
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { DISK_ENGINES } from "../../src/storage/key-value/opening/disk-engine.ts"
import { keyOf, KEPT, LAST, valueOf } from "../storage/key-value/numbered-batches.ts"

const [name = "", root = "", entriesText = "", batchesText = "", sessionsText = ""] = process.argv.slice(2)
const [entries, batches, sessions] = [Number(entriesText), Number(batchesText), Number(sessionsText)]
const engine = DISK_ENGINES.find((each) => each.name === name)!
const answered = fs.openSync(join(root, "answered"), "a")

await Effect.runPromise(Effect.gen(function*() {
  for (let batch = 0, session = 0; session < sessions; session++) {
    const store = yield* engine.open(join(root, "store"))
    for (let n = 0; n < batches; n++, batch++) {
      yield* store.write((writer) => {
        for (let entry = 0; entry < entries; entry++) {
          writer.put(keyOf(batch, entry), valueOf(batch))
          if (batch >= KEPT) writer.remove(keyOf(batch - KEPT, entry))
        }
        writer.put(LAST, valueOf(batch))
      })
      fs.writeSync(answered, `${batch}\n`)
    }
    yield* store.close
  }
}))
