import { MAX_MODULE_MESSAGE_BYTES, type ModuleMessageOf } from "@lockstep/protocol/module-ipc/index.ts"
import { assert, describe, it } from "vitest"
import { NodeError } from "../src/client/node-error.ts"
import { invocationResult } from "../src/run/invocations.ts"
import type { ModuleContext } from "../src/run/module-context.ts"
import type { ModuleParts } from "../src/run/module-parts.ts"
import { RpcError } from "../src/run/rpc-error.ts"

type Invocation = ModuleMessageOf<"Invocation">["invocation_type"]

const MOST = MAX_MODULE_MESSAGE_BYTES - 1_024

const thrown = (error: unknown) => () => {
  throw error
}

const CONTEXT = { settings: {} } as ModuleContext<Record<string, never>>

const PARTS: ModuleParts<Record<string, never>> = {
  version: "1.0.0",
  rpc: {
    echo: { description: "", call: (params) => params },
    long: { description: "", call: (params) => "a".repeat((params as unknown as ReadonlyArray<number>)[0]! - 2) },
    later: { description: "", call: (_, context) => Promise.resolve(context === CONTEXT) },
    wrong: { description: "", call: thrown(new RpcError(-8, "out of range")) },
    refused: { description: "", call: thrown(new NodeError("Timeout", "the node is slow")) },
    broken: { description: "", call: () => Promise.reject(new Error("a defect")) },
    odd: { description: "", call: thrown("a text") }
  },
  commands: {
    about: "",
    subcommands: {
      plain: { about: "", run: (args) => ({ stdout: args.join() }) },
      full: { about: "", run: () => ({ stdout: "out", stderr: "err", exitCode: 3 }) },
      long: { about: "", run: ([out, err]) => ({ stdout: "a".repeat(Number(out)), stderr: "b".repeat(Number(err)) }) }
    }
  },
  api: {
    version: 1,
    methods: {
      echo: (params, caller) => Buffer.concat([params, Buffer.from(caller)]),
      long: (params) => new Uint8Array(Number(Buffer.from(params).toString()))
    }
  }
}

const answerTo = async (
  invocation_type: Invocation,
  parts = PARTS
): Promise<{ readonly success: boolean } & Readonly<Record<string, unknown>>> => {
  const { correlation_id, ...result } = await invocationResult(
    parts,
    { _tag: "Invocation", correlation_id: 9n, invocation_type },
    CONTEXT
  )
  assert.strictEqual(correlation_id, 9n)
  return result
}

const rpc = (method: string, params = "[]"): Invocation => ({ _tag: "Rpc", method, params }) as Invocation
const cli = (subcommand: string, ...args: ReadonlyArray<string>): Invocation =>
  ({ _tag: "Cli", subcommand, args }) as Invocation
const api = (method: string, params = ""): Invocation =>
  ({ _tag: "ModuleApi", method, params: Buffer.from(params), caller_module_id: "me" }) as Invocation

const answer = (payload: object) => ({ _tag: "InvocationResult", success: true, payload, error: undefined })
const refusal = (error: string, payload?: object) => ({ _tag: "InvocationResult", success: false, payload, error })

describe("the answer of a module to its node", () => {
  it("is what its method, command or API comes to", async () => {
    assert.deepStrictEqual(
      await answerTo(rpc("echo", "[1,{\"a\":null}]")),
      answer({ _tag: "Rpc", result: "[1,{\"a\":null}]" })
    )
    assert.deepStrictEqual(await answerTo(rpc("later")), answer({ _tag: "Rpc", result: "true" }))
    assert.deepStrictEqual(
      await answerTo(cli("plain", "a", "b")),
      answer({ _tag: "Cli", stdout: "a,b", stderr: "", exit_code: 0 })
    )
    assert.deepStrictEqual(
      await answerTo(cli("full")),
      answer({ _tag: "Cli", stdout: "out", stderr: "err", exit_code: 3 })
    )
    assert.deepStrictEqual(
      await answerTo(api("echo", "hi ")),
      answer({ _tag: "ModuleApi", data: Buffer.from("hi me") })
    )
  })

  it("is an error where something is thrown, with its code or kind", async () => {
    assert.deepStrictEqual(
      await answerTo(rpc("wrong")),
      refusal("out of range", { _tag: "Rpc", result: "{\"code\":-8}" })
    )
    assert.deepStrictEqual(await answerTo(rpc("refused")), refusal("Timeout: the node is slow"))
    assert.deepStrictEqual(await answerTo(rpc("broken")), refusal("a defect"))
    assert.deepStrictEqual(await answerTo(rpc("odd")), refusal("a text"))
    assert.isFalse((await answerTo(rpc("echo", "{"))).success)
  })

  it.each([
    [rpc("none"), "there is no method none"],
    [cli("none"), "there is no command none"],
    [api("none"), "there is no method none"]
  ])("is an error where it has no such thing", async (invocation, message) => {
    assert.deepStrictEqual(await answerTo(invocation), refusal(message))
    assert.deepStrictEqual(await answerTo(invocation, { version: "1.0.0" }), refusal(message))
  })

  it.each<readonly [string, (bytes: number) => Invocation]>([
    ["a method", (bytes) => rpc("long", `[${bytes}]`)],
    ["the output of a command", (bytes) => cli("long", String(bytes), "0")],
    ["the errors of a command", (bytes) => cli("long", "5", String(bytes - 5))],
    ["an API", (bytes) => api("long", String(bytes))]
  ])("is no longer than a message may be: %s", async (_, asking) => {
    assert.isTrue((await answerTo(asking(MOST))).success)
    assert.deepStrictEqual(
      await answerTo(asking(MOST + 1)),
      refusal(`ResourceExhausted: the answer has ${MOST + 1} bytes`)
    )
  })
})
