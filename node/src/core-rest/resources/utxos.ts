import type { Height } from "@lockstep/kernel/quantities"
import { concatBytes, encodeCompactSize, writerOf, writeUint32 } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { displayHash } from "../../hex.ts"
import { scriptPubKey } from "../../answers/script-pub-key.ts"
import { amount } from "../../json/number-text.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { inFormat, refuseResource } from "../rest-content.ts"
import type { RestPath } from "../rest-path.ts"
import { serializedOutput } from "../serialized-output.ts"
import { type Asked, askedOutpoints } from "./asked-outpoints.ts"

const MOST_OUTPOINTS = 15

/** Height shown for outputs of mempool transactions. */
const MEMPOOL_HEIGHT = 0x7fff_ffff

interface Unspent {
  readonly height: Height
  readonly value: bigint
  readonly script: Uint8Array
}

interface Found {
  readonly tip: Uint8Array
  readonly height: Height
  /** Outputs in the order of the request; `undefined` if an output does not exist or is spent. */
  readonly outputs: ReadonlyArray<Unspent | undefined>
}

const withMempool = Effect.fnUntraced(function*({ outpoints }: Asked, { chain }: QueryNode) {
  const { outputs, tip } = yield* chain.call("outputs", { outpoints })
  const height = (yield* chain.call("blockFacts", { hash: tip }))?.height ?? chain.state().height
  return {
    tip,
    height,
    outputs: outputs.map((output) =>
      output === undefined || output.isSpent
        ? undefined
        : { ...output, height: output.confirmations === 0 ? MEMPOOL_HEIGHT : height - output.confirmations + 1 }
    )
  }
})

const confirmed = Effect.fnUntraced(function*({ outpoints }: Asked, { chain }: QueryNode) {
  const { height, hash } = chain.state()
  const coins = yield* Effect.forEach(outpoints, (outpoint) => chain.call("coin", outpoint))
  const last = coins.findLast((coin) => coin !== undefined)
  return { tip: last?.bestBlock ?? hash, height: last?.bestHeight ?? height, outputs: coins }
})

const bitmapOf = (outputs: Found["outputs"]): Uint8Array => {
  const bitmap = new Uint8Array(Math.ceil(outputs.length / 8))
  for (const [at, output] of outputs.entries()) {
    if (output !== undefined) bitmap[at >> 3]! |= 1 << (at & 7)
  }
  return bitmap
}

const uint32 = (value: number): Uint8Array => {
  const writer = writerOf(4)
  writeUint32(writer, value)
  return writer.bytes
}

const serialized = ({ height, outputs, tip }: Found): Uint8Array => {
  const bitmap = bitmapOf(outputs)
  const unspent = outputs.filter((output) => output !== undefined)
  return concatBytes([
    uint32(height),
    tip,
    encodeCompactSize(bitmap.length),
    bitmap,
    encodeCompactSize(unspent.length),
    ...unspent.flatMap((output) => [uint32(0), uint32(output.height), serializedOutput(output)])
  ])
}

/** Reports which of the requested outputs are unspent, and describes those. */
export const utxos = Effect.fnUntraced(function*(path: RestPath, node: QueryNode, body: Uint8Array) {
  const asked = yield* askedOutpoints(path, body)
  const { length } = asked.outpoints
  if (length > MOST_OUTPOINTS) {
    return yield* refuseResource(400, `Error: max outpoints exceeded (max: ${MOST_OUTPOINTS}, tried: ${length})`)
  }
  const found = yield* (asked.withMempool ? withMempool(asked, node) : confirmed(asked, node))
  const { height, outputs, tip } = found
  return yield* inFormat(path.format, {
    bytes: Effect.sync(() => serialized(found)),
    json: Effect.sync(() => ({
      chainHeight: height,
      chaintipHash: displayHash(tip),
      bitmap: outputs.map((output) => output === undefined ? "0" : "1").join(""),
      utxos: outputs.filter((output) => output !== undefined).map((output) => ({
        height: output.height,
        value: amount(output.value),
        scriptPubKey: scriptPubKey(output.script, node.network.addresses)
      }))
    }))
  })
})
