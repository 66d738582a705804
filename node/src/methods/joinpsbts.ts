import type { Psbt, PsbtInput, PsbtOutput } from "@lockstep/protocol/psbt/psbt.ts"
import { addMissing } from "@lockstep/protocol/psbt/sort-keys.ts"
import { psbtOf } from "@lockstep/protocol/psbt/unsigned-transaction.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { randomInt } from "node:crypto"
import { displayHash } from "../hex.ts"
import { psbtText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import { method } from "./definition/method.ts"
import { array } from "./definition/parameter.ts"
import { givenPsbts } from "./psbt/given-psbt.ts"
import { invalidParameter, type CallError } from "../queries/call-error.ts"

/** Shuffles items, so that their order does not reveal their origin. */
const shuffled = <A>(items: ReadonlyArray<A>): Array<A> => {
  const mixed = [...items]
  for (let i = mixed.length - 1; i > 0; i--) {
    const other = randomInt(i + 1)
    ;[mixed[i], mixed[other]] = [mixed[other]!, mixed[i]!]
  }
  return mixed
}

const placeOf = ({ prevout: { txid, vout } }: PsbtInput): string => `${displayHash(txid)}:${vout}`

/** Removes signatures, since each is valid for one transaction only. */
const withoutSignatures = (input: PsbtInput): PsbtInput => ({
  ...input,
  partialSignatures: new Map(),
  finalScript: undefined,
  finalWitness: undefined
})

const joined = (psbts: ReadonlyArray<Psbt>): Result.Result<Psbt, CallError> => {
  const version = psbts.reduce((most, { txVersion }) => Math.max(most, txVersion), 1)
  const lockTime = psbts.map(({ fallbackLockTime = 0 }) => fallbackLockTime).reduce((least, time) =>
    Math.min(least, time)
  )
  const whole = psbtOf({ version, inputs: [], outputs: [], lockTime }, 0)
  const inputs = new Map<string, PsbtInput>()
  const outputs: Array<PsbtOutput> = []
  for (const psbt of psbts) {
    for (const input of psbt.inputs) {
      const place = placeOf(input)
      if (inputs.has(place)) return Result.fail(invalidParameter(`Input ${place} exists in multiple PSBTs`))
      inputs.set(place, withoutSignatures(input))
    }
    for (const output of psbt.outputs) outputs.push(output)
    addMissing(whole.unknown, psbt.unknown)
  }
  whole.inputs = shuffled([...inputs.values()])
  whole.outputs = shuffled(outputs)
  return Result.succeed(whole)
}

export const joinpsbts = method({
  name: "joinpsbts",
  category: "rawtransactions",
  privilege: "anyone",
  description: [
    "Makes one partially signed transaction of version 0 of several, with the inputs and outputs of all of them,",
    "in an order that is random. An input may be in one of them only. Signatures and extended keys are left out."
  ].join("\n"),
  parameters: {
    txs: array(
      { usage: "[\"psbt\",...]", description: "The partially signed transactions in base64, two at least" },
      Schema.Array(Schema.String)
    )
  },
  result: Schema.String,
  examples: [{ params: [["psbt", "psbt"]] }],
  call: Effect.fnUntraced(function*({ txs }, node) {
    if (txs.length <= 1) {
      return yield* Effect.fail(invalidParameter("At least two PSBTs are required to join PSBTs."))
    }
    const psbts: Array<Psbt> = []
    for (const text of txs) {
      const [psbt] = yield* givenPsbts([text], node)
      if (psbt!.version !== 0) {
        return yield* Effect.fail(invalidParameter("joinpsbts only operates on version 0 PSBTs"))
      }
      psbts.push(psbt!)
    }
    return psbtText(yield* Effect.fromResult(joined(psbts)))
  })
})
