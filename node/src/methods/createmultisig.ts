import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isHybridKey, isPublicKey } from "@lockstep/descriptors/descriptor/key-text.ts"
import { multisigScript, scriptHashScript, witnessScriptHashScript } from "@lockstep/descriptors/descriptor/scripts.ts"
import { addressOf } from "@lockstep/descriptors/script-text/address.ts"
import { withChecksum } from "@lockstep/descriptors/script-text/descriptor-checksum.ts"
import { bytesOfDigits, hexOf } from "../hex.ts"
import { scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import type { JsonRead } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { array, integer, optionalWith, stringOf, text } from "./definition/parameter.ts"
import { Hex, optionalDescribed, described } from "../answers/result-schema.ts"
import { invalidParameter, type CallError, callError } from "../queries/call-error.ts"

const Multisig = Schema.Struct({
  address: described(Schema.String, "The address"),
  redeemScript: described(Hex, "The script behind it"),
  descriptor: described(Schema.String, "A descriptor of it"),
  warnings: optionalDescribed(Schema.Array(Schema.String), "What differs from the request")
})

const MAX_KEYS = 20
const MAX_REDEEM_SCRIPT = 520

const keyError = (message: string): CallError => callError("InvalidAddressOrKey", message)

/**
 * Reports whether bytes are a valid hybrid public key, whose first byte matches the parity of y: 06 if even, 07 if odd.
 */
const isTrueHybrid = (key: Uint8Array): boolean =>
  isHybridKey(key) && key[0]! % 2 === key.at(-1)! % 2 && isPublicKey(Uint8Array.of(4, ...key.subarray(1)))

const keyOf = (value: JsonRead): Result.Result<Uint8Array, CallError> =>
  Result.flatMap(stringOf(value), (digits) => {
    const key = bytesOfDigits(digits)
    if (key === undefined) return Result.fail(keyError(`Pubkey "${digits}" must be a hex string`))
    if (key.length !== 33 && key.length !== 65) {
      return Result.fail(keyError(`Pubkey "${digits}" must have a length of either 33 or 65 bytes`))
    }
    return isPublicKey(key) || isTrueHybrid(key)
      ? Result.succeed(key)
      : Result.fail(keyError(`Pubkey "${digits}" must be cryptographically valid.`))
  })

const FORMS = ["legacy", "p2sh-segwit", "bech32"] as const

type Form = typeof FORMS[number]

const formOf = (name: string): Result.Result<Form, CallError> => {
  if (name === "bech32m") return Result.fail(keyError("createmultisig cannot create bech32m multisig addresses"))
  const form = FORMS.find((each) => each === name)
  return form === undefined ? Result.fail(keyError(`Unknown address type '${name}'`)) : Result.succeed(form)
}

const problemOf = (required: number, count: number): string | undefined => {
  if (required < 1) return "a multisignature address must require at least one key to redeem"
  if (count < required) return `not enough keys supplied (got ${count} keys, but need at least ${required} to redeem)`
  return count > MAX_KEYS
    ? `Number of keys involved in the multisignature address creation > ${MAX_KEYS}\nReduce the number`
    : undefined
}

const WRAPPERS: Readonly<Record<Form, readonly [before: string, after: string]>> = {
  legacy: ["sh(", ")"],
  "p2sh-segwit": ["sh(wsh(", "))"],
  bech32: ["wsh(", ")"]
}

const IMPOSSIBLE = "Unable to make chosen address type, please ensure no uncompressed public keys are present."

export const createmultisig = method({
  name: "createmultisig",
  category: "util",
  privilege: "anyone",
  description: "Makes an address whose outputs take n signatures of m keys.",
  parameters: {
    nrequired: integer({ description: "How many signatures" }),
    keys: array(
      { usage: "[\"key\",...]", description: "The public keys in hexadecimal digits" },
      Schema.Array(Schema.String)
    ),
    address_type: optionalWith(text({ description: "The type of address: legacy, p2sh-segwit or bech32" }), "legacy")
  },
  result: Multisig,
  examples: [{
    params: [2, [
      "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
      "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
    ]]
  }],
  call: Effect.fnUntraced(function*({ address_type, keys: given, nrequired }, { crypto, network }) {
    const keys = yield* Effect.forEach(given, (each) => Effect.fromResult(keyOf(each)))
    const wanted = yield* Effect.fromResult(formOf(address_type))
    const problem = problemOf(nrequired, keys.length)
    if (problem !== undefined) return yield* Effect.fail(invalidParameter(problem))
    const form = keys.every(({ length }) => length === 33) ? wanted : "legacy"
    const inner = multisigScript(nrequired, keys)
    if (form === "legacy" && inner.length > MAX_REDEEM_SCRIPT) {
      return yield* Effect.fail(
        invalidParameter(`redeemScript exceeds size limit: ${inner.length} > ${MAX_REDEEM_SCRIPT}`)
      )
    }
    const witness = witnessScriptHashScript(inner, crypto)
    const script = form === "bech32" ? witness : scriptHashScript(form === "legacy" ? inner : witness, crypto)
    const [before, after] = WRAPPERS[form]
    const address = addressOf(scriptKind(script), network.addresses)!
    // Descriptors have no hybrid keys.
    const expression = keys.some(isHybridKey)
      ? `addr(${address})`
      : `${before}multi(${[nrequired, ...keys.map(hexOf)].join(",")})${after}`
    return {
      address,
      redeemScript: hexOf(inner),
      descriptor: withChecksum(expression),
      warnings: form === wanted ? undefined : [IMPOSSIBLE]
    }
  })
})
