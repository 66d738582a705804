import type { ManifestFault } from "./manifest.ts"

/**
 * A table of a manifest that is being checked. Faults are collected, and fields that no check requested are unknown.
 */
export interface TableReader {
  readonly path: string
  readonly content: Readonly<Record<string, unknown>>
  readonly known: Set<string>
  readonly faults: Array<ManifestFault>
}

/** A check of a value: returns its meaning, or a description of what the field must be. */
export type FieldCheck<A> = (value: unknown) => { readonly value: A } | { readonly mustBe: string }

const pathTo = ({ path }: TableReader, name: string): string => path === "" ? name : `${path}.${name}`

export const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** Records a fault of a field. */
export const refuseField = (reader: TableReader, name: string, text: string): void => {
  reader.faults.push({ field: pathTo(reader, name), text })
}

/** Returns the value of an optional field, or `undefined` if it is missing or invalid. */
export const optionalField = <A>(reader: TableReader, name: string, check: FieldCheck<A>): A | undefined => {
  reader.known.add(name)
  if (!Object.hasOwn(reader.content, name)) return undefined
  const checked = check(reader.content[name])
  if ("value" in checked) return checked.value
  refuseField(reader, name, `must be ${checked.mustBe}`)
  return undefined
}

/** Returns the value of a required field, or `undefined` if it is missing or invalid. */
export const requiredField = <A>(reader: TableReader, name: string, check: FieldCheck<A>): A | undefined => {
  if (!Object.hasOwn(reader.content, name)) refuseField(reader, name, "is missing")
  return optionalField(reader, name, check)
}

/** Returns a reader of a nested table, or `undefined` if it is missing or no table. */
export const tableField = (reader: TableReader, name: string): TableReader | undefined => {
  const content = optionalField(reader, name, (value) => isTable(value) ? { value } : { mustBe: "a table" })
  return content === undefined
    ? undefined
    : { path: pathTo(reader, name), content, known: new Set(), faults: reader.faults }
}

/** Records a fault for every field that no check requested. */
export const refuseUnknownFields = (reader: TableReader): void => {
  for (const name of Object.keys(reader.content)) {
    if (!reader.known.has(name)) refuseField(reader, name, "is not a field of a manifest")
  }
}

/** Returns readers of an array's tables, or `undefined` if it is missing or has other elements. */
export const tablesField = (reader: TableReader, name: string, most: number): ReadonlyArray<TableReader> | undefined =>
  optionalField(reader, name, (value) =>
    Array.isArray(value) && value.length <= most && value.every(isTable)
      ? {
        value: value.map((content, i) => ({
          path: `${pathTo(reader, name)}[${i}]`,
          content,
          known: new Set<string>(),
          faults: reader.faults
        }))
      }
      : { mustBe: `a list of at most ${most} tables` })
