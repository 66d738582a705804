import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import { type CallTarget, dispatch } from "../../../src/rpc/dispatch/dispatch.ts"
import { calledMethods } from "../../../src/rpc/rpc-requests.ts"
import { readBody, valuesIn } from "../../../src/json/read-body.ts"
import { METHODS } from "../../../src/methods/table.ts"
import { walletHint } from "../../../src/rpc/dispatch/wallet-methods.ts"
import { JsonBytes, type JsonValue } from "../../../src/json/json-value.ts"
import { LongText } from "../../../src/json/long-text.ts"
import { readJson } from "../../../src/json/read-json.ts"
import { writeJson } from "../../../src/json/write-json.ts"
import { activeCalls } from "../../../src/queries/active-calls.ts"
import { blockScan } from "../../../src/methods/definition/block-scan.ts"
import type { Method } from "../../../src/methods/definition/method.ts"
import { type CallError, callError } from "../../../src/queries/call-error.ts"
import type { RpcError } from "../../../src/rpc/rpc-error.ts"
import type { MethodNode } from "../../../src/methods/definition/method-node.ts"
import { echo, node } from "./echo-method.ts"

/** What a body is answered with where methods do as said. */
const answered = (
  body: string,
  methods: Readonly<Record<string, () => Effect.Effect<JsonValue, CallError | RpcError>>> = {}
) => {
  const named = new Map(
    Object.entries(methods).map(([name, call]): [string, Method] => [
      name,
      { ...echo, name, parameters: {}, call: call as Method["call"] }
    ])
  )
  return (target: Partial<CallTarget> = {}, hold?: (bytes: number) => boolean) =>
    dispatch(readBody(Buffer.from(body)), { methods: named, node: () => node, ...target }, hold)
}

const request = (name: string, more = "", id = ",\"id\":1"): string => `{"method":"${name}"${more}${id}}`
const NEW = ",\"jsonrpc\":\"2.0\""

