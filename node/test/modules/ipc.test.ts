import { assert, describe, it } from "@effect/vitest"
import {
  encodeModuleFrame,
  type IpcError,
  moduleEvent,
  type ModuleEventPayload,
  type ModuleMessage,
  type ModuleMessageOf,
  moduleRequest,
  type RequestPayload,
  type ResponsePayload
} from "@lockstep/protocol/module-ipc/index.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type ConnectionEnd, moduleConnection } from "../../src/modules/ipc/connection.ts"
import { type HandledRequest, MAX_REQUESTS_AT_ONCE } from "../../src/modules/ipc/request-answers.ts"
import {
  type ModuleSession,
  openModuleSession,
  SESSION_TIMES,
  type SessionOptions
} from "../../src/modules/ipc/session.ts"
import { connected, type TestModule, useSockets } from "./test-module.ts"

useSockets()

const ID = "watcher-0123456789abcdef"
const HANDSHAKE: RequestPayload = { _tag: "Handshake", module_id: ID, module_name: "watcher", version: "0.1.0" }

const OPTIONS: SessionOptions = {
  name: "watcher",
  version: "0.1.0",
  moduleId: ID,
  nodeVersion: "9.9.9",
  permissions: new Set(["read_chain_state"]),
  handle: () => Effect.succeed<ResponsePayload>({ _tag: "U64", value: 7 }),
  log: () => Effect.void
}

interface Served {
  readonly module: TestModule
  readonly session: ModuleSession
  readonly serving: Fiber.Fiber<never, ConnectionEnd>
}

/** A module that has shaken hands and is served. */
const served = (options: Partial<SessionOptions> = {}) =>
  Effect.gen(function*() {
    const { module, server } = yield* connected
    module.ask(HANDSHAKE)
    const session = yield* openModuleSession(moduleConnection(server), { ...OPTIONS, ...options })
    const acknowledged = yield* module.next
    assert.deepStrictEqual((acknowledged as ModuleMessageOf<"Response">).payload, {
      _tag: "HandshakeAck",
      node_version: "9.9.9"
    })
    const serving = yield* Effect.forkScoped(session.serve)
    return { module, session, serving } satisfies Served
  })

const endOf = ({ serving }: Pick<Served, "serving">): Effect.Effect<string> =>
  Effect.map(Effect.flip(Fiber.join(serving)), ({ reason }) => reason)

const errorOf = (message: ModuleMessage): string | undefined =>
  message._tag === "Response" && !message.success ? message.error : undefined

describe("the handshake of a module", () => {
  it.live("may be missing where the operator says so, and a wrong one is refused all the same", () =>
    Effect.scoped(Effect.gen(function*() {
      const lenient = { ...OPTIONS, allowsMissing: true }
      const { module, server } = yield* connected
      module.ask({ _tag: "GetBlockHeight" })
      const session = yield* openModuleSession(moduleConnection(server), lenient)
      yield* Effect.forkScoped(session.serve)
      const height = { _tag: "U64", value: 7 } as const
      assert.deepStrictEqual(((yield* module.next) as ModuleMessageOf<"Response">).payload, height)
      module.ask({ _tag: "GetBlockHeight" })
      assert.deepStrictEqual(((yield* module.next) as ModuleMessageOf<"Response">).payload, height)
      const other = yield* connected
      other.module.ask({ ...HANDSHAKE, module_id: "another" })
      const refused = yield* Effect.flip(openModuleSession(moduleConnection(other.server), lenient))
      assert.strictEqual(refused.reason, "the handshake has not the id of this spawn")
    })))

  const refusedFor = (first: (module: TestModule) => void) =>
    Effect.scoped(Effect.gen(function*() {
      const { module, server } = yield* connected
      first(module)
      const end = yield* Effect.flip(
        openModuleSession(moduleConnection(server), { ...OPTIONS, times: { ...SESSION_TIMES, handshakeMs: 300 } })
      )
      return end.reason
    }))

  it.live.each<readonly [string, (module: TestModule) => void, string]>([
    ["another id", ({ ask }) => ask({ ...HANDSHAKE, module_id: "watcher" } as RequestPayload), "has not the id"],
    ["another name", ({ ask }) => ask({ ...HANDSHAKE, module_name: "zmq" } as RequestPayload), "names the module zmq"],
    [
      "another version",
      ({ ask }) => ask({ ...HANDSHAKE, version: "1.0.0" } as RequestPayload),
      "names the version 1.0.0"
    ],
    ["another request", ({ ask }) => ask({ _tag: "GetChainTip" }), "GetChainTip came before the handshake"],
    [
      "a log line",
      ({ send }) => send({ _tag: "Log", level: "Info", module_id: ID, message: "", target: "", timestamp: 0 }),
      "a Log came before the handshake"
    ],
    ["no message", ({ socket }) => void socket.write(Uint8Array.of(1, 0, 0, 0, 9)), "the frame ends before"],
    ["a frame of 5 kB", ({ socket }) => void socket.write(Uint8Array.of(0x88, 0x13, 0, 0)), "at most 4096 are allowed"],
    ["the end", ({ socket }) => socket.end(), "the module ended the connection"],
    ["nothing", () => undefined, "no handshake in time"]
  ])("is refused for %s", ([, first, reason]) =>
    Effect.gen(function*() {
      assert.include(yield* refusedFor(first), reason)
    }))

  it.live("is answered with a reason where it is refused", () =>
    Effect.scoped(Effect.gen(function*() {
      const { module, server } = yield* connected
      module.ask({ ...HANDSHAKE, module_id: "x" } as RequestPayload, 5n)
      yield* Effect.flip(openModuleSession(moduleConnection(server), OPTIONS))
      const answer = yield* module.next
      assert.strictEqual(errorOf(answer), "ProtocolError: the handshake has not the id of this spawn")
    })))
})

