import type { NetworkStream } from "@lockstep/sdk"
import { duplexPair } from "node:stream"
import { assert, describe, it } from "vitest"
import { initiate, newKeyPair, SECOND_BYTES } from "../stratum-v2/src/noise/handshake.ts"
import { serveStream } from "../stratum-v2/src/serve-stream.ts"
import type { Message } from "../stratum-v2/src/wire/messages.ts"

const SUCCESS: Message = { _tag: "SetupConnection.Success", used_version: 2, flags: 0 }

const turns = async (): Promise<void> => {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => void setImmediate(resolve))
}

/** A stream that has shaken hands, what can be sent over it, and the errors that it has met. */
const shaken = async () => {
  const [near, far] = duplexPair()
  const errors: Array<string> = []
  near.on("error", (error: NodeJS.ErrnoException) => void errors.push(error.code ?? error.message))
  let send: (message: Message) => void = () => assert.fail("no hands were shaken")
  serveStream({
    stream: near as unknown as NetworkStream,
    server: newKeyPair(),
    certificate: () => new Uint8Array(74),
    connect: (given) => {
      send = given
      return { mostPayload: () => 100, take: () => true, newTemplate: () => undefined, end: () => undefined }
    }
  })
  far.write(initiate().first)
  await turns()
  assert.lengthOf(far.read() as Buffer, SECOND_BYTES)
  return { errors, far, near, send }
}

describe("a message of Stratum V2 that is sent", () => {
  it("goes to a peer that has shaken hands", async () => {
    const { far, send } = await shaken()
    send(SUCCESS)
    await turns()
    assert.isNotNull(far.read())
  })

  it("is dropped where this side has ended the stream, which is no error", async () => {
    const { errors, near, send } = await shaken()
    near.end()
    send(SUCCESS)
    await turns()
    assert.deepStrictEqual(errors, [])
  })

  it("is dropped where the stream is destroyed, and nothing more is written to it", async () => {
    const { errors, near, send } = await shaken()
    near.destroy()
    let written = 0
    near.write = () => {
      written++
      return true
    }
    send(SUCCESS)
    await turns()
    assert.deepStrictEqual([written, errors], [0, []])
  })
})
