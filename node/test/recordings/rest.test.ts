import { assert, describe, it } from "@effect/vitest"
import { patience } from "../process/patience.ts"
import { hasVectors } from "../rpc/vectors.ts"
import { conversationFiles, recordingsFolder } from "./conversation.ts"
import { playRest, restRecordingAt } from "./rest-recording.ts"

const folder = recordingsFolder("rest")
const recordings = folder === undefined || !hasVectors
  ? []
  : conversationFiles(folder, []).flatMap((path) => restRecordingAt(path) ?? [])

describe.skipIf(recordings.length === 0)("REST as recorded from Bitcoin Core", () => {
  it.each(recordings)("$name", { timeout: patience(180_000) }, async (recording) => {
    const { differences, rows } = await playRest(recording)
    assert.deepStrictEqual(differences, [])
    assert.isAbove(rows, 1_000)
  })
})
