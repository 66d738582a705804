import { nonZero, someBytes } from "./decode-input.ts"
import { OutputField } from "./field-types.ts"
import { type PsbtOutput, psbtOutput } from "./psbt.ts"
import { fail, holdKeySize, type PsbtStream, takeBytes, takeExactly, takeInt64, takeSized } from "./psbt-stream.ts"
import {
  type KeyReading,
  type ReadField,
  readMusigParticipants,
  readOrigin,
  readTaprootOrigin,
  readVersioned,
  type Steps
} from "./read-keys.ts"
import { readTree } from "./tree-scripts.ts"

type ReadOutput = ReadField<PsbtOutput>

const FIELDS: Readonly<Record<number, ReadOutput>> = {
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
const VERSION_2: Readonly<Record<number, readonly [called: string, name: string, read: ReadOutput]>> = {
  [OutputField.value]: ["Output Amount", "Output amount", (stream, _, output) => {
    output.value = takeExactly(stream, takeInt64)
  }],
  [OutputField.script]: ["Output Script", "Output script", (stream, _, output) => {
    output.script = takeSized(stream)
  }]
}

/** Reads an output. `pays` has the fields that version 0 stores in its transaction. */
export const readOutput = function*(
  stream: PsbtStream,
  pays: { readonly value: bigint; readonly script: Uint8Array } | undefined,
  reading: KeyReading
): Steps<PsbtOutput> {
  const output = psbtOutput(pays?.value ?? 0n, pays?.script ?? new Uint8Array(0))
  const fields = { always: FIELDS, version2: VERSION_2, proprietary: OutputField.proprietary }
  const found = yield* readVersioned(stream, "output", fields, pays !== undefined, output, reading)
  if (pays !== undefined) return output
  if (!found.has(OutputField.value)) fail(stream, "Output amount is required in PSBTv2")
  if (!found.has(OutputField.script)) fail(stream, "Output script is required in PSBTv2")
  return output
}
