import { type Permission, permissionCalled } from "../module-ipc/permissions.ts"
import type { FieldCheck } from "./field-reader.ts"
import type { Threshold } from "./manifest.ts"
import { type NetworkPlace, networkPlaceOf } from "./network-place.ts"
import { type SemanticVersion, semanticVersionOf } from "./semantic-version.ts"

/** Checks the form of a text. */
const textOfForm = (isRight: (text: string) => boolean, mustBe: string): FieldCheck<string> => (value) =>
  typeof value === "string" && isRight(value) ? { value } : { mustBe }

/** Checks the length of a text. */
export const textUpTo = (most: number): FieldCheck<string> =>
  textOfForm((text) => text.length <= most, `a text of at most ${most} characters`)

/** Names that the node uses for itself among dependencies. */
export const NODE_NAMES: ReadonlyArray<string> = ["node", "lockstep"]

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

export const moduleName = textOfForm(
  (text) => NAME.test(text) && !NODE_NAMES.includes(text.toLowerCase()),
  `a name of at most 64 ASCII letters, digits, "-" and "_" that begins with a letter, and not ${
    NODE_NAMES.join(" or ")
  }`
)

/** Reports whether a text may be the name of a dependency: a module's name, or the node's. */
export const isDependencyName = (text: string): boolean => NAME.test(text)

/** Checks the file name of a program: no directory, not hidden. */
export const entryPoint = textOfForm(
  (text) => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(text),
  "a file name of ASCII letters, digits, \".\", \"-\" and \"_\", without a directory"
)

export const httpUrl = textOfForm((text) => /^https?:\/\/[^\s/]+\S*$/.test(text) && text.length <= 2_048, "a URL")

export const versionField: FieldCheck<SemanticVersion> = (value) => {
  const found = typeof value === "string" ? semanticVersionOf(value) : undefined
  return found === undefined ? { mustBe: "a version such as 1.2.3" } : { value: found }
}

export const versions: FieldCheck<ReadonlyArray<SemanticVersion>> = (value) => {
  const found = Array.isArray(value) && value.length <= 64
    ? value.map((each) => typeof each === "string" ? semanticVersionOf(each) : undefined)
    : [undefined]
  return found.every((each) => each !== undefined) ? { value: found } : { mustBe: "a list of versions such as 1.2.3" }
}

const texts = (value: unknown, most: number): ReadonlyArray<string> | undefined =>
  Array.isArray(value) && value.length <= most && value.every((each) => typeof each === "string")
    ? (value as ReadonlyArray<string>)
    : undefined

export const listOfTexts: FieldCheck<ReadonlyArray<string>> = (value) => {
  const found = texts(value, 64)
  return found === undefined ? { mustBe: "a list of texts" } : { value: found }
}

export const capabilities: FieldCheck<ReadonlyArray<Permission>> = (value) => {
  const found = texts(value, 64)
  if (found === undefined) return { mustBe: "a list of permissions" }
  const permissions = found.map(permissionCalled)
  const unknown = found.find((_, i) => permissions[i] === undefined)
  return unknown === undefined
    ? { value: [...new Set(permissions as ReadonlyArray<Permission>)] }
    : { mustBe: `a list of permissions, and ${JSON.stringify(unknown)} is none` }
}

/** Maximum entries of a list of endpoints. */
const MAX_PLACES = 64

/** Checks a list of network endpoints. */
export const networkPlaces: FieldCheck<ReadonlyArray<NetworkPlace>> = (value) => {
  const found = texts(value, MAX_PLACES)
  const places = found?.map(networkPlaceOf)
  return places?.every((place) => place !== undefined) === true
    ? { value: places }
    : { mustBe: `a list of at most ${MAX_PLACES} places such as 127.0.0.1:3333, *:443 or [::1]:8000-8010` }
}

/** RPC methods of the node that a module may override. */
export const OVERRIDABLE_METHODS: ReadonlyArray<string> = ["getdescriptorinfo", "analyzepsbt", "getzmqnotifications"]

export const rpcOverrides: FieldCheck<ReadonlyArray<string>> = (value) => {
  const found = texts(value, OVERRIDABLE_METHODS.length)
  return found?.every((method) => OVERRIDABLE_METHODS.includes(method)) === true && new Set(found).size === found.length
    ? { value: found }
    : { mustBe: `a list of ${OVERRIDABLE_METHODS.join(", ")}` }
}

const MAX_MAINTAINERS = 32

/** Checks `N-of-M`, with 1 ≤ N ≤ M ≤ 32. */
export const threshold: FieldCheck<Threshold> = (value) => {
  const found = typeof value === "string" ? /^([1-9]\d?)-of-([1-9]\d?)$/.exec(value) : null
  const [needed, of] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)]
  return needed >= 1 && needed <= of && of <= MAX_MAINTAINERS
    ? { value: { needed, of } }
    : { mustBe: "a threshold such as 2-of-3" }
}

export const wholeNumberField: FieldCheck<number> = (value) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? { value } : { mustBe: "a whole number" }

const hexBytes = (digits: string): Uint8Array =>
  Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16))

const hexOf = (value: unknown, prefix: string, length: number): Uint8Array | undefined => {
  if (typeof value !== "string" || !value.startsWith(prefix)) return undefined
  const digits = value.slice(prefix.length)
  return digits.length === 2 * length && /^[0-9a-f]*$/i.test(digits) ? hexBytes(digits) : undefined
}

/** Checks bytes written as hexadecimal digits after a prefix. */
export const hex = (prefix: string, length: number, what: string): FieldCheck<Uint8Array> => (value) => {
  const found = hexOf(value, prefix, length)
  return found === undefined ? { mustBe: `${what} of ${2 * length} hexadecimal digits` } : { value: found }
}
