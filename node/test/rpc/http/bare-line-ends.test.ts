import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import type { HostPort } from "../../../src/config/config.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { fakeChain } from "../fake-chain.ts"
import { basic } from "../http-exchange.ts"
import { testServer } from "../test-server.ts"

const LOGIN = `Authorization: ${basic("u:p")}`

/** A call whose body has line ends of its own, which count. */
const call = (id: number): string => `{\n"method":"getblockcount",\r\n"id":${id}}`

/** Writes pieces one after another on one connection, and answers all that comes back until it closes. */
const send = ({ host, port }: HostPort, ...pieces: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = ""
    const socket = connect({ host, port, noDelay: true }, () => {
      void (async () => {
        for (const piece of pieces) {
          socket.write(piece)
          await new Promise((written) => setTimeout(written, 30))
        }
      })()
    })
    socket.on("data", (chunk: Buffer) => void (received += chunk.toString()))
    socket.on("error", reject)
    socket.on("close", () => resolve(received))
  })

const withLength = (end: string, id: number, ...more: ReadonlyArray<string>): string =>
  ["POST / HTTP/1.1", "Host: a", LOGIN, ...more, `Content-Length: ${call(id).length}`, "", ""].join(end) + call(id)

const inChunks = (end: string, id: number): string => {
  const [one, other] = [call(id).slice(0, 9), call(id).slice(9)]
  return ["POST / HTTP/1.1", LOGIN, "Connection: close", "Transfer-Encoding: chunked", "", ""].join(end) +
    [one.length.toString(16), one, `${other.length.toString(16)};x=y`, other, "0", "Trailer: t", "", ""].join(end)
}

const CLOSE = "Connection: close"

/** Requests with lines that end in `\n` alone, and the ids of the calls that are answered. */
const REQUESTS: ReadonlyArray<readonly [name: string, pieces: ReadonlyArray<string>, ids: ReadonlyArray<number>]> = [
  ["in every line", [withLength("\n", 1, CLOSE)], [1]],
  ["in the request line", [withLength("\r\n", 1, CLOSE).replace("\r\n", "\n")], [1]],
  ["in one header", [withLength("\r\n", 1, CLOSE).replace("Host: a\r\n", "Host: a\n")], [1]],
  ["in the empty line", [withLength("\r\n", 1, CLOSE).replace("\r\n\r\n", "\r\n\n")], [1]],
  ["behind the last header", [withLength("\r\n", 1, CLOSE).replace("\r\n\r\n", "\n\r\n")], [1]],
  ["line by line, as a person types", withLength("\n", 1, CLOSE).split(/(?<=\n)/), [1]],
  ["with the body in a packet of its own", withLength("\n", 1, CLOSE).split(/(?<=\n\n)/), [1]],
  ["in two requests that come together", [withLength("\n", 1) + withLength("\n", 2, CLOSE)], [1, 2]],
  ["in two requests one after another", [withLength("\n", 1), withLength("\n", 2, CLOSE)], [1, 2]],
  ["in the second request only", [withLength("\r\n", 1), withLength("\n", 2, CLOSE)], [1, 2]],
  ["in the first request only", [withLength("\n", 1), withLength("\r\n", 2, CLOSE)], [1, 2]],
  ["around chunks", [inChunks("\n", 1)], [1]],
  [
    "around chunks, in pieces",
    [...inChunks("\n", 1)].map((_, i, all) => all.slice(i * 40, i * 40 + 40).join(""))
      .filter((piece) => piece !== ""),
    [1]
  ]
]

const REFUSED: ReadonlyArray<readonly [name: string, text: string]> = [
  ["a header without a name", `POST / HTTP/1.1\n: a\n${LOGIN}\n\n`],
  ["a version that there is not", "GET / HTTP/1.7\n\n"],
  ["a line that is too long", `GET / HTTP/1.1\nA: ${"a".repeat(9_000)}\n\n`],
  ["a chunk without a size", `POST / HTTP/1.1\n${LOGIN}\nTransfer-Encoding: chunked\n\nx\n`],
  ["two lengths that differ", `POST / HTTP/1.1\n${LOGIN}\nContent-Length: 2\nContent-Length: 3\n\nabc`]
]

describe("a request with lines that end in \\n alone", () => {
  it.live.each(REQUESTS)("is answered: %s", ([, pieces, ids]) =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const answers = yield* Effect.promise(() => send(address, ...pieces))
      assert.strictEqual(answers.split("HTTP/1.1 200 OK\r\n").length - 1, ids.length, answers)
      const found = [...answers.matchAll(/"error":null,"id":(\d+)\}/g)].map(([, id]) => Number(id))
      assert.deepStrictEqual(found, ids)
    }).pipe(Effect.scoped))

  it.live.each(REFUSED)("is refused with status 400 where it has %s", ([, text]) =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      assert.match(yield* Effect.promise(() => send(address, text)), /^HTTP\/1\.1 400 /)
    }).pipe(Effect.scoped))
})
