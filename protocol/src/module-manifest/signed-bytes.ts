import { putBytes, putCount, reserve, type Writer, writer } from "../module-ipc/layout/writer.ts"
import { isTable } from "./field-reader.ts"

/** Prefix of the signed bytes, so that a signature is valid for module manifests only. */
const DOMAIN = "lockstep module manifest v1"

/** Prefix for a single file, such as a program or a list of checksums. */
const FILE_DOMAIN = "lockstep file v1"

const TAG = { text: 1, integer: 2, float: 3, yes: 4, no: 5, list: 6, table: 7 } as const

const ENCODER = new TextEncoder()

const putTag = (to: Writer, tag: number): void => {
  const at = reserve(to, 1)
  to.bytes[at] = tag
}

const putText = (to: Writer, text: string): void => {
  const utf8 = ENCODER.encode(text)
  putCount(to, utf8.length)
  putBytes(to, utf8)
}

const putNumber = (to: Writer, value: number | bigint): void => {
  const isInteger = typeof value === "bigint" || Number.isSafeInteger(value)
  putTag(to, isInteger ? TAG.integer : TAG.float)
  if (isInteger) return putText(to, String(value))
  const at = reserve(to, 8)
  to.view.setFloat64(at, value, true)
}

const compareTexts = (left: string, right: string): number => left < right ? -1 : left > right ? 1 : 0

const putTable = (to: Writer, table: Readonly<Record<string, unknown>>): void => {
  const names = Object.keys(table).toSorted(compareTexts)
  putTag(to, TAG.table)
  putCount(to, names.length)
  for (const name of names) {
    putText(to, name)
    putValue(to, table[name])
  }
}

/**
 * Writes a value after its kind and its lengths, so that different values have different bytes. Dates are written as
 * texts.
 */
const putValue = (to: Writer, value: unknown): void => {
  if (Array.isArray(value)) {
    putTag(to, TAG.list)
    putCount(to, value.length)
    for (const each of value) putValue(to, each)
  } else if (isTable(value)) putTable(to, value)
  else if (typeof value === "boolean") putTag(to, value ? TAG.yes : TAG.no)
  else if (typeof value === "number" || typeof value === "bigint") putNumber(to, value)
  else {
    putTag(to, TAG.text)
    putText(to, String(value))
  }
}

const withoutSignature = (maintainer: unknown): unknown =>
  isTable(maintainer)
    ? Object.fromEntries(Object.entries(maintainer).filter(([name]) => name !== "signature"))
    : maintainer

const withoutSignatures = (signatures: unknown): unknown =>
  isTable(signatures) && Array.isArray(signatures["maintainers"])
    ? { ...signatures, maintainers: signatures["maintainers"].map(withoutSignature) }
    : signatures

/**
 * Returns the bytes that maintainers sign: the whole manifest except the signatures themselves. They include the keys,
 * the threshold and the hash of the program. They do not depend on the order or the layout of the file.
 */
export const signedManifestBytes = (content: Readonly<Record<string, unknown>>): Uint8Array => {
  const to = writer()
  putText(to, DOMAIN)
  const { signatures, ...rest } = content
  putTable(to, signatures === undefined ? rest : { ...rest, signatures: withoutSignatures(signatures) })
  return to.bytes.subarray(0, to.offset)
}

/** Returns the bytes that maintainers sign for a single file: its size and its SHA-256. */
export const signedFileBytes = ({ hash, size }: { readonly hash: Uint8Array; readonly size: number }): Uint8Array => {
  const to = writer()
  putText(to, FILE_DOMAIN)
  putCount(to, size)
  putBytes(to, hash)
  return to.bytes.subarray(0, to.offset)
}
