import type { AnyLayout, Fields, FieldShapes, Layout, ValuesOf } from "./layout.ts"
import { type Reader, refuse, take, takeLength, takeUint32 } from "./reader.ts"
import { text } from "./scalars.ts"
import { putCount, putUint32, reserve, type Writer } from "./writer.ts"

/** One byte that is 1 if a value follows, else 0. */
export const option = <A>(of: Layout<A>): Layout<A | undefined> => ({
  shape: { kind: "option", of: of.shape },
  least: 1,
  read: (from) => {
    const at = take(from, 1)
    const byte = at < 0 ? 0 : from.bytes[at]!
    if (byte > 1) refuse(from, { _tag: "UnknownTag", what: "presence byte", tag: byte, offset: at })
    return byte === 1 ? of.read(from) : undefined
  },
  write: (to, value) => {
    const at = reserve(to, 1)
    to.bytes[at] = value === undefined ? 0 : 1
    if (value !== undefined) of.write(to, value)
  }
})

/** A number of elements and the elements. */
export const list = <A>(of: Layout<A>): Layout<ReadonlyArray<A>> => ({
  shape: { kind: "list", of: of.shape },
  least: 8,
  read: (from) => {
    const elements: Array<A> = []
    const length = takeLength(from, of.least)
    for (let i = 0; i < length && from.fault === undefined; i++) elements.push(of.read(from))
    return elements
  },
  write: (to, elements) => {
    putCount(to, elements.length)
    for (const element of elements) of.write(to, element)
  }
})

/** A number of pairs of a text and a value, no text twice. */
export const map = <A>(of: Layout<A>): Layout<ReadonlyMap<string, A>> => ({
  shape: { kind: "map", of: of.shape },
  least: 8,
  read: (from) => {
    const entries = new Map<string, A>()
    const length = takeLength(from, text.least + of.least)
    for (let i = 0; i < length && from.fault === undefined; i++) {
      const offset = from.offset
      const key = text.read(from)
      if (entries.has(key)) refuse(from, { _tag: "DuplicateKey", key, offset })
      entries.set(key, of.read(from))
    }
    return entries
  },
  write: (to, entries) => {
    putCount(to, entries.size)
    for (const [key, value] of entries) {
      text.write(to, key)
      of.write(to, value)
    }
  }
})

/** A variant without fields, by its name: four bytes with its index. `of` names the enumeration in faults. */
export const names = <const Names extends ReadonlyArray<string>>(of: string, known: Names): Layout<Names[number]> => {
  const indexes = new Map(known.map((name, index) => [name, index]))
  return {
    shape: { kind: "names", of, names: known },
    least: 4,
    read: (from) => {
      const offset = from.offset
      const tag = takeUint32(from)
      const name = known[tag]
      if (name === undefined) refuse(from, { _tag: "UnknownTag", what: of, tag, offset })
      return name ?? known[0]!
    },
    write: (to, name) => putUint32(to, indexes.get(name)!)
  }
}

const shapesOf = (fields: Fields): FieldShapes =>
  Object.fromEntries(Object.entries(fields).map(([name, { shape }]) => [name, shape]))

const leastOf = (fields: Fields): number => Object.values(fields).reduce((sum, { least }) => sum + least, 0)

const readFields = (
  from: Reader,
  entries: ReadonlyArray<readonly [string, AnyLayout]>,
  into: Record<string, unknown>
): void => {
  for (const [name, layout] of entries) into[name] = layout.read(from)
}

const writeFields = (to: Writer, entries: ReadonlyArray<readonly [string, AnyLayout]>, values: object): void => {
  const byName = values as Readonly<Record<string, never>>
  for (const [name, layout] of entries) layout.write(to, byName[name]!)
}

/** The fields one after another, without their names. */
export const struct = <const F extends Fields>(fields: F): Layout<ValuesOf<F>> => {
  const entries = Object.entries(fields)
  return {
    shape: { kind: "struct", fields: shapesOf(fields) },
    least: leastOf(fields),
    read: (from) => {
      const values: Record<string, unknown> = {}
      readFields(from, entries, values)
      return values as ValuesOf<F>
    },
    write: (to, values) => writeFields(to, entries, values)
  }
}

/** Value of a variant: its name as `_tag`, and its fields. */
export type VariantOf<V extends Readonly<Record<string, Fields>>> = {
  readonly [K in keyof V]: { readonly _tag: K } & ValuesOf<V[K]>
}[keyof V]

/** Four bytes with the index of a variant, then its fields. `of` names the enumeration in faults. */
export const variant = <const V extends Readonly<Record<string, Fields>>>(
  of: string,
  variants: V
): Layout<VariantOf<V>> => {
  const known = Object.entries(variants).map(([name, fields]) => ({ name, entries: Object.entries(fields) }))
  const indexes = new Map(known.map(({ name }, index) => [name, index]))
  const shapes = Object.fromEntries(Object.entries(variants).map(([name, fields]) => [name, shapesOf(fields)]))
  return {
    shape: { kind: "variant", of, variants: shapes },
    least: 4 + Math.min(...Object.values(variants).map(leastOf)),
    read: (from) => {
      const offset = from.offset
      const tag = takeUint32(from)
      const found = known[tag]
      if (found === undefined) refuse(from, { _tag: "UnknownTag", what: of, tag, offset })
      const { name, entries } = found ?? known[0]!
      const value: Record<string, unknown> = { _tag: name }
      if (from.fault === undefined) readFields(from, entries, value)
      return value as VariantOf<V>
    },
    write: (to, value) => {
      const index = indexes.get(value._tag as string)!
      putUint32(to, index)
      writeFields(to, known[index]!.entries, value)
    }
  }
}
