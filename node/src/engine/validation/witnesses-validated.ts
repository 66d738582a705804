import { cursorOn, readUint32, writerOf, writeUint32 } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { KeySpace, namedKey } from "../../storage/key-space.ts"
import { StorageError } from "../../storage/storage-error.ts"
import { asTyped } from "../../typed-command.ts"
import type { MakeExtension } from "../chainstate/extension.ts"

const KEY = namedKey(KeySpace.meta, "witnesses")

const encodeHeight = (height: number): Uint8Array => {
  const writer = writerOf(4)
  writeUint32(writer, height)
  return writer.bytes
}

const unvalidated = (height: number): StorageError =>
  new StorageError({
    part: "key-value",
    operation: "start",
    reason: "corrupt",
    message:
      `Witness data for blocks after height ${height} requires validation: segwit is active from there on now, ` +
      `and was not when they were connected. Run ${asTyped("rebuild")}, or start with the activation height of before.`
  })

/**
 * Rejects a chain with blocks that were connected as pre-segwit blocks and are above the activation height now, because
 * the height was lowered. The store records the height from which all blocks were validated with their witnesses. Core:
 * `NeedsRedownload`.
 */
export const witnessesValidated: MakeExtension = (engine) =>
  Effect.gen(function*() {
    const { parameters: { heights: { segwit } }, store, tree } = engine
    const record = yield* store.get(KEY)
    let from = record?.length === 4 ? readUint32(cursorOn(record)) : segwit
    let isSaved = record !== undefined
    if (segwit < from && tree.tip.height > 0 && tree.tip.height >= segwit) return yield* unvalidated(segwit)
    return {
      hooks: [{
        isIdle: () => from >= segwit,
        connected: ({ node }) => {
          if (node.height >= segwit || from >= segwit) return
          from = segwit
          isSaved = false
        },
        writeChanges: (batch) => {
          if (!isSaved) batch.put(KEY, encodeHeight(from))
        },
        committed: () => {
          isSaved = true
        }
      }]
    }
  })
