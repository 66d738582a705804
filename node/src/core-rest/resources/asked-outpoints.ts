import {
  concatBytes,
  cursorOn,
  encodeCompactSize,
  readBytes,
  readCompactSize,
  readUint32,
  readUint8
} from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { bytesOfDigits, hashOfText } from "../../hex.ts"
import { refuseResource, type RestFault } from "../rest-content.ts"
import { type RestPath, wholeNumber } from "../rest-path.ts"

/** Outputs that a request asks for, and whether the mempool counts. */
export interface Asked {
  readonly outpoints: ReadonlyArray<{ readonly txid: Uint8Array; readonly vout: number }>
  readonly withMempool: boolean
}

const HASH_BYTES = 32
const OUTPOINT_BYTES = 36
const HIGHEST_INDEX = 2n ** 32n - 1n
const NOTHING: Asked = { outpoints: [], withMempool: false }

const parseError = refuseResource(400, "Parse error")
const emptyRequest = refuseResource(400, "Error: empty request")

const inPath = (parts: ReadonlyArray<string>): Effect.Effect<Asked, RestFault> => {
  const withMempool = parts[0] === "checkmempool"
  const outpoints: Array<Asked["outpoints"][number]> = []
  for (const part of withMempool ? parts.slice(1) : parts) {
    const [id = "", index = "", ...more] = part.split("-")
    const txid = hashOfText(id)
    const vout = wholeNumber(index, HIGHEST_INDEX)
    if (txid === undefined || vout === undefined || more.length > 0) return parseError
    outpoints.push({ txid, vout: Number(vout) })
  }
  return outpoints.length === 0 ? emptyRequest : Effect.succeed({ outpoints, withMempool })
}

/**
 * Reads the outpoints of a body. Bitcoin Core reads them from its serialization of the body as a string, which begins
 * with the length. That length is therefore read as the flag that says whether the mempool counts. The byte that
 * clients send for this flag is read as the start of the list.
 */
const inBody = (body: Uint8Array): Effect.Effect<Asked, RestFault> => {
  const cursor = cursorOn(concatBytes([encodeCompactSize(body.length), body]))
  const withMempool = readUint8(cursor) !== 0
  const count = readCompactSize(cursor)
  if (cursor.broken !== undefined || count * OUTPOINT_BYTES > body.length) return parseError
  const outpoints = Array.from({ length: count }, () => {
    const txid = new Uint8Array(readBytes(cursor, HASH_BYTES))
    return { txid, vout: readUint32(cursor) }
  })
  return cursor.broken === undefined ? Effect.succeed({ outpoints, withMempool }) : parseError
}

/** Reads the outpoints that a request asks for, from its path or its body. */
export const askedOutpoints = Effect.fnUntraced(function*({ format, param }: RestPath, body: Uint8Array) {
  const parts = param.length > 1 ? param.slice(1).split("/") : []
  if (parts.length === 0 && body.length === 0) return yield* emptyRequest
  const named = parts.length === 0 ? NOTHING : yield* inPath(parts)
  if (format === undefined) {
    return yield* refuseResource(404, "output format not found (available: .bin, .hex, .json)")
  }
  if (format === "json") return parts.length === 0 ? yield* emptyRequest : named
  const bytes = format === "hex"
    ? bytesOfDigits(Buffer.from(body).toString("latin1").trim()) ?? new Uint8Array()
    : body
  if (bytes.length === 0) return named
  if (parts.length > 0) {
    return yield* refuseResource(400, "Combination of URI scheme inputs and raw post data is not allowed")
  }
  return yield* inBody(bytes)
})
