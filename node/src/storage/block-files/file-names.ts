/** The two kinds of numbered files: blocks, and undo data. */
export type FileKind = "blk" | "rev"

/** Returns the name of a numbered file, as Bitcoin Core writes it. */
export const fileName = (kind: FileKind, number: number): string => `${kind}${String(number).padStart(5, "0")}.dat`

const NAME = /^(blk|rev)(\d{5,})\.dat$/

/** Returns kind and number of a block or undo file, or `undefined` for any other name. */
export const parseFileName = (name: string): { readonly kind: FileKind; readonly number: number } | undefined => {
  const match = NAME.exec(name)
  if (match === null) return undefined
  const number = Number(match[2])
  return fileName(match[1] as FileKind, number) === name ? { kind: match[1] as FileKind, number } : undefined
}
