import { assert, describe, it } from "@effect/vitest"
import { playPublished, publishedBeyond } from "./play-zmq.ts"

type Frames = ReadonlyArray<string>

const message = (body: string, number: number): Frames => ["61", body, `0${number}000000`]

/** A node that published these messages of one topic. */
const published = (...messages: ReadonlyArray<Frames>) => {
  const left = [...messages]
  const subscriber = {
    next: async () => left.shift(),
    left: async () => left.length,
    close: () => undefined
  }
  return { subscribers: new Map([["a", subscriber]]) }
}

const differences = (node: ReturnType<typeof published>, ...frames: ReadonlyArray<Frames>) =>
  playPublished(node, { topic: "a", frames }, 1_000)

describe("messages of ZeroMQ, compared with recorded ones", () => {
  it("are equal in all frames, or a difference each", async () => {
    const both = [message("01", 1), message("02", 2)]
    assert.deepStrictEqual(await differences(published(...both), ...both), [])
    const found = await differences(published(message("01", 1), message("03", 2)), ...both)
    assert.deepStrictEqual(found, ["published 61 03 02000000 instead of 61 02 02000000"])
    assert.lengthOf(await differences(published(["61", "01"]), ["61", "01", "01000000"]), 1)
  })

  it("may be preceded by some from before the recording, and must neither be missing nor skip a number", async () => {
    const early = [message("07", 1), message("08", 2)]
    assert.deepStrictEqual(await differences(published(...early, message("09", 3)), message("09", 3)), [])
    assert.deepStrictEqual(await differences(published(...early), message("09", 3)), ["a 3 is not published"])
    assert.lengthOf(await differences(published(message("09", 4)), message("09", 3)), 1)
  })

  it("are of a topic that is published, and no more than recorded", async () => {
    const node = published(message("01", 1))
    assert.deepStrictEqual(await playPublished(node, { topic: "b", frames: [] }, 1_000), ["nothing publishes b"])
    assert.deepStrictEqual(await publishedBeyond(node), ["1 more of a than recorded"])
  })
})