describe("a call", () => {
  const ok = () => Effect.succeed(5)
  const failing = () => Effect.fail(callError("InvalidParameter", "wrong"))

  it.effect.each<readonly [body: string, status: number, answer: string]>([
    [request("ok"), 200, "{\"result\":5,\"error\":null,\"id\":1}"],
    [request("ok", ",\"jsonrpc\":\"1.0\""), 200, "{\"result\":5,\"error\":null,\"id\":1}"],
    [request("ok", ",\"jsonrpc\":null", ""), 200, "{\"result\":5,\"error\":null}"],
    [request("ok", NEW), 200, "{\"jsonrpc\":\"2.0\",\"result\":5,\"id\":1}"],
    [request("ok", NEW, ",\"id\":null"), 200, "{\"jsonrpc\":\"2.0\",\"result\":5,\"id\":null}"],
    [request("ok", NEW, ""), 204, "undefined"],
    [request("ok", ",\"params\":null"), 200, "{\"result\":5,\"error\":null,\"id\":1}"],
    [request("failing"), 500, "{\"result\":null,\"error\":{\"code\":-8,\"message\":\"wrong\"},\"id\":1}"],
    [request("failing", NEW), 200, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-8,\"message\":\"wrong\"},\"id\":1}"],
    [request("failing", NEW, ""), 204, "undefined"],
    [request("none"), 404, "{\"result\":null,\"error\":{\"code\":-32601,\"message\":\"Method not found\"},\"id\":1}"],
    [
      request("invalid"),
      400,
      "{\"result\":null,\"error\":{\"code\":-32600,\"message\":\"of a method\"},\"id\":1}"
    ],
    [
      request("generate", NEW),
      200,
      "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"generate\\n\\nhas been replaced by the -generate cli option. Refer to -help for more information.\\n\"},\"id\":1}"
    ],
    ["{\"id\":1}", 400, "{\"result\":null,\"error\":{\"code\":-32600,\"message\":\"Missing method\"},\"id\":1}"],
    [
      "{\"method\":5,\"jsonrpc\":\"2.0\"}",
      400,
      "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"Method must be a string\"}}"
    ],
    [
      request("ok", ",\"params\":5"),
      400,
      "{\"result\":null,\"error\":{\"code\":-32600,\"message\":\"Params must be an array or object\"},\"id\":1}"
    ],
    [
      request("ok", ",\"jsonrpc\":\"3.0\""),
      400,
      "{\"result\":null,\"error\":{\"code\":-32600,\"message\":\"JSON-RPC version not supported\"},\"id\":1}"
    ],
    [
      request("ok", ",\"jsonrpc\":2"),
      400,
      "{\"result\":null,\"error\":{\"code\":-32600,\"message\":\"jsonrpc field must be a string\"},\"id\":1}"
    ],
    ["", 500, "{\"result\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"},\"id\":null}"],
    ["5", 500, "{\"result\":null,\"error\":{\"code\":-32700,\"message\":\"Top-level object parse error\"},\"id\":null}"]
  ])("%s has status %d and the answer %s", ([body, status, answer]) =>
    Effect.gen(function*() {
      const invalid = () => Effect.fail({ code: -32_600, message: "of a method" })
      for (const waits of [false, true]) {
        const late = <A, E>(call: () => Effect.Effect<A, E>) => () =>
          waits ? Effect.andThen(Effect.yieldNow, call()) : call()
        const made = yield* answered(body, { ok: late(ok), failing: late(failing), invalid: late(invalid) })()
        assert.deepStrictEqual([made.status, String(made.body)], [status, answer])
      }
    }))

  it.effect("counts as well or badly ended, once, and is listed until then", () =>
    Effect.gen(function*() {
      for (const waits of [false, true]) {
        const ended: Array<readonly [string, boolean]> = []
        const calls = (name: string) => (succeeded: boolean) => void ended.push([name, succeeded])
        const gate = yield* Deferred.make<void>()
        const wait = <A, E>(effect: Effect.Effect<A, E>) =>
          waits ? Effect.andThen(Deferred.await(gate), effect) : effect
        const active = activeCalls(() => 5 as never)
        const place = { ...node, activeCalls: active } as MethodNode
        const methods = { ok: () => wait(ok()), failing: () => wait(failing()), broken: () => wait(Effect.die("x")) }
        const quiet = Effect.provide(Logger.layer([]))
        const running = yield* Effect.forkChild(
          quiet(Effect.forEach(Object.keys(methods), (name) =>
            answered(request(name), methods)({ calls, node: () => place }), { concurrency: 3 })),
          { startImmediately: true }
        )
        assert.deepStrictEqual(
          active.list().map((each) =>
            each.method
          ),
          waits ? Object.keys(methods) : []
        )
        yield* Deferred.succeed(gate, undefined)
        const answers = yield* Fiber.join(running)
        assert.deepStrictEqual(
          answers.map(({ status }) =>
            status
          ),
          [200, 500, 500]
        )
        assert.include(String(answers[2]!.body), "{\"code\":-32603,\"message\":\"Internal error\"}")
        assert.deepStrictEqual(ended, [["ok", true], ["failing", false], ["broken", false]])
        assert.deepStrictEqual(active.list(), [])
      }
    }))

  it.effect("is traced with its id as a text, also while the node starts; an unknown one is not counted", () =>
    Effect.gen(function*() {
      const traced: Array<string> = []
      const target: Partial<CallTarget> = {
        traced: (name, id) => void traced.push(`${name} ${id}`),
        node: () => "Loading…",
        calls: () => assert.fail("it counts")
      }
      for (const id of [",\"id\":\"a\"", ",\"id\":[1]", ""]) {
        const { body } = yield* answered(request("ok", "", id), { ok })(target)
        assert.include(String(body), "{\"code\":-28,\"message\":\"Loading…\"}")
      }
      assert.deepStrictEqual(traced, ["ok a", "ok [1]", "ok "])
      yield* answered(request("none"))({ calls: () => assert.fail("it counts") })
    }))

  it.effect("is refused where there is no memory for its answer, whose size is that of its text", () =>
    Effect.gen(function*() {
      const held: Array<number> = []
      const hold = (is: boolean) => (bytes: number) => {
        held.push(bytes)
        return is
      }
      const refused = yield* answered(request("ok", NEW), { ok })({}, hold(false))
      assert.include(String(refused.body), "\"code\":-7,\"message\":\"The node holds too many answers at the moment")
      const long = () => Effect.succeed(new JsonBytes(Uint8Array.of(1, 0xab)))
      const { body } = yield* answered(request("long", NEW), { long })({}, hold(true))
      assert.instanceOf(body, LongText)
      assert.strictEqual(String(body), "{\"jsonrpc\":\"2.0\",\"result\":\"01ab\",\"id\":1}")
      assert.deepStrictEqual(held, [35, 40])
    }))
})

describe("a batch of calls", () => {
  it.effect("is refused from where its answers are too long, or have no room, on", () =>
    Effect.gen(function*() {
      // The first answer has as many characters as all may have; the comma between them is not counted.
      const full = new JsonBytes(Buffer.alloc((64 * 1024 * 1024 - 36) / 2))
      let calls = 0
      const next = () => Effect.sync((): JsonValue => calls++ === 0 ? full : "a")
      const body = `[${[1, 2, 3].map(() => request("next", NEW)).join(",")}]`
      const { body: long } = yield* answered(body, { next })()
      assert.strictEqual(
        String(long).slice(64 * 1024 * 1024),
        "},{\"jsonrpc\":\"2.0\",\"result\":\"a\",\"id\":1}," +
          "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-7,\"message\":\"The answers to this batch are too large\"},\"id\":1}]"
      )
      assert.strictEqual(calls, 2)
      let left = 60
      const hold = (bytes: number) => (left -= bytes) >= 0
      const small = yield* answered(`[${[1, 2, 3].map(() => request("ok", NEW)).join(",")}]`, {
        ok: () => Effect.succeed(1)
      })(
        {},
        hold
      )
      const codes = (JSON.parse(String(small.body)) as ReadonlyArray<{ readonly error?: RpcError }>).map(({ error }) =>
        error?.code
      )
      assert.deepStrictEqual([small.status, codes], [200, [undefined, undefined, -7]])
    }))
})