describe("requests of a module", () => {
  it.live("are answered with their own correlation ids, in whatever order they are ready", () =>
    Effect.scoped(Effect.gen(function*() {
      const late = yield* Deferred.make<ResponsePayload>()
      const handle = ({ _tag }: HandledRequest) =>
        _tag === "GetChainTip" ? Deferred.await(late) : Effect.succeed<ResponsePayload>({ _tag: "U64", value: 7 })
      const { module } = yield* served({ handle })
      module.ask({ _tag: "GetChainTip" }, 1n)
      module.ask({ _tag: "GetBlockHeight" }, 0xffff_ffff_ffff_ffffn)
      const first = (yield* module.next) as ModuleMessageOf<"Response">
      assert.strictEqual(first.correlation_id, 0xffff_ffff_ffff_ffffn)
      yield* Deferred.succeed(late, { _tag: "Hash", value: new Uint8Array(32) })
      const second = (yield* module.next) as ModuleMessageOf<"Response">
      assert.strictEqual(second.correlation_id, 1n)
      assert.strictEqual(second.payload?._tag, "Hash")
    })))

  it.live("without permission never reach the node, and the connection stays", () =>
    Effect.scoped(Effect.gen(function*() {
      const handled: Array<string> = []
      const handle = ({ _tag }: HandledRequest) =>
        Effect.sync(() => {
          handled.push(_tag)
          return { _tag: "U64", value: 7 } as ResponsePayload
        })
      const { module } = yield* served({ handle })
      module.ask({ _tag: "GetBlock", hash: new Uint8Array(32) })
      assert.strictEqual(errorOf(yield* module.next), "PermissionDenied: GetBlock needs read_blockchain")
      module.ask({ _tag: "GetBlockHeight" })
      yield* module.next
      assert.deepStrictEqual(handled, ["GetBlockHeight"])
    })))

  it.live("that fail, take too long or hit a defect are refused, and the connection stays", () =>
    Effect.scoped(Effect.gen(function*() {
      const answers: ReadonlyArray<Effect.Effect<ResponsePayload, IpcError>> = [
        Effect.fail({ kind: undefined, text: "no such block" }),
        Effect.never,
        Effect.die(new Error("secret of the node"))
      ]
      let at = 0
      const { module } = yield* served({
        handle: () => Effect.suspend(() => answers[at++] ?? Effect.succeed({ _tag: "U64", value: 1 })),
        times: { ...SESSION_TIMES, requestMs: 200 }
      })
      const errors: Array<string | undefined> = []
      for (let i = 0; i < 4; i++) {
        module.ask({ _tag: "GetBlockHeight" })
        errors.push(errorOf(yield* module.next))
      }
      assert.deepStrictEqual(errors, [
        "no such block",
        "Timeout: GetBlockHeight took more than 200 ms",
        "the node failed at GetBlockHeight",
        undefined
      ])
    })))

  it.live("beyond what is answered at once wait in the module's own socket", () =>
    Effect.scoped(Effect.gen(function*() {
      let handled = 0
      const gate = yield* Deferred.make<void>()
      const full = yield* Deferred.make<void>()
      const handle = () =>
        Effect.suspend(() => {
          handled++
          if (handled === MAX_REQUESTS_AT_ONCE) Deferred.doneUnsafe(full, Effect.void)
          return Effect.as(Deferred.await(gate), { _tag: "U64", value: 1 } as ResponsePayload)
        })
      const { module } = yield* served({ handle })
      const all = 3 * MAX_REQUESTS_AT_ONCE
      for (let i = 0; i < all; i++) module.ask({ _tag: "GetBlockHeight" }, BigInt(i))
      yield* Deferred.await(full)
      yield* Effect.sleep(50)
      assert.strictEqual(handled, MAX_REQUESTS_AT_ONCE)
      yield* Deferred.succeed(gate, undefined)
      for (let i = 0; i < all; i++) yield* module.next
      assert.strictEqual(handled, all)
    })))

  it.live("may be as large as a block, once hands are shaken", () =>
    Effect.scoped(Effect.gen(function*() {
      const sizes: Array<number> = []
      const { module } = yield* served({
        permissions: new Set(["submit_block"]),
        handle: (request) =>
          Effect.sync(() => {
            if (request._tag === "SubmitBlock") sizes.push(request.block.length)
            return { _tag: "SubmitBlockResult", value: { _tag: "Accepted" } } as ResponsePayload
          })
      })
      module.ask({ _tag: "SubmitBlock", block: new Uint8Array(4_000_000) })
      yield* module.next
      assert.deepStrictEqual(sizes, [4_000_000])
    })))

  it.live.each<readonly [string, (module: TestModule) => void, string]>([
    ["a second handshake", ({ ask }) => ask(HANDSHAKE), "a second handshake"],
    [
      "a message of the node",
      ({ send }) =>
        send({
          ...moduleRequest(1n, HANDSHAKE),
          _tag: "Response",
          success: true,
          payload: undefined,
          error: undefined
        }),
      "a Response is for a module"
    ],
    ["a frame above 8 MiB", ({ socket }) => void socket.write(Uint8Array.of(1, 0, 0x80, 0)), "at most 8388608"],
    [
      "bytes that are no message",
      ({ socket }) => void socket.write(Uint8Array.of(4, 0, 0, 0, 9, 0, 0, 0)),
      "is no message"
    ]
  ])("end the connection with a reason when they are %s", ([, act, reason]) =>
    Effect.scoped(Effect.gen(function*() {
      const { module, serving } = yield* served()
      act(module)
      assert.include(yield* endOf({ serving }), reason)
      const last = (yield* module.next) as ModuleMessageOf<"Response">
      assert.strictEqual(last.correlation_id, 0n)
      assert.match(last.error!, /^ProtocolError: /)
      yield* module.closed
    })))

  it.live("are over when the module is gone, and what was asked of it fails", () =>
    Effect.scoped(Effect.gen(function*() {
      const { module, serving, session } = yield* served()
      const asked = yield* Effect.forkScoped(Effect.flip(session.invoke({ _tag: "Rpc", method: "a", params: "[]" })))
      yield* module.next
      module.socket.destroy()
      assert.include(yield* endOf({ serving }), "the module ended the connection")
      assert.deepStrictEqual(yield* Fiber.join(asked), { kind: "ConnectionError", text: "the module is gone" })
    })))
})

