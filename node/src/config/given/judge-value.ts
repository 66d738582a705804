import { nearest } from "@lockstep/protocol/nearest-name.ts"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { CatalogueKey } from "../catalogue.ts"
import type { KeyShape } from "../schema/key.ts"

const LONGEST_SHOWN = 60

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return "a list"
  if (value === null) return "nothing"
  if (value instanceof Date) return "a date"
  switch (typeof value) {
    case "string":
      return "a text"
    case "number":
      return "a number"
    case "bigint":
      return "a number"
    case "object":
      return "a table"
    default:
      return `a ${typeof value}`
  }
}

/** Describes a value of the wrong kind. */
export const describeValue = (value: unknown, secret: boolean): string => {
  if (secret) return kindOf(value)
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value)
  if (typeof value !== "string") return kindOf(value)
  return JSON.stringify(value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value)
}

const accepts = (schema: Schema.Top, value: unknown): boolean =>
  Result.isSuccess(Schema.decodeUnknownResult(schema as Schema.Codec<unknown>, { onExcessProperty: "error" })(value))

/** Describes the invalid members of a list, each with its position. Returns `undefined` if the list itself is invalid. */
const badMembers = ({ facts: { member, secret } }: CatalogueKey, value: unknown): string | undefined => {
  if (member === undefined || !Array.isArray(value)) return undefined
  const bad = value.flatMap((each, at) =>
    accepts(member.schema, each) ? [] : [`${describeValue(each, secret === true)} as member ${at + 1}`]
  )
  return bad.length === 0 ? undefined : bad.join(" and ")
}

/** Returns the word of a choice that a value most likely means. */
const meantBy = ({ meant = {}, words }: KeyShape<Schema.Top>, value: unknown): string | undefined => {
  if (words === undefined || typeof value !== "string") return undefined
  const written = value.trim().toLowerCase()
  return Object.hasOwn(meant, written)
    ? meant[written]
    : nearest(written.replaceAll(/[-_\s]/g, ""), words) ?? nearest(written, words)
}

/** Suggests the nearest word of a choice, or of one for the members of a list. */
const hint = ({ facts: { secret, shape } }: CatalogueKey, value: unknown): string => {
  if (secret === true) return ""
  const inner = shape.member ?? shape.named
  const near = inner !== undefined && typeof value === "object" && value !== null
    ? meantBy(inner, Object.values(value).find((each) => !accepts(inner.schema, each)))
    : meantBy(inner ?? shape, value)
  return near === undefined ? "" : `; did you mean "${near}"?`
}

/** Checks the value of a key. Fails with a description of the expected value. */
export const judgeValue = (key: CatalogueKey, value: unknown): Result.Result<unknown, string> => {
  const decoded = Schema.decodeUnknownResult(key.schema, { onExcessProperty: "error" })(value)
  if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
  return Result.fail(
    `expected ${key.facts.expects}, found ${
      badMembers(key, value) ?? describeValue(value, key.facts.secret === true)
    }` +
      hint(key, value)
  )
}

/** Checks the text of an option or a variable in the same way. */
export const judgeText = (key: CatalogueKey, text: string): Result.Result<unknown, string> => {
  const value = key.facts.fromText(text)
  return Result.mapError(
    judgeValue(key, value),
    () =>
      `expected ${key.facts.expects}, found ${
        badMembers(key, value) ?? describeValue(text, key.facts.secret === true)
      }` +
      hint(key, value)
  )
}