describe("the body of a request", () => {
  it("is JSON in UTF-8, of a hundred thousand values at most", () => {
    const read = (bytes: Uint8Array): string => {
      const value = readBody(bytes)
      return value === undefined ? "none" : writeJson(value)
    }
    assert.strictEqual(read(Buffer.from("[\"é☃\"]")), "[\"é☃\"]")
    for (
      const bytes of [[0x22, 0xe9, 0x22], [0x22, 0xc3, 0x22], [0xef, 0xbb, 0xbf, 0x31], [0x22, 0xed, 0xa0, 0x80, 0x22]]
    ) {
      assert.strictEqual(read(Uint8Array.from(bytes)), "none", String(bytes))
    }
    assert.notStrictEqual(read(Buffer.from(`[${"1,".repeat(99_998)}1]`)), "none")
    assert.strictEqual(read(Buffer.from(`[${"1,".repeat(99_999)}1]`)), "none")
  })

  it("has as many values as stand in it, and calls the methods that it names", () => {
    const counts = ["1", "[]", "[1,[2,{}]]", "{\"a\":{\"b\":[1]}}"].map((text) => valuesIn(readJson(text)))
    assert.deepStrictEqual([valuesIn(undefined), ...counts], [1, 1, 1, 5, 4])
    const names = [
      "{\"method\":\"a\"}",
      "[{\"method\":\"a\"},5,{\"method\":5},{},{\"method\":\"b\"}]",
      "5",
      "[[{\"method\":\"a\"}]]"
    ]
      .map((text) => calledMethods(readJson(text)))
    assert.deepStrictEqual([...names, calledMethods(undefined)], [["a"], ["a", "b"], [], [], []])
  })
})

describe("what is under way", () => {
  it.effect("is one scan of blocks at a time, until it has ended in any way", () =>
    Effect.gen(function*() {
      const scan = blockScan()
      for (
        const ending of [Effect.succeed(1), Effect.fail("x"), Effect.die("x")] as ReadonlyArray<Effect.Effect<number>>
      ) {
        let inner: unknown = "not run"
        yield* Effect.exit(scan.during((state) => {
          assert.deepStrictEqual(state, { progress: 0, height: 0, isAborted: false })
          assert.strictEqual(scan.current(), state)
          return Effect.andThen(scan.during(() => Effect.succeed(5)), (other) => {
            inner = other
            return ending
          })
        }))
        assert.isUndefined(inner)
        assert.isUndefined(scan.current())
      }
    }))

  it.effect("are calls with the microseconds since they came, the oldest first", () =>
    Effect.gen(function*() {
      let now = 10
      const active = activeCalls(() => now as never)
      yield* active.during(
        "a",
        Effect.suspend(() => {
          now = 12.5
          return active.during(
            "b",
            Effect.sync(() => {
              now = 13
              assert.deepStrictEqual(active.list(), [
                { method: "a", microseconds: 3_000 },
                { method: "b", microseconds: 500 }
              ])
            })
          )
        })
      )
      assert.deepStrictEqual(active.list(), [])
    }))

  it("is never a wallet: its methods get a hint, and others none", () => {
    const ofWallets = `
      abandontransaction abortrescan backupwallet bumpfee createwallet createwalletdescriptor
      encryptwallet exportwatchonlywallet fundrawtransaction getaddressesbylabel getaddressinfo getbalance
      getbalances gethdkeys getnewaddress getrawchangeaddress getreceivedbyaddress getreceivedbylabel
      gettransaction getwalletinfo importdescriptors importprunedfunds keypoolrefill listaddressgroupings
      listdescriptors listlabels listlockunspent listreceivedbyaddress listreceivedbylabel listsinceblock
      listtransactions listunspent listwalletdir listwallets loadwallet lockunspent migratewallet
      psbtbumpfee removeprunedfunds rescanblockchain restorewallet send sendall sendmany sendtoaddress
      setlabel setwalletflag signmessage signrawtransactionwithwallet simulaterawtransaction unloadwallet
      walletcreatefundedpsbt walletdisplayaddress walletlock walletpassphrase walletpassphrasechange
      walletprocesspsbt
    `.trim().split(/\s+/)
    for (const name of ofWallets) assert.match(walletHint(name) ?? "", /no wallet/, name)
    assert.deepStrictEqual([...METHODS.keys()].filter((name) => walletHint(name) !== undefined), [])
    assert.isUndefined(walletHint(""))
  })
})
