import fc, { type Arbitrary } from "fast-check"
import type { FieldShapes, ScalarKind, Shape } from "../../src/module-ipc/layout/layout.ts"
import { type ModuleMessage, moduleMessage } from "../../src/module-ipc/message.ts"

const wellFormed = fc.string({ unit: "binary", maxLength: 8 })

const SCALARS: Readonly<Record<ScalarKind, Arbitrary<unknown>>> = {
  bool: fc.boolean(),
  u8: fc.integer({ min: 0, max: 255 }),
  u32: fc.integer({ min: 0, max: 0xffff_ffff }),
  i32: fc.integer(),
  u64: fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }),
  count: fc.maxSafeNat(),
  f64: fc.double({ noNaN: true, noDefaultInfinity: true }),
  text: wellFormed,
  bytes: fc.uint8Array({ maxLength: 12 }),
  hash: fc.uint8Array({ minLength: 32, maxLength: 32 })
}

const ofFields = (fields: FieldShapes): Arbitrary<object> =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, ofShape(shape)])), {
    noNullPrototype: true
  })

const ofVariant = (name: string, fields: FieldShapes): Arbitrary<unknown> =>
  ofFields(fields).map((values) => ({ _tag: name, ...values }))

/** Any value of a layout. */
export const ofShape = (shape: Shape): Arbitrary<unknown> => {
  switch (shape.kind) {
    case "option":
      return fc.option(ofShape(shape.of), { nil: undefined })
    case "list":
      return fc.array(ofShape(shape.of), { maxLength: 3 })
    case "map":
      return fc.array(fc.tuple(wellFormed, ofShape(shape.of)), { maxLength: 3 }).map((entries) => new Map(entries))
    case "names":
      return fc.constantFrom(...shape.names)
    case "struct":
      return ofFields(shape.fields)
    case "variant":
      return fc.oneof(...Object.entries(shape.variants).map(([name, fields]) => ofVariant(name, fields)))
    default:
      return SCALARS[shape.kind]
  }
}

/** The variants of a shape inside a message, each with any values. */
export const variantsOf = (shape: Shape): ReadonlyArray<readonly [string, Arbitrary<unknown>]> => {
  if (shape.kind !== "variant") return []
  return Object.entries(shape.variants).map(([name, fields]) => [name, ofVariant(name, fields)])
}

/** A message whose declared types are those of its payloads. */
export const consistent = (message: ModuleMessage): ModuleMessage => {
  if (message._tag === "Event") return { ...message, event_type: message.payload._tag }
  if (message._tag !== "Request") return message
  const { payload } = message
  return {
    ...message,
    request_type: payload._tag,
    payload: payload._tag === "PublishEvent" ? { ...payload, event_type: payload.payload._tag } : payload
  }
}

export const anyModuleMessage: Arbitrary<ModuleMessage> = ofShape(moduleMessage.shape).map((message) =>
  consistent(message as ModuleMessage)
)
