import { ANSWER_OF_REQUEST } from "../answers.ts"
import { MODULE_EVENT_TYPES } from "../events/event-payloads.ts"
import { RESERVED_EVENTS } from "../events/reserved-events.ts"
import type { FieldShapes, Shape } from "../layout/layout.ts"
import { moduleMessage } from "../message.ts"
import { PERMISSION_OF_REQUEST } from "../permissions.ts"
import { REQUEST_TYPES } from "../requests.ts"

type Enumeration = Extract<Shape, { readonly kind: "variant" | "names" }>

const fieldsText = (fields: FieldShapes): string =>
  Object.entries(fields).map(([name, shape]) => `${name}: ${shapeText(shape)}`).join(", ")

/** Formats a shape briefly; an enumeration by its name, since it has its own table. */
const shapeText = (shape: Shape): string => {
  switch (shape.kind) {
    case "option":
      return `${shapeText(shape.of)}?`
    case "list":
      return `[${shapeText(shape.of)}]`
    case "map":
      return `{text: ${shapeText(shape.of)}}`
    case "struct":
      return `(${fieldsText(shape.fields)})`
    case "variant":
    case "names":
      return `<${shape.of}>`
    default:
      return shape.kind
  }
}

const partsOf = (shape: Shape): ReadonlyArray<Shape> => {
  switch (shape.kind) {
    case "option":
    case "list":
    case "map":
      return [shape.of]
    case "struct":
      return Object.values(shape.fields)
    case "variant":
      return Object.values(shape.variants).flatMap((fields) => Object.values(fields))
    default:
      return []
  }
}

/** Returns the enumerations inside a shape by their names, the outermost first. */
const enumerationsIn = (shape: Shape, found: Map<string, Enumeration> = new Map()): Map<string, Enumeration> => {
  if ((shape.kind === "variant" || shape.kind === "names") && !found.has(shape.of)) found.set(shape.of, shape)
  for (const part of partsOf(shape)) enumerationsIn(part, found)
  return found
}

const answerOf = (type: string): string => (ANSWER_OF_REQUEST as Readonly<Record<string, string>>)[type]!

const permissionOf = (type: string): string =>
  (PERMISSION_OF_REQUEST as Readonly<Record<string, string>>)[type] ?? "none"

const tableOf = (shape: Enumeration): ReadonlyArray<string> => {
  if (shape.kind === "names") {
    const same = shape.names === REQUEST_TYPES
      ? "request payload"
      : shape.names === MODULE_EVENT_TYPES
      ? "event payload"
      : ""
    return same === ""
      ? ["| tag | name |", "| --: | --- |", ...shape.names.map((name, tag) => `| ${tag} | \`${name}\` |`)]
      : [`The tags of \`<${same}>\`.`]
  }
  const isRequest = shape.of === "request payload"
  const head = isRequest
    ? ["| tag | variant | fields | permission | answer |", "| --: | --- | --- | --- | --- |"]
    : ["| tag | variant | fields |", "| --: | --- | --- |"]
  const rows = Object.entries(shape.variants).map(([name, fields], tag) => {
    const text = fieldsText(fields)
    const row = `| ${tag} | \`${name}\` | ${text === "" ? "" : `\`${text}\``} |`
    return isRequest ? `${row} \`${permissionOf(name)}\` | \`${answerOf(name)}\` |` : row
  })
  return [...head, ...rows]
}

const HEAD = `# Layouts of the module protocol

Generated from \`protocol/src/module-ipc\` by \`node protocol/src/module-ipc/docs/cli.ts\`. [The module protocol](wire.md) says how frames
travel.

| notation | bytes |
| --- | --- |
| \`bool\`, \`u8\` | one; a \`bool\` is 0 or 1 |
| \`u32\`, \`i32\` | four, little-endian |
| \`u64\`, \`count\` | eight, little-endian, unsigned; a \`count\` is at most 9007199254740991 |
| \`f64\` | eight, IEEE 754, little-endian, finite |
| \`text\` | a \`count\` of bytes, and UTF-8 |
| \`bytes\` | a \`count\` of bytes, and the bytes |
| \`hash\` | 32, in the order in which the hash is computed: the reverse of how people write it |
| \`A?\` | one, 0 or 1; after 1 an \`A\` |
| \`[A]\` | a \`count\` of elements, and the elements |
| \`{text: A}\` | a \`count\` of pairs, and the pairs; no key twice |
| \`(a: A, b: B)\` | an \`A\` and a \`B\` |
| \`<name>\` | a \`u32\` with the tag of a variant, and its fields |
`

/** Returns the section about reserved tags, which are never sent. */
const reservedSection = (): string =>
  [
    "## Reserved event types",
    "",
    "Tags are positions, so these types keep theirs. They are never sent; a request that subscribes to one or publishes one is refused with the reason.",
    "",
    "| type | reason |",
    "| --- | --- |",
    ...Object.entries(RESERVED_EVENTS).map(([type, reason]) => `| \`${type}\` | ${reason} |`),
    ""
  ].join("\n")

/** Returns the page that lists every layout of the wire. */
export const layoutsPage = (): string => {
  const sections = [...enumerationsIn(moduleMessage.shape)].map(([name, shape]) =>
    [`## \`<${name}>\``, "", ...tableOf(shape), ""].join("\n")
  )
  return [HEAD, ...sections, reservedSection()].join("\n")
}
