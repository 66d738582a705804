// A program for tests: writes numbered batches into a store and says on standard output which ones were answered for.
import * as Effect from "effect/Effect"
import { keyOf, KEPT, LAST, valueOf } from "./numbered-batches.ts"
import { LEVELDB, LMDB } from "./engines.ts"

const [name = "", directory = "", size = "1", pauseOnFailure = ""] = process.argv.slice(2)
const entries = Number(size)
const engine = name === LMDB.name ? LMDB : LEVELDB

const say = (line: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    process.stdout.write(`${line}\n`, () => resume(Effect.void))
  })

await Effect.runPromise(Effect.gen(function*() {
  const store = yield* engine.open(directory)
  const last = yield* store.get(LAST)
  let batch = last === undefined ? 0 : new DataView(last.buffer, last.byteOffset).getUint32(0) + 1
  for (;;) {
    const outcome = yield* Effect.result(store.write((writer) => {
      for (let n = 0; n < entries; n++) {
        writer.put(keyOf(batch, n), valueOf(batch))
        if (batch >= KEPT) writer.remove(keyOf(batch - KEPT, n))
      }
      writer.put(LAST, valueOf(batch))
    }))
    if (outcome._tag === "Success") {
      yield* say(`done ${batch++}`)
    } else {
      yield* say(`failed ${outcome.failure.reason} ${outcome.failure.message}`)
      if (pauseOnFailure === "") break
      yield* Effect.sleep("50 millis")
    }
  }
  yield* store.close
}))
