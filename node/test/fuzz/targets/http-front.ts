import { displayHash } from "../../../src/hex.ts"
import { connect } from "node:net"
import type { HostPort } from "../../../src/config/config.ts"
import { anyConnection, type Sending } from "../any-connection.ts"
import { programmersWords } from "../plain-words.ts"
import { type HttpReply, readAnswers } from "../read-answers.ts"
import { nodeOfThisThread, prepareNode } from "../running-node.ts"
import { REGRESSIONS } from "../regressions-directory.ts"
import { knownCalls } from "../recorded-calls.ts"
import type { Target } from "@lockstep/property-tests/fuzz/target.ts"
import { patience } from "../../process/patience.ts"

/** How long a server may take to answer all and close, once nothing more comes. */
const LIMIT_MS = patience(30_000)

/** What came back until the server closed; none: it did not. */
const exchange = ({ host, port }: HostPort, pieces: ReadonlyArray<Uint8Array>): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    const socket = connect({ host, port, noDelay: true })
    const alarm = setTimeout(() => {
      resolve(undefined)
      socket.destroy()
    }, LIMIT_MS)
    const done = (): void => {
      clearTimeout(alarm)
      resolve(Buffer.concat(chunks))
    }
    socket.on("data", (chunk) => chunks.push(chunk))
    // A connection that is closed while we still write is closed all the same.
    socket.on("error", () => {})
    socket.on("close", done)
    const [first = new Uint8Array(0), ...rest] = pieces
    socket.write(first)
    setImmediate(() => {
      for (const piece of rest) socket.write(piece)
      socket.end()
    })
  })

const STATUSES = {
  rpc: new Set([200, 204, 400, 401, 403, 404, 405, 413, 417, 500, 503]),
  rest: new Set([200, 304, 400, 401, 403, 404, 405, 406, 409, 413, 415, 417, 422, 501, 503])
}

const internal = /"code":-32603|"code":"internal_error"/

const wrongAnswer = (
  { body, headers, status }: HttpReply,
  server: Sending["server"],
  sent: string
): string | undefined => {
  const text = body.toString()
  if (!STATUSES[server].has(status)) return `status: ${status} ${text.slice(0, 100)}`
  if (internal.test(text)) return `internal error: ${text.slice(0, 200)}`
  if (headers.get("content-type") !== "application/json" || text === "") return undefined
  try {
    JSON.parse(text)
  } catch {
    return `the answer is no JSON: ${text.slice(0, 100)}`
  }
  const message = status === 200 ? "" : (/"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? "")
  return programmersWords(message, sent)
}

const tally = new Map<string, number>()

/** Bytes on a connection to the node's servers: whole answers or none, soon, and nothing changed. */
export const httpFrontTarget: Target<Sending> = {
  name: "http-front",
  about: "bytes on connections to the RPC and REST servers of a whole node",
  regressions: REGRESSIONS,
  prepare: prepareNode,
  generate: (random) => anyConnection(random, knownCalls()),
  judge: async ({ pieces, server }) => {
    const { chain, complaints, rest, rpc } = await nodeOfThisThread()
    const before = displayHash(chain.state()!.hash)
    const sent = Buffer.concat(pieces).toString("latin1")
    const came = await exchange(server === "rpc" ? rpc : rest, pieces)
    if (displayHash(chain.state()!.hash) !== before) return "state: changed by a caller without credentials"
    const logged = complaints()
    if (logged.length > 0) return `logged: ${logged[0]}`
    if (came === undefined) return "slow: the connection is still open"
    // Which request an answer belongs to is not known where requests are damaged: any HEAD makes all of them such.
    const isHead = /HEAD /.test(sent)
    const read = readAnswers(came, () => false)
    if ("wrong" in read) return isHead ? undefined : `answer: ${read.wrong}`
    for (const answer of read.answers) {
      const key = `${server} ${answer.status}`
      tally.set(key, (tally.get(key) ?? 0) + 1)
      const wrong = wrongAnswer(answer, server, sent)
      if (wrong !== undefined) return wrong
    }
    return undefined
  },
  notes: () => [`answers: ${[...tally].toSorted().map(([key, times]) => `${times} of ${key}`).join(", ")}`]
}
