import { nearest } from "../../nearest-name.ts"
import type { FieldShapes, ScalarKind, Shape } from "./layout.ts"

const whole = (least: number, most: number) => (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array

/** Description and check of each scalar. */
const SCALARS: Readonly<Record<ScalarKind, readonly [wanted: string, fits: (value: unknown) => boolean]>> = {
  bool: ["true or false", (value) => typeof value === "boolean"],
  u8: ["an integer from 0 to 255", whole(0, 0xff)],
  u32: ["an integer from 0 to 4294967295", whole(0, 0xffff_ffff)],
  i32: ["an integer from -2147483648 to 2147483647", whole(-0x8000_0000, 0x7fff_ffff)],
  u64: ["a bigint from 0n on", (value) => typeof value === "bigint" && value >= 0n && value < 1n << 64n],
  count: ["an integer from 0 on", whole(0, Number.MAX_SAFE_INTEGER)],
  f64: ["a finite number", Number.isFinite],
  text: ["a string", (value) => typeof value === "string"],
  bytes: ["a Uint8Array", isBytes],
  hash: ["a Uint8Array of 32 bytes", (value) => isBytes(value) && value.length === 32]
}

const shown = (value: unknown): string =>
  value === undefined
    ? "missing"
    : typeof value === "string"
    ? JSON.stringify(value)
    : typeof value === "object"
    ? value === null ? "null" : value.constructor?.name ?? "an object"
    : typeof value === "bigint"
    ? `${value}n`
    : String(value)

const wrong = (path: string, wanted: string, value: unknown): string =>
  value === undefined ? `${path} is missing; it must be ${wanted}` : `${path} must be ${wanted}, and is ${shown(value)}`

/** Formats the error for an unknown name, with the nearest existing one. */
export const unknownName = (what: string, name: unknown, known: ReadonlyArray<string>): string => {
  const near = typeof name === "string" ? nearest(name, known) : undefined
  return `unknown ${what} ${shown(name)}${near === undefined ? "" : `; did you mean ${near}?`}`
}

const ofFields = (path: string, fields: FieldShapes, value: object): string | undefined => {
  const values = value as Readonly<Record<string, unknown>>
  for (const name of Object.keys(values)) {
    if (name !== "_tag" && fields[name] === undefined) return unknownName(`field of ${path}`, name, Object.keys(fields))
  }
  for (const [name, shape] of Object.entries(fields)) {
    const found = misfit(path === "" ? name : `${path}.${name}`, shape, values[name])
    if (found !== undefined) return found
  }
  return undefined
}

const firstOf = (values: Iterable<unknown>, path: string, shape: Shape): string | undefined => {
  let at = 0
  for (const value of values) {
    const found = misfit(`${path}[${at++}]`, shape, value)
    if (found !== undefined) return found
  }
  return undefined
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const ofVariant = (
  path: string,
  { of, variants }: Extract<Shape, { readonly kind: "variant" }>,
  value: unknown
): string | undefined => {
  if (!isObject(value)) return wrong(path, "an object", value)
  const { _tag } = value as { readonly _tag?: unknown }
  const fields = typeof _tag === "string" && Object.hasOwn(variants, _tag) ? variants[_tag] : undefined
  return fields === undefined
    ? unknownName(of.replace(/ payload$/, ""), _tag, Object.keys(variants))
    : ofFields(String(_tag), fields, value)
}

const ofMap = (path: string, of: Shape, value: unknown): string | undefined =>
  value instanceof Map
    ? firstOf(value.keys(), path, { kind: "text" }) ?? firstOf(value.values(), path, of)
    : wrong(path, "a Map", value)

const ofScalar = (path: string, kind: ScalarKind, value: unknown): string | undefined => {
  const [wanted, fits] = SCALARS[kind]
  return fits(value) ? undefined : wrong(path, wanted, value)
}

/**
 * Returns the reason why a value does not fit a layout, or `undefined` if it fits. `path` names the value. Modules in
 * plain JavaScript need this, since no compiler checks them.
 */
export const misfit = (path: string, shape: Shape, value: unknown): string | undefined => {
  switch (shape.kind) {
    case "option":
      return value === undefined ? undefined : misfit(path, shape.of, value)
    case "list":
      return Array.isArray(value) ? firstOf(value, path, shape.of) : wrong(path, "a list", value)
    case "map":
      return ofMap(path, shape.of, value)
    case "names":
      return shape.names.includes(value as string) ? undefined : unknownName(shape.of, value, shape.names)
    case "struct":
      return isObject(value) ? ofFields(path, shape.fields, value) : wrong(path, "an object", value)
    case "variant":
      return ofVariant(path, shape, value)
    default:
      return ofScalar(path, shape.kind, value)
  }
}
