import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { connect } from "node:net"
import { httpServer } from "../../../src/http/http-server.ts"
import { patience } from "../../process/patience.ts"

/** What comes back for a head with these lines and a chunked body, until the server closes the connection. */
const answerTo = (port: number, ...lines: ReadonlyArray<string>): Promise<string> => {
  const head = ["POST / HTTP/1.1", "Host: a", "Connection: close", ...lines].join("\r\n")
  return (async () => {
    const client = connect(port, "127.0.0.1")
    let text = ""
    client.on("data", (chunk) => void (text += chunk.toString()))
    client.write(`${head}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`)
    await once(client, "close")
    return text
  })()
}

describe("a request in chunks", () => {
  it.live(
    "is read by them where it has a length as well, and refused where it is coded twice",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { port } = yield* httpServer({
          bind: { host: "127.0.0.1", port: 0 },
          timeoutMs: 5_000,
          takesChunksWithLength: true,
          whenQuiet: (done) => done(),
          listener: (request, response) => {
            let body = ""
            request.on("data", (chunk: Buffer) => void (body += chunk.toString()))
            request.on("end", () => void response.end(`got ${body}`))
          }
        })
        const ask = (...lines: ReadonlyArray<string>) => Effect.promise(() => answerTo(port, ...lines))
        for (
          const lines of [
            ["Transfer-Encoding: chunked"],
            ["Transfer-Encoding: chunked", "Content-Length: 3"],
            ["Content-Length: 1", "transfer-encoding:\tchunked ", "X: y"]
          ]
        ) assert.match(yield* ask(...lines), /^HTTP\/1\.1 200 OK[^]*got abc/, String(lines))
        for (const second of ["gzip", "identity", "chunked, gzip"]) {
          const answer = yield* ask("Transfer-Encoding: chunked", `Transfer-Encoding: ${second}`)
          assert.match(answer, /^HTTP\/1\.1 400 /, second)
        }
      })),
    patience(20_000)
  )
})
