/** Columns with one value per transaction, cluster or chunk. They grow together, outside the JavaScript heap. */
export type Column = Float64Array | Int32Array | Uint8Array

const grown = <C extends Column>(column: C, length: number): C => {
  const copy = new (column.constructor as new(length: number) => C)(length)
  copy.set(column)
  return copy
}

/** Replaces every column of a table with a longer one. */
export const growColumns = (table: Record<string, Column>, length: number): void => {
  for (const [name, column] of Object.entries(table)) table[name] = grown(column, length)
}

/** Returns the next length of a table that is too short. */
export const nextLength = (length: number): number => Math.max(64, length + (length >> 1))

/** Marks a missing transaction, cluster or chunk. */
export const NONE = -1
