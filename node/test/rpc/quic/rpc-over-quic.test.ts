import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { viaQuic } from "../../../src/cli/commands/quic-call.ts"
import { postCall } from "../../../src/cli/commands/post-call.ts"
import { quicKeyOf } from "../../../src/quic/quic-key.ts"
import { patience } from "../../process/patience.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { fakeChain } from "../fake-chain.ts"
import { bearer } from "../http-exchange.ts"
import { testServer } from "../test-server.ts"

const seedOf = (number: number): Uint8Array => new Uint8Array(32).fill(number)
const [ADMIN, NORMAL, UNKNOWN] = [1, 2, 3]
const identityOf = (number: number): string => quicKeyOf(seedOf(number)).identity

const call = (method: string, ...params: ReadonlyArray<unknown>): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })

const COUNT = call("getblockcount")
const ADMINS_ONLY = call("stop")

/** Looks again and again until it holds. */
const until = async (holds: () => boolean): Promise<void> => {
  const deadline = Date.now() + patience(10_000)
  while (!holds()) {
    if (Date.now() > deadline) throw new Error("it never held")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** A server, and callers with certificates of their own. */
const started = Effect.fnUntraced(function*(requestTimeoutSeconds = patience(60)) {
  const root = yield* temporaryDirectory
  const directory = join(root, "node")
  mkdirSync(directory)
  const { server } = yield* testServer({
    directory,
    chain: fakeChain(),
    limits: { requestTimeoutSeconds },
    quic: {
      bind: { host: "127.0.0.1", port: 0 },
      identities: [identityOf(NORMAL)],
      adminIdentities: [identityOf(ADMIN)]
    }
  })
  const { address, connections } = server.quic!
  const way = (certificate: number, to = address) => {
    const dataDirectory = join(root, String(certificate))
    mkdirSync(dataDirectory, { recursive: true })
    writeFileSync(join(dataDirectory, "rpc_quic_caller_key"), Buffer.from(seedOf(certificate)).toString("hex"))
    return Effect.flatMap(viaQuic({ dataDirectory }, to), ({ open }) => Effect.promise(open))
  }
  const post = (certificate: number, body: string, header?: string, to = address) =>
    Effect.flatMap(
      way(certificate, to),
      ({ end, socket }) =>
        Effect.promise(() =>
          postCall({ bind: { host: "127.0.0.1", port: 0 }, header, body, timeoutMs: patience(10_000), socket }).finally(
            end
          )
        )
    )
  return { address, connections, post, way }
})

describe("RPC over QUIC", () => {
  it.live("answers as over TCP, and lets in by credentials or by the certificate", () =>
    Effect.gen(function*() {
      const { connections, post } = yield* started()
      const statuses: Array<number> = []
      for (
        const [certificate, body, header] of [
          [UNKNOWN, COUNT, bearer("normal-token")],
          [UNKNOWN, ADMINS_ONLY, bearer("normal-token")],
          [UNKNOWN, COUNT, bearer("wrong")],
          [UNKNOWN, ADMINS_ONLY, undefined],
          [NORMAL, COUNT, undefined],
          [NORMAL, ADMINS_ONLY, undefined],
          [ADMIN, COUNT, bearer("wrong")],
          [ADMIN, ADMINS_ONLY, undefined]
        ] as const
      ) statuses.push((yield* post(certificate, body, header)).status)
      assert.deepStrictEqual(statuses, [200, 403, 401, 403, 200, 403, 401, 200])
      const { body } = yield* post(NORMAL, COUNT)
      assert.strictEqual(body, "{\"jsonrpc\":\"2.0\",\"result\":322,\"id\":1}\n")
      yield* Effect.promise(() => until(() => connections() === 0))
    }))

  it.live("is refused by the caller where another server answers than the address names", () =>
    Effect.gen(function*() {
      const { address, way } = yield* started()
      const other = address.replace(/12D3KooW[^@]+/, identityOf(UNKNOWN))
      const failure = yield* Effect.promise(() =>
        Effect.runPromise(Effect.sandbox(way(ADMIN, other))).then(String, String)
      )
      assert.include(failure, `another server answers there: its identity is ${address.slice(7, 59)}`)
    }))

  it.live("takes a large batch, and refuses a body above the limit", () =>
    Effect.gen(function*() {
      const { post } = yield* started()
      const batch = Array.from({ length: 5_000 }, (_, id) => ({ jsonrpc: "2.0", id, method: "getblockcount" }))
      const { body, status } = yield* post(ADMIN, JSON.stringify(batch))
      const answers = JSON.parse(body) as ReadonlyArray<{ readonly id: number; readonly result: number }>
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(answers.map(({ id }) => id), batch.map(({ id }) => id))
      assert.isTrue(answers.every(({ result }) => result === 322))
      assert.strictEqual((yield* post(ADMIN, " ".repeat(1_000_001))).status, 413)
    }))

  it.live("ends requests that never come to their end, and serves others meanwhile", () =>
    Effect.gen(function*() {
      const { connections, post, way } = yield* started(3)
      const slow = yield* Effect.all(Array.from({ length: 4 }, () => way(UNKNOWN)), { concurrency: "unbounded" })
      for (const { socket } of slow) socket.write("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n")
      yield* Effect.promise(() => until(() => connections() > 0))
      assert.strictEqual((yield* post(NORMAL, COUNT)).status, 200)
      yield* Effect.promise(() => until(() => connections() === 0))
      for (const { end } of slow) end()
    }))

  it.live("keeps nothing of a caller that goes in the middle of its request", () =>
    Effect.gen(function*() {
      const { connections, way } = yield* started()
      const { end, socket } = yield* way(ADMIN)
      socket.write("POST / HTTP/1.1\r\nContent-Length: 900000\r\n\r\n[")
      yield* Effect.promise(() => until(() => connections() === 1))
      end()
      yield* Effect.promise(() => until(() => connections() === 0))
    }))
})
