import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { patience } from "../process/patience.ts"
import { conversationAt, recordingsFolder } from "./conversation.ts"
import { playConversation } from "./play-conversation.ts"

/** Conversations that pass and take seconds; `pnpm test:recordings` plays all of them. */
const QUICK = ["template/proposals"]

const folder = recordingsFolder()
const paths = folder === undefined ? [] : QUICK.map((name) => join(folder, `${name}.jsonl.gz`)).filter(existsSync)

describe.skipIf(paths.length === 0)("conversations with Bitcoin Core, played to a running node", () => {
  it.each(paths)("%s", { timeout: patience(240_000) }, async (path) => {
    const { differences, isComplete, rows } = await playConversation(conversationAt(path)!, {
      from: 0,
      maxDifferences: 10
    })
    assert.deepStrictEqual(differences.map(({ row, text }) => `row ${row.i}: ${text}`), [])
    assert.isTrue(isComplete)
    assert.isAbove(rows, 20)
  })
})
