import { encodeParts, type TransactionInput, type TransactionOutput } from "@lockstep/kernel/model"
import { concatBytes } from "@lockstep/kernel/bytes"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { dataPush } from "@lockstep/descriptors/descriptor/scripts.ts"
import { scriptOfAddress } from "@lockstep/descriptors/script-text/address.ts"
import { bytesOfDigits, hexOf } from "../../hex.ts"
import { jsonKind, JsonMembers, JsonNumber, type JsonRead } from "../../json/json-value.ts"
import {
  anything,
  array,
  boolean,
  hashOf,
  integer,
  integerOf,
  longInteger,
  optional,
  optionalWith,
  stringOf
} from "../definition/parameter.ts"
import { described, Hex, optionalDescribed } from "../../answers/result-schema.ts"
import { invalidParameter, type CallError, callError, wrongKind } from "../../queries/call-error.ts"
import { satoshisOf } from "./amount.ts"

const Input = Schema.Struct({
  txid: described(Hex, "The transaction whose output is spent"),
  vout: described(Schema.Int, "The place of that output"),
  sequence: optionalDescribed(Schema.Int, "The sequence number")
})

const Outputs = Schema.Union([
  Schema.Array(Schema.Record(Schema.String, Schema.Union([Schema.Number, Schema.String]))),
  Schema.Record(Schema.String, Schema.Union([Schema.Number, Schema.String]))
])

const DEFAULT_VERSION = 2

/** Parameters that describe a new transaction. */
export const TRANSACTION_PARAMETERS = {
  inputs: array({ description: "The outputs to spend" }, Schema.Array(Input)),
  outputs: anything({
    description: "Addresses with their amounts in BTC, and at most one data with hexadecimal digits"
  }, Outputs),
  locktime: optionalWith(longInteger({ description: "The lock time" }), 0),
  replaceable: optional(
    boolean({ description: "Whether sequence numbers say that it may be replaced (true if missing)" })
  ),
  version: optionalWith(integer({ description: "The version" }), DEFAULT_VERSION)
} as const

const MAX_SEQUENCE = 0xffffffff
const SEQUENCE_NOT_FINAL = 0xfffffffe
const SEQUENCE_REPLACEABLE = 0xfffffffd
const OP_RETURN = 0x6a
const VERSIONS = { lowest: 1, highest: 3 }

/** Description of a new transaction. */
export interface TransactionRequest {
  readonly inputs: ReadonlyArray<JsonRead>
  readonly outputs: JsonRead
  readonly lockTime: number
  /** `undefined` if not given, which means true. */
  readonly replaceable: boolean | undefined
  readonly version: number
}

/** Returns the member of that name, or null if it is missing. */
export const memberOf = (members: JsonMembers, name: string): JsonRead => members.get(name) ?? null

/** Returns the members of an object. Fails with a type error for any other value. */
export const membersOf = (value: JsonRead): Result.Result<JsonMembers, CallError> =>
  value instanceof JsonMembers
    ? Result.succeed(value)
    : Result.fail(wrongKind(`JSON value of type ${jsonKind(value)} is not of expected type object`))

