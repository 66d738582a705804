import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ChainState } from "../../src/engine/api/chain-state.ts"
import { callMethod } from "../../src/methods/definition/call-method.ts"
import type { JsonMembers, JsonRead, JsonValue } from "../../src/json/json-value.ts"
import { readJson } from "../../src/json/read-json.ts"
import { writeJson } from "../../src/json/write-json.ts"
import { METHODS } from "../../src/methods/table.ts"
import type { CallError } from "../../src/queries/call-error.ts"
import { rpcErrorOf } from "../../src/rpc/rpc-error.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"
import { nativeHashes } from "@lockstep/crypto/hash/native-hashes.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { STATE } from "./fake-chain.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any

/** What the engine answers, by the names of its calls: a value, or an effect. */
export type EngineAnswers = Readonly<Record<string, (params: Loose) => unknown>>

/** What a test gives of a node. */
export interface NodeParts {
  readonly network?: NetworkName
  readonly state?: Partial<ChainState>
  readonly answers?: EngineAnswers
  /** Other members of the node, as far as the method looks at them. */
  readonly more?: object
}

/** The code of an error and the first line of its message. */
const shown = (error: CallError): string => {
  const { code, message } = rpcErrorOf(error)
  return `${code} ${message.split("\n")[0]}`
}

/** A node without a server, on which methods are called, and the calls that they made of the engine. */
export const methodNode = ({ answers = {}, more = {}, network = "regtest", state = {} }: NodeParts = {}) => {
  const calls: Array<readonly [name: string, params: unknown]> = []
  const present = { ...STATE, ...state }
  const node = {
    network: NETWORKS[network],
    crypto: { ...nobleCrypto, ...nativeHashes().hashes },
    isStandIn: false,
    // Every answer is held to its description.
    checksAnswers: true,
    methods: METHODS,
    deprecated: new Set(),
    pruning: "off",
    peers: () => undefined,
    modules: () => undefined,
    chain: {
      state: () => present,
      states: Stream.empty,
      call: (name: string, params: unknown) => {
        calls.push([name, params])
        const answer = answers[name]
        if (answer === undefined) return Effect.die(new Error(`no answer to ${name} in this test`))
        return Effect.suspend((): Effect.Effect<unknown> => {
          const value = answer(params)
          return Effect.isEffect(value) ? value as Effect.Effect<unknown> : Effect.succeed(value)
        })
      }
    },
    ...more
  } as unknown as MethodNode
  const call = (method: string, params: ReadonlyArray<unknown> | object): Effect.Effect<JsonValue, CallError> =>
    callMethod(METHODS.get(method)!, readJson(JSON.stringify(params)) as ReadonlyArray<JsonRead> | JsonMembers, node)
  /** The text of the answer; of an error its code and the first line of its message. */
  const text = (method: string, ...params: ReadonlyArray<unknown>): Effect.Effect<string> =>
    Effect.match(call(method, params), {
      onFailure: shown,
      onSuccess: writeJson
    })
  /** The answer; of an error what {@link text} says. */
  const show = (method: string, ...params: ReadonlyArray<unknown>): Effect.Effect<Loose> =>
    Effect.map(Effect.result(call(method, params)), (result) =>
      Result.isSuccess(result)
        ? JSON.parse(writeJson(result.success)) as Loose
        : shown(result.failure))
  return { call, calls, node, show, text }
}

/** Bytes of a hash that is shown as these two digits 32 times. */
export const hashOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

/** How {@link hashOf} is shown. */
export const shownHash = (byte: number): string => byte.toString(16).padStart(2, "0").repeat(32)
