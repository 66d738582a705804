import { mutateBytes } from "@lockstep/property-tests/fuzz/mutate/bytes.ts"
import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import type { RecordedCall } from "./recorded-calls.ts"
import { anyRequestBody } from "./any-request-body.ts"
import { anyRestRequest } from "./any-rest-request.ts"
import { USER_TOKEN } from "./running-node.ts"

/** What a client sends on one connection, and to which server. */
export interface Sending {
  readonly server: "rpc" | "rest"
  readonly pieces: ReadonlyArray<Uint8Array>
}

const PATHS = [
  "/",
  "/",
  "/",
  "/",
  "/wallet/x",
  "/health",
  "/health/live",
  "/health/ready",
  "/health/detailed",
  "/metrics",
  "/nothing",
  "*",
  "//",
  "/?x",
  "/%00"
]

const LINES: ReadonlyArray<string> = [
  "Content-Type: application/json",
  "Content-Type: text/plain",
  "Connection: close",
  "Connection: keep-alive",
  "Connection: upgrade",
  "Upgrade: websocket",
  "Expect: 100-continue",
  "Expect: nothing",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: gzip, chunked",
  "Content-Length: 0",
  "Content-Length: 5",
  "Content-Length: -1",
  "Content-Length: 99999999999999",
  "Content-Length: x",
  "Host: other",
  `Authorization: Bearer ${USER_TOKEN}`,
  "Authorization: Basic",
  "Authorization:",
  "Authorization: Digest x",
  `X: ${"y".repeat(9_000)}`,
  "X : y",
  ": y",
  "X:\u0000y",
  "X: é",
  "Accept: text/plain",
  "If-None-Match: *",
  "X-Forwarded-For: 10.0.0.1",
  "Cookie: a=b",
  " folded: 1"
]

const chunked = (body: Uint8Array, random: Random): Buffer => {
  const cut = random.below(body.length + 1)
  const parts = [body.subarray(0, cut), body.subarray(cut)].filter(({ length }) => length > 0)
  const texts = parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")])
  return Buffer.concat([...texts, Buffer.from(random.oneIn(12) ? "0\r\n" : "0\r\n\r\n")])
}

const headLines = (random: Random, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const extra = Array.from({ length: random.oneIn(3) ? random.below(3) : 0 }, () => random.pick(LINES))
  return [...(random.oneIn(30) ? [] : ["Host: 127.0.0.1"]), ...lines, ...extra]
}

const message = (random: Random, first: string, lines: ReadonlyArray<string>, body: Uint8Array): Buffer => {
  const isChunked = random.oneIn(8)
  const length = random.oneIn(25) ? body.length + random.below(9) - 4 : body.length
  const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`
  const head = [first, ...headLines(random, [...lines, framing]), "", ""].join(random.oneIn(40) ? "\n" : "\r\n")
  return Buffer.concat([Buffer.from(head, "latin1"), isChunked ? chunked(body, random) : body])
}

const version = (random: Random): string =>
  random.pick(["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "http/1.1"])

const toRpc = (random: Random, calls: ReadonlyArray<RecordedCall>): Buffer => {
  const verb = random.oneIn(6)
    ? random.pick(["GET", "PUT", "HEAD", "OPTIONS", "DELETE", "TRACE", "CONNECT", "PRI", "post"])
    : "POST"
  const first = `${verb} ${random.oneIn(4) ? random.pick(PATHS) : "/"} ${
    random.oneIn(8) ? version(random) : "HTTP/1.1"
  }`
  return message(random, first, [], anyRequestBody(random, calls))
}

const toRest = (random: Random, calls: ReadonlyArray<RecordedCall>): Buffer => {
  const { body, headers, target, verb } = anyRestRequest(random, calls)
  const first = `${verb} ${random.oneIn(20) ? "" : "/api/v1"}${target} ${
    random.oneIn(20) ? version(random) : "HTTP/1.1"
  }`
  return message(random, first, Object.entries(headers).map(([name, value]) => `${name}: ${value}`), body)
}

/** One to three requests on one connection, in pieces; some damaged. */
export const anyConnection = (random: Random, calls: ReadonlyArray<RecordedCall>): Sending => {
  const server = random.oneIn(3) ? "rest" : "rpc"
  const requests = Array.from(
    { length: 1 + (random.oneIn(4) ? random.below(3) : 0) },
    () => (server === "rpc" ? toRpc : toRest)(random, calls)
  )
  const whole = new Uint8Array(Buffer.concat(requests))
  const bytes = random.oneIn(5) ? mutateBytes(whole, random) : whole
  const cut = random.below(bytes.length + 1)
  return { server, pieces: random.oneIn(3) ? [bytes.subarray(0, cut), bytes.subarray(cut)] : [bytes] }
}