const isSafe = (value: JsonRead): Result.Result<number, CallError> =>
  integerOf(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

const sequenceOf = (value: JsonRead, standard: number): Result.Result<number, CallError> =>
  Result.gen(function*() {
    if (!(value instanceof JsonNumber)) return standard
    const sequence = yield* isSafe(value)
    return sequence >= 0 && sequence <= MAX_SEQUENCE
      ? sequence
      : yield* Result.fail(invalidParameter("Invalid parameter, sequence number is out of range"))
  })

const inputOf = (value: JsonRead, standardSequence: number): Result.Result<TransactionInput, CallError> =>
  Result.gen(function*() {
    const input = yield* membersOf(value)
    const txid = yield* hashOf(memberOf(input, "txid"), "txid")
    const place = memberOf(input, "vout")
    if (!(place instanceof JsonNumber)) {
      return yield* Result.fail(invalidParameter("Invalid parameter, missing vout key"))
    }
    const vout = yield* integerOf(place)
    if (vout < 0) return yield* Result.fail(invalidParameter("Invalid parameter, vout cannot be negative"))
    const sequence = yield* sequenceOf(memberOf(input, "sequence"), standardSequence)
    return { prevout: { txid, vout }, script: new Uint8Array(0), sequence, witness: [] }
  })

/** Returns the recipients of outputs with their values, from an object or a list of objects with one member each. */
const pairsOf = (outputs: JsonRead): Result.Result<ReadonlyArray<readonly [string, JsonRead]>, CallError> =>
  Result.gen(function*() {
    if (outputs === null) {
      return yield* Result.fail(invalidParameter("Invalid parameter, output argument must be non-null"))
    }
    if (outputs instanceof JsonMembers) return outputs.keys.map((key, i) => [key, outputs.values[i]!] as const)
    if (!Array.isArray(outputs)) {
      return yield* Result.fail(wrongKind(`JSON value of type ${jsonKind(outputs)} is not of expected type array`))
    }
    const pairs: Array<readonly [string, JsonRead]> = []
    for (const pair of outputs as ReadonlyArray<JsonRead>) {
      if (!(pair instanceof JsonMembers)) {
        return yield* Result.fail(invalidParameter("Invalid parameter, key-value pair not an object as expected"))
      }
      if (pair.keys.length !== 1) {
        return yield* Result.fail(invalidParameter("Invalid parameter, key-value pair must contain exactly one key"))
      }
      pairs.push([pair.keys[0]!, pair.values[0]!])
    }
    return pairs
  })

/** Reads bytes from hexadecimal digits. `called` is the name of the value in messages. */
export const bytesGiven = (value: JsonRead, called: string): Result.Result<Uint8Array, CallError> =>
  Result.flatMap(value === null ? Result.succeed("") : stringOf(value), (digits) => {
    const bytes = digits === "" ? undefined : bytesOfDigits(digits)
    return bytes === undefined
      ? Result.fail(invalidParameter(`${called} must be hexadecimal string (not '${digits}')`))
      : Result.succeed(bytes)
  })

const outputsOf = (
  value: JsonRead,
  { addresses }: Network
): Result.Result<ReadonlyArray<TransactionOutput>, CallError> =>
  Result.gen(function*() {
    const outputs: Array<TransactionOutput> = []
    const seen = new Set<string>()
    for (const [name, what] of yield* pairsOf(value)) {
      if (name === "data") {
        if (seen.has(name)) return yield* Result.fail(invalidParameter("Invalid parameter, duplicate key: data"))
        seen.add(name)
        const script = concatBytes([Uint8Array.of(OP_RETURN), dataPush(yield* bytesGiven(what, "Data"))])
        outputs.push({ value: 0n, script })
        continue
      }
      const script = scriptOfAddress(name, addresses)
      const amount = yield* satoshisOf(what)
      if (script === undefined) {
        return yield* Result.fail(callError("InvalidAddressOrKey", `Invalid Bitcoin address: ${name}`))
      }
      if (seen.has(hexOf(script))) {
        return yield* Result.fail(invalidParameter(`Invalid parameter, duplicated address: ${name}`))
      }
      seen.add(hexOf(script))
      outputs.push({ value: amount, script })
    }
    return outputs
  })

type Parts = Parameters<typeof encodeParts>[0]

/** Returns the parts of an unsigned transaction. */
export const transactionParts = (request: TransactionRequest, network: Network): Result.Result<Parts, CallError> =>
  Result.gen(function*() {
    const { lockTime, replaceable, version } = request
    if (lockTime < 0 || lockTime > MAX_SEQUENCE) {
      return yield* Result.fail(invalidParameter("Invalid parameter, locktime out of range"))
    }
    if (version < VERSIONS.lowest || version > VERSIONS.highest) {
      return yield* Result.fail(
        invalidParameter(`Invalid parameter, version out of range(${VERSIONS.lowest}~${VERSIONS.highest})`)
      )
    }
    const standard = replaceable !== false ? SEQUENCE_REPLACEABLE : lockTime > 0 ? SEQUENCE_NOT_FINAL : MAX_SEQUENCE
    const inputs: Array<TransactionInput> = []
    for (const input of request.inputs) inputs.push(yield* inputOf(input, standard))
    const outputs = yield* outputsOf(request.outputs, network)
    if (replaceable === true && inputs.length > 0 && inputs.every(({ sequence }) => sequence > SEQUENCE_REPLACEABLE)) {
      return yield* Result.fail(
        invalidParameter("Invalid parameter combination: Sequence number(s) contradict replaceable option")
      )
    }
    return { version, inputs, outputs, lockTime }
  })

/** Returns the bytes of an unsigned transaction. */
export const makeTransaction = (request: TransactionRequest, network: Network): Result.Result<Uint8Array, CallError> =>
  Result.map(transactionParts(request, network), encodeParts)
