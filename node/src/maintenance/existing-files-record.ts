/** Progress of the files that are read in place. It is in the store, so that a node that stops resumes there. */
export interface ExistingFilesRecord {
  /** The node's own files that a rebuild has yet to read. */
  readonly own: ReadonlyArray<number>
  /** Bitcoin Core's finished files, with their sizes at that time. */
  readonly reference: {
    readonly directory: string
    readonly done: ReadonlyArray<readonly [file: number, size: number]>
  } | undefined
}

/** Name of the entry. */
export const ADOPTED = "adopted"

export const encodeAdoptRecord = (record: ExistingFilesRecord): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(record))

const isNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0

const isPair = (value: unknown): value is readonly [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every(isNumber)

/** Decodes a record. Returns `undefined` for invalid bytes; then all files are read again. */
export const decodeAdoptRecord = (bytes: Uint8Array): ExistingFilesRecord | undefined => {
  try {
    const { own, reference } = JSON.parse(new TextDecoder().decode(bytes)) as Partial<ExistingFilesRecord>
    if (!Array.isArray(own) || !own.every(isNumber)) return undefined
    if (reference === undefined) return { own, reference }
    const { directory, done } = reference
    return typeof directory === "string" && Array.isArray(done) && done.every(isPair)
      ? { own, reference: { directory, done } }
      : undefined
  } catch {
    return undefined
  }
}
