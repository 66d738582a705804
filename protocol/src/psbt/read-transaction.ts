import { concatBytes, cursorOn, type MalformedBytes } from "@lockstep/kernel/bytes"
import { readTransaction, type Transaction } from "@lockstep/kernel/model"
import { compactSizeFault } from "./compact-size-fault.ts"
import { fail, type PsbtStream } from "./psbt-stream.ts"

const END = "SpanReader::read(): end of data"

const FAULTS: Readonly<Partial<Record<MalformedBytes["rule"], string>>> = {
  "SER-003": END,
  "SER-011": "Superfluous witness record",
  "SER-012": "Unknown transaction optional data"
}

const INPUTS_AT = 4

/** Placeholder for the inputs of a transaction without inputs, so that its outputs can be read. */
const ONE_INPUT = Uint8Array.of(1, ...new Uint8Array(41))

const readFrom = (stream: PsbtStream, bytes: Uint8Array, extra: number): Transaction => {
  const cursor = cursorOn(bytes)
  const tx = readTransaction(cursor)
  const { broken } = cursor
  if (broken !== undefined) {
    fail(stream, FAULTS[broken.rule] ?? compactSizeFault(cursor, broken.detail.offset) ?? END)
  } else stream.offset += cursor.offset - extra
  return tx
}

/** Reads a transaction in either form. */
export const takeTransaction = (stream: PsbtStream): Transaction =>
  readFrom(stream, stream.bytes.subarray(stream.offset), 0)

/** Reads a transaction in the form without witnesses. It may have no inputs. */
export const takePlainTransaction = (stream: PsbtStream): Transaction => {
  const rest = stream.bytes.subarray(stream.offset)
  if (rest[INPUTS_AT] !== 0) return readFrom(stream, rest, 0)
  const filled = concatBytes([rest.subarray(0, INPUTS_AT), ONE_INPUT, rest.subarray(INPUTS_AT + 1)])
  return { ...readFrom(stream, filled, ONE_INPUT.length - 1), inputs: [] }
}
