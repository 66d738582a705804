import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { heapXml, memoryFigures } from "../metrics/memory-figures.ts"
import { method } from "./definition/method.ts"
import { optionalWith, text } from "./definition/parameter.ts"
import { variant, described } from "../answers/result-schema.ts"
import { invalidParameter } from "../queries/call-error.ts"

const Locked = Schema.Struct({
  used: described(Schema.Number, "Bytes used"),
  free: described(Schema.Number, "Bytes free"),
  total: described(Schema.Number, "Bytes in all"),
  locked: described(Schema.Number, "Bytes of the process that the machine never swaps out"),
  chunks_used: described(Schema.Number, "Spaces of the heap that hold something"),
  chunks_free: described(Schema.Number, "Spaces of the heap that are empty")
})

export const Memory = Schema.Struct({ locked: described(Locked, "The heap of the node's main thread") })

export const getmemoryinfo = method({
  name: "getmemoryinfo",
  category: "control",
  privilege: "anyone",
  description: [
    "Answers how the memory of the node's main thread is used. Bitcoin Core answers here for the memory that it locks for keys.",
    "This node keeps no keys, so the figures are those of its heap. For the memory of the whole process see its metrics."
  ].join("\n"),
  parameters: {
    mode: optionalWith(text({ description: "stats: figures; mallocinfo: the spaces of the heap as XML" }), "stats")
  },
  result: Schema.Union([
    variant("mode=stats", Memory),
    variant(
      "mode=mallocinfo",
      Schema.String.annotate({ description: "Elements as glibc's malloc_info has them, one heap for each space" })
    )
  ]),
  examples: [{ params: [] }, { params: ["mallocinfo"] }],
  call: ({ mode }) => {
    if (mode === "stats") {
      return Effect.sync(() => {
        const { emptySpaces, free, locked, total, used, usedSpaces } = memoryFigures()
        return { locked: { used, free, total, locked, chunks_used: usedSpaces, chunks_free: emptySpaces } }
      })
    }
    if (mode === "mallocinfo") return Effect.sync(heapXml)
    return Effect.fail(invalidParameter(`unknown mode ${mode}`))
  }
})
