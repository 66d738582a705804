/** What has been accepted of the files read in place: kept in the store, so that a node that stops resumes there. */
export interface ExistingFilesRecord {
  /** Our own files that a rebuild has yet to read. */
  readonly own: ReadonlyArray<number>
  /** Bitcoin Core's files that are done, with their sizes then. */
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

/** The record in these bytes; none when they are no such thing: then everything is looked at again. */
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