describe("what the node sends to a module", () => {
  it.live("ends the connection where the module does not read it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { module, serving } = yield* served({
        handle: () => Effect.succeed({ _tag: "FileData", value: new Uint8Array(8_000_000) }),
        times: { ...SESSION_TIMES, requestMs: 300 }
      })
      module.socket.pause()
      module.ask({ _tag: "GetBlockHeight" })
      assert.include(yield* endOf({ serving }), "the module does not read what it is sent")
    })))

  it.live("keeps its order where long messages are between small ones", () =>
    Effect.scoped(Effect.gen(function*() {
      const { module } = yield* served({
        permissions: new Set(["read_chain_state", "read_blockchain"]),
        handle: ({ _tag }) =>
          _tag === "GetBlock"
            ? Effect.succeed({ _tag: "Block", value: new Uint8Array(1_000_000) })
            : Effect.succeed({ _tag: "U64", value: 7 })
      })
      const asked = Array.from({ length: 40 }, (_, i) => BigInt(i))
      for (const id of asked) {
        module.ask(id % 3n === 2n ? { _tag: "GetBlock", hash: new Uint8Array(32) } : { _tag: "GetBlockHeight" }, id)
      }
      const answered: Array<bigint> = []
      for (const _ of asked) answered.push(((yield* module.next) as ModuleMessageOf<"Response">).correlation_id)
      assert.deepStrictEqual(answered, asked)
    })))

  it.live("are posted events in the order of everything else, as long as the module reads", () =>
    Effect.scoped(Effect.gen(function*() {
      const { module, session } = yield* served()
      const { flush, post, send } = session.outlet
      const event = (height: number): ModuleEventPayload => ({ _tag: "HeadersSyncStarted", start_height: height })
      const frame = (height: number): Uint8Array => encodeModuleFrame(moduleEvent(event(height)))
      const heights = Effect.map(module.next, (message) => {
        const { payload } = message as ModuleMessageOf<"Event">
        return payload._tag === "HeadersSyncStarted" ? payload.start_height : payload._tag
      })
      // What is sent takes along what was posted; its memory serves again and again.
      for (let round = 0; round < 50; round++) {
        assert.isTrue(post(frame(1)))
        assert.isTrue(post(frame(2)))
        if (round % 2 === 0) flush()
        yield* send(event(3))
        assert.isTrue(post(frame(4)))
        flush()
        assert.deepStrictEqual([yield* heights, yield* heights, yield* heights, yield* heights], [1, 2, 3, 4])
      }
      module.socket.pause()
      assert.isFalse(post(new Uint8Array(1_000_000)), "a long frame is sent, and waited for")
      let taken = 0
      while (taken < 100_000 && post(frame(taken))) {
        if (taken++ % 100 === 0) flush()
      }
      assert.isBelow(taken, 100_000, "a module that does not read must be waited for")
      flush()
      module.socket.resume()
      for (let height = 0; height < taken; height++) assert.strictEqual(yield* heights, height)
    })))

  it.live("are events, log lines the other way, and calls with answers", () =>
    Effect.scoped(Effect.gen(function*() {
      const lines: Array<string> = []
      const { module, session } = yield* served({ log: ({ message }) => Effect.sync(() => void lines.push(message)) })
      yield* session.sendEvent({ _tag: "PeerUnbanned", peer_addr: "a" })
      const event = (yield* module.next) as ModuleMessageOf<"Event">
      assert.strictEqual(event.event_type, "PeerUnbanned")

      const asked = yield* Effect.forkScoped(session.invoke({ _tag: "Rpc", method: "a", params: "[]" }))
      const { correlation_id } = (yield* module.next) as ModuleMessageOf<"Invocation">
      module.send({ _tag: "Log", level: "Info", module_id: "", message: "hello", target: "", timestamp: 0 })
      // Answers to what was not asked have no effect.
      for (const id of [correlation_id + 7n, correlation_id, correlation_id]) {
        module.send({
          _tag: "InvocationResult",
          correlation_id: id,
          success: true,
          payload: { _tag: "Rpc", result: "42" },
          error: undefined
        })
      }
      assert.deepStrictEqual(yield* Fiber.join(asked), { _tag: "Rpc", result: "42" })
      assert.deepStrictEqual(lines, ["hello"])
    })))

  it.live("are calls that fail where the module says so or says nothing", () =>
    Effect.scoped(Effect.gen(function*() {
      const { module, session } = yield* served({ times: { ...SESSION_TIMES, invocationMs: 200 } })
      const asked = yield* Effect.forkScoped(Effect.flip(session.invoke({ _tag: "Cli", subcommand: "a", args: [] })))
      const { correlation_id } = (yield* module.next) as ModuleMessageOf<"Invocation">
      module.send({ _tag: "InvocationResult", correlation_id, success: false, payload: undefined, error: "no" })
      assert.deepStrictEqual(yield* Fiber.join(asked), { kind: undefined, text: "no" })
      const silent = yield* Effect.flip(session.invoke({ _tag: "Cli", subcommand: "a", args: [] }))
      assert.deepStrictEqual(silent, { kind: "Timeout", text: "watcher did not answer within 200 ms" })
    })))
})
