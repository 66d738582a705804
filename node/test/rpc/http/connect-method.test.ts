import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, beforeAll } from "vitest"
import { httpServer } from "../../../src/http/http-server.ts"
import { patience } from "../../process/patience.ts"

const CONNECT = "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"
const faults: Array<Error> = []
const keep = (error: Error): void => void faults.push(error)

describe("a request to be a proxy", () => {
  // A fault without a listener ends a node.
  beforeAll(() => void process.prependListener("uncaughtException", keep))
  afterAll(() => void process.off("uncaughtException", keep))

  it.live("is refused, and ends nothing where its connection is reset", () =>
    Effect.gen(function*() {
      const { port } = yield* httpServer({
        bind: { host: "127.0.0.1", port: 0 },
        timeoutMs: 5_000,
        whenQuiet: (done) => done(),
        listener: (_, response) => void response.end()
      })
      const answered = yield* Effect.promise(async () => {
        const client = connect(port, "127.0.0.1")
        client.write(CONNECT)
        const [bytes] = await once(client, "data") as [Buffer]
        client.destroy()
        return bytes.toString()
      })
      assert.match(answered, /^HTTP\/1\.1 405 /)
      for (let round = 0; round < 60; round++) {
        yield* Effect.promise(async () => {
          const client = connect(port, "127.0.0.1").on("error", () => undefined)
          await once(client, "connect")
          await new Promise((resolve) => client.write(CONNECT, resolve))
          await new Promise((resolve) => setTimeout(resolve, round % 3))
          client.resetAndDestroy()
        })
      }
      yield* Effect.sleep("50 millis")
      assert.deepStrictEqual(faults, [])
    }), patience(20_000))
})
