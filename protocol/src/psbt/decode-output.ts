import { nonZero, someBytes } from "./decode-input.ts"
import { OutputField } from "./field-types.ts"
import { type PsbtOutput, psbtOutput } from "./psbt.ts"
import { fail, holdKeySize, type PsbtStream, takeBytes, takeExactly, takeInt64, takeSized } from "./psbt-stream.ts"
import {
  type KeyReading,
  readFields,
  readKept,
  readMusigParticipants,
  readOrigin,
  readTaprootOrigin
} from "./read-keys.ts"
import { readTree } from "./tree-scripts.ts"

type ReadField = (stream: PsbtStream, key: Uint8Array, output: PsbtOutput, reading: KeyReading) => void

const FIELDS: Readonly<Record<number, ReadField>> = {
  [OutputField.redeemScript]: (stream, key, output) => {
    holdKeySize(stream, key, 1, "Output redeemScript")
    output.redeemScript = someBytes(takeSized(stream))
  },
  [OutputField.witnessScript]: (stream, key, output) => {
    holdKeySize(stream, key, 1, "Output witnessScript")
    output.witnessScript = someBytes(takeSized(stream))
  },
  [OutputField.origin]: (stream, key, output, reading) => readOrigin(stream, key, output.origins, reading),
  [OutputField.taprootInternalKey]: (stream, key, output) => {
    holdKeySize(stream, key, 1, "Output Taproot Internal Key")
    output.taprootInternalKey = nonZero(takeExactly(stream, (at) => takeBytes(at, 32)))
  },
  [OutputField.taprootTree]: (stream, key, output) => {
    holdKeySize(stream, key, 1, "Output Taproot Tree Key")
    const value = takeSized(stream)
    if (stream.fault === undefined) output.taprootTree = readTree(value, stream)
  },
  [OutputField.taprootOrigin]: (stream, key, output) => readTaprootOrigin(stream, key, output.taprootOrigins, "Output"),
  [OutputField.musigParticipants]: (stream, key, output, reading) =>
    readMusigParticipants(stream, key, output.musigParticipants, "Output", reading)
}

/** Fields that version 0 has in its transaction. */
const VERSION_2: Readonly<Record<number, readonly [called: string, name: string, read: ReadField]>> = {
  [OutputField.value]: ["Output Amount", "Output amount", (stream, _, output) => {
    output.value = takeExactly(stream, takeInt64)
  }],
  [OutputField.script]: ["Output Script", "Output script", (stream, _, output) => {
    output.script = takeSized(stream)
  }]
}

/** Reads an output. `pays`: what version 0 says of it in its transaction. */
export const readOutput = (
  stream: PsbtStream,
  pays: { readonly value: bigint; readonly script: Uint8Array } | undefined,
  reading: KeyReading
): PsbtOutput => {
  const output = psbtOutput(pays?.value ?? 0n, pays?.script ?? new Uint8Array(0))
  const found = new Set<number>()
  readFields(stream, "output", "Separator is missing at the end of an output map", (type, key) => {
    found.add(type)
    const [called, name, later] = VERSION_2[type] ?? []
    if (later !== undefined) {
      holdKeySize(stream, key, 1, called!)
      if (pays !== undefined) fail(stream, `${name} is not allowed in PSBTv0`)
      else later(stream, key, output, reading)
      return
    }
    const read = FIELDS[type]
    if (read === undefined) readKept(stream, key, type === OutputField.proprietary, output)
    else read(stream, key, output, reading)
  })
  if (pays !== undefined) return output
  if (!found.has(OutputField.value)) fail(stream, "Output amount is required in PSBTv2")
  if (!found.has(OutputField.script)) fail(stream, "Output script is required in PSBTv2")
  return output
}
