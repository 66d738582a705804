import { parse } from "smol-toml"
import { hexOf, readText } from "./keys.ts"
import { ToolError } from "./tool-error.ts"

/** A detached signature. */
export interface DetachedSignature {
  readonly key: Uint8Array
  readonly signature: Uint8Array
}

/** Formats signatures as the text of a file. Such texts may be concatenated. */
export const signatureText = (signatures: ReadonlyArray<DetachedSignature>): string =>
  signatures.map(({ key, signature }) => `[[signatures]]\nkey = "${hexOf(key)}"\nsignature = "${hexOf(signature)}"\n`)
    .join("\n")

const bytesIn = (value: unknown, digits: number): Uint8Array | undefined =>
  typeof value === "string" && value.length === digits && /^[0-9a-f]*$/i.test(value)
    ? Uint8Array.from(Buffer.from(value, "hex"))
    : undefined

const signatureIn = (entry: unknown): DetachedSignature | undefined => {
  const { key, signature } = entry as { readonly key?: unknown; readonly signature?: unknown }
  const [keyBytes, signatureBytes] = [bytesIn(key, 66), bytesIn(signature, 128)]
  return keyBytes === undefined || signatureBytes === undefined
    ? undefined
    : { key: keyBytes, signature: signatureBytes }
}

const entriesIn = (file: string): ReadonlyArray<unknown> => {
  try {
    const { signatures } = parse(readText(file))
    return Array.isArray(signatures) ? signatures : []
  } catch (error) {
    if (error instanceof ToolError) throw error
    throw new ToolError(`${file} is not valid TOML`)
  }
}

/** Reads the signatures from a file that `sign` or `sign-binary` wrote. */
export const readSignatures = (file: string): ReadonlyArray<DetachedSignature> => {
  const found = entriesIn(file).map(signatureIn)
  if (found.length === 0 || found.some((each) => each === undefined)) {
    throw new ToolError(
      `${file} has no signatures: sign and sign-binary write them as [[signatures]] with key and signature`
    )
  }
  return found as ReadonlyArray<DetachedSignature>
}
