import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

/** Kind of a shape without components. */
export type ScalarKind = "bool" | "u8" | "u32" | "i32" | "u64" | "count" | "f64" | "text" | "bytes" | "hash"

/** A layout as data, for documents, generators of test data, and clients in other languages. */
export type Shape =
  | { readonly kind: ScalarKind }
  | { readonly kind: "option" | "list" | "map"; readonly of: Shape }
  | { readonly kind: "names"; readonly of: string; readonly names: ReadonlyArray<string> }
  | { readonly kind: "struct"; readonly fields: FieldShapes }
  | { readonly kind: "variant"; readonly of: string; readonly variants: Readonly<Record<string, FieldShapes>> }

/** The fields of a struct or a variant, in the order in which they are written. */
export type FieldShapes = Readonly<Record<string, Shape>>

/**
 * Codec of a value in the format of bincode 1 with its default settings: fixed-width little-endian integers, 8-byte
 * lengths, 4-byte variant tags, no padding and no names.
 */
export interface Layout<A> {
  readonly shape: Shape
  /** The least number of bytes of a value. It is never 0, so that a list cannot have more elements than bytes. */
  readonly least: number
  /** Reads a value and moves the reader past it. The result is meaningless if the reader has a fault afterwards. */
  readonly read: (from: Reader) => A
  readonly write: (to: Writer, value: A) => void
}

/** A layout of any type. */
export interface AnyLayout {
  readonly shape: Shape
  readonly least: number
  readonly read: (from: Reader) => unknown
  readonly write: (to: Writer, value: never) => void
}

/** Type of a layout's values. */
export type ValueOf<L extends AnyLayout> = ReturnType<L["read"]>

/** Layouts by the names of fields. */
export type Fields = Readonly<Record<string, AnyLayout>>

/** The values of fields. */
export type ValuesOf<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]["read"]> }
