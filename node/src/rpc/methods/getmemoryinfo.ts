import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "../method/method.ts"
import { optionalWith, text } from "../method/parameter.ts"
import { told } from "../method/result-schema.ts"
import { invalidParameter } from "../rpc-error.ts"

const Locked = Schema.Struct({
  used: told(Schema.Number, "Bytes used"),
  free: told(Schema.Number, "Bytes free"),
  total: told(Schema.Number, "Bytes in all"),
  locked: told(Schema.Number, "Bytes that are never swapped out"),
  chunks_used: told(Schema.Number, "Pieces used"),
  chunks_free: told(Schema.Number, "Pieces free")
})

const Memory = Schema.Struct({ locked: told(Locked, "Memory that holds keys: this node keeps none, so all is 0") })

const NO_KEYS: typeof Memory.Type = { locked: { used: 0, free: 0, total: 0, locked: 0, chunks_used: 0, chunks_free: 0 } }

export const getmemoryinfo = method({
  name: "getmemoryinfo",
  category: "control",
  privilege: "anyone",
  description: "Answers how memory for keys is used. For the memory of the whole process see its metrics.",
  parameters: { mode: optionalWith(text({ description: "stats; mallocinfo is not at hand" }), "stats") },
  result: Memory,
  examples: [{ params: [] }],
  call: ({ mode }) => {
    if (mode === "stats") return Effect.succeed(NO_KEYS)
    return Effect.fail(invalidParameter(mode === "mallocinfo" ? "mallocinfo mode not available" : `unknown mode ${mode}`))
  }
})
