import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { patience } from "../process/patience.ts"
import { conversationAt, recordingsFolder } from "../recordings/conversation.ts"
import { playConversation } from "../recordings/play-conversation.ts"

const folder = recordingsFolder("zmq")

describe.skipIf(folder === undefined)("what Bitcoin Core published through ZeroMQ", () => {
  it("is published by bitcoind, frame by frame", { timeout: patience(240_000) }, async () => {
    const conversation = conversationAt(join(folder!, "zmq.jsonl.gz"))!
    const { differences, isComplete, skipped } = await playConversation(conversation, { from: 0, maxDifferences: 5 })
    assert.deepStrictEqual(differences.map(({ row, text }) => `row ${row.i}: ${text}`), [])
    assert.isTrue(isComplete)
    assert.strictEqual(skipped, 0)
  })
})
