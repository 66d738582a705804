import { assert, describe, it } from "@effect/vitest"
import { patience } from "../process/patience.ts"
import { callsRecordingAt, playCalls } from "./calls-recording.ts"
import { conversationFiles, recordingsFolder } from "./conversation.ts"

/** Each seventh row, which takes seconds; `pnpm test:recordings --dir signing` plays all of them. */
const STRIDE = 7

const folder = recordingsFolder("signing")
const recordings = folder === undefined
  ? []
  : conversationFiles(folder, []).flatMap((path) => callsRecordingAt(path) ?? [])

describe.skipIf(recordings.length === 0)("single calls as Bitcoin Core answered them", () => {
  it.each(recordings)("$name", { timeout: patience(240_000) }, async (recording) => {
    const { differences, rows } = await playCalls(recording, STRIDE)
    assert.deepStrictEqual(differences, [])
    assert.isAbove(rows, 300)
  })
})
