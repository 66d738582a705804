import type { Network } from "@lockstep/protocol/networks/network.ts"
import { HDKey } from "@scure/bip32"
import * as Result from "effect/Result"
import { bytesOfDigits, hexOf } from "@lockstep/protocol/hex.ts"
import type { DescriptorKey } from "./descriptor-key.ts"
import { fingerprintText, type DescriptorOrigin, originText } from "./key-origin.ts"
import { HARDENED, keyPathsOf, pathText } from "./key-path.ts"
import { childKeyOf, extendedKeyOf, isHybridKey, isPublicKey, secretKeyOf } from "./key-text.ts"
import { musigKeysOf } from "./musig-key.ts"

/** State shared by the keys of one descriptor. */
export interface KeyContext {
  readonly network: Network
  /** Private keys written anywhere in the descriptor, by the hex of their compressed public keys. */
  readonly secrets: Map<string, Uint8Array>
  /** Number of participants of all `musig` expressions read so far. */
  readonly musig: { participants: number }
}

/**
 * Maximum number of participants of one descriptor; no such limit of Bitcoin Core is known. Here keys are aggregated in
 * JavaScript in one step, during which the node can do nothing else (docs/decisions/0009).
 */
const MOST_PARTICIPANTS = 1_000

/** Context of an expression, which decides what it may contain. */
export type KeyPlace = "top" | "sh" | "wpkh" | "wsh" | "tr" | "musig"

const constantKey = (
  bytes: Uint8Array,
  secret: Uint8Array | undefined,
  isXOnly: boolean,
  origin: DescriptorOrigin | undefined,
  mark: "'" | "h" | undefined
): DescriptorKey => {
  const shown = hexOf(isXOnly ? bytes.subarray(1) : bytes)
  const derived = { bytes, secret, origin: originText(origin ?? { fingerprint: fingerprintText(bytes), path: [] }) }
  return {
    text: origin === undefined ? shown : `${originText(origin, mark)}${shown}`,
    isRanged: false,
    isPrivate: secret !== undefined,
    isExtended: false,
    isHardened: false,
    size: isXOnly ? 32 : bytes.length,
    at: () => derived
  }
}

const isDerivable = (key: HDKey, child: number): boolean => key.privateKey !== null || child < HARDENED

const childOf = (key: HDKey | undefined, child: number): HDKey | undefined =>
  key === undefined || !isDerivable(key, child) ? undefined : childKeyOf(key, child)

/** Returns the key with its private key, if another part of the descriptor has that. */
const withSecret = (root: HDKey, secrets: KeyContext["secrets"]): HDKey => {
  const secret = root.privateKey === null ? secrets.get(hexOf(root.publicKey!)) : undefined
  const { chainCode, depth, index, parentFingerprint, versions } = root
  if (secret === undefined || chainCode === null) return root
  return new HDKey({ privateKey: secret, chainCode, depth, index, parentFingerprint, versions })
}

interface Extended {
  readonly root: HDKey
  readonly path: ReadonlyArray<number>
  /** Trailing wildcard, or the empty text without one. */
  readonly range: "" | "/*" | "/*h" | "/*'"
}

const extendedKey = (
  { path, range, root }: Extended,
  origin: DescriptorOrigin | undefined,
  mark: "'" | "h" | undefined,
  secrets: KeyContext["secrets"]
): DescriptorKey => {
  let parent: HDKey | undefined
  const fingerprint = root.fingerprint.toString(16).padStart(8, "0")
  const before: DescriptorOrigin = origin ?? { fingerprint, path: [] }
  const own = `${root.publicExtendedKey}${pathText(path, mark)}${range.replace(/[h']$/, mark ?? "h")}`
  return {
    text: origin === undefined ? own : `${originText(origin, mark)}${own}`,
    isRanged: range !== "",
    isPrivate: root.privateKey !== null,
    isExtended: true,
    isHardened: range === "/*h" || range === "/*'" || path.some((step) => step >= HARDENED),
    size: 33,
    at: (position) => {
      // Only valid after the whole descriptor has been read.
      parent ??= path.reduce(childOf, withSecret(root, secrets) as HDKey | undefined)
      const last = range === "" ? [] : [range === "/*" ? position : position + HARDENED]
      const key = last.reduce(childOf, parent)
      return key === undefined ? undefined : {
        bytes: key.publicKey!,
        secret: key.privateKey ?? undefined,
        origin: originText({ fingerprint: before.fingerprint, path: [...before.path, ...path, ...last] })
      }
    }
  }
}

/** A single key: hexadecimal digits, a private key in the wallet import format, or an extended key. */
type Bare = (
  origin: DescriptorOrigin | undefined,
  mark: "'" | "h" | undefined
) => Result.Result<ReadonlyArray<DescriptorKey>, string>

const UNCOMPRESSED = "Uncompressed keys are not allowed"

const isAllowedAt = (place: KeyPlace, isCompressed: boolean): boolean =>
  isCompressed || place === "top" || place === "sh"

const hexKey = (text: string, data: Uint8Array, place: KeyPlace): Bare => (origin, mark) => {
  if (isHybridKey(data)) return Result.fail("Hybrid public keys are not allowed")
  if (isPublicKey(data)) {
    return isAllowedAt(place, data.length === 33)
      ? Result.succeed([constantKey(data, undefined, false, origin, mark)])
      : Result.fail(UNCOMPRESSED)
  }
  const full = Uint8Array.of(2, ...data)
  return data.length === 32 && place === "tr" && isPublicKey(full)
    ? Result.succeed([constantKey(full, undefined, true, origin, mark)])
    : Result.fail(`Pubkey '${text}' is invalid`)
}

const RANGES: ReadonlySet<string> = new Set(["*", "*h", "*'"])

const extendedKeys = (text: string, steps: Array<string>, { network, secrets }: KeyContext): Bare => (origin, before) =>
  Result.gen(function*() {
    const root = extendedKeyOf(text, network)
    if (root === undefined) return yield* Result.fail(`key '${text}' is not valid`)
    if (root.privateKey !== null) secrets.set(hexOf(root.publicKey!), root.privateKey)
    const last = steps.at(-1)
    const range = last !== undefined && RANGES.has(last) ? `/${steps.pop()}` as Extended["range"] : ""
    const { mark, paths } = yield* keyPathsOf(steps, true)
    const rangeMark = range.at(-1) === "'" ? "'" : range.at(-1) === "h" ? "h" : undefined
    return paths.map((path) => extendedKey({ root, path, range }, origin, mark ?? rangeMark ?? before, secrets))
  })

const bareKey = (text: string, place: KeyPlace, context: KeyContext): Bare => {
  const [key = "", ...steps] = text.split("/")
  if (key === "") return () => Result.fail("No key provided")
  if (/^\s|\s$/.test(key)) return () => Result.fail(`Key '${key}' is invalid due to whitespace`)
  if (steps.length === 0) {
    const data = bytesOfDigits(key)
    if (data !== undefined) return hexKey(key, data, place)
    const secret = secretKeyOf(key, context.network)
    if (secret !== undefined) {
      if (secret.compressed) context.secrets.set(hexOf(secret.publicKey), secret.secret)
      return (origin, mark) =>
        isAllowedAt(place, secret.compressed)
          ? Result.succeed([constantKey(secret.publicKey, secret.secret, place === "tr", origin, mark)])
          : Result.fail(UNCOMPRESSED)
    }
  }
  return extendedKeys(key, steps, context)
}

const FINGERPRINT = /^[0-9a-fA-F]{8}$/

/** Parses the keys of an expression: one, or one for each alternative of a step of its path. */
export const keysOf = (
  text: string,
  place: KeyPlace,
  context: KeyContext
): Result.Result<ReadonlyArray<DescriptorKey>, string> =>
  Result.gen(function*() {
    if (text.startsWith("musig(")) {
      if (place !== "tr") return yield* Result.fail("musig() is only allowed in tr() and rawtr()")
      return yield* musigKeysOf(text, (participant) => {
        context.musig.participants++
        return context.musig.participants > MOST_PARTICIPANTS
          ? Result.fail(`Cannot have more than ${MOST_PARTICIPANTS} participants in one descriptor`)
          : keysOf(participant, "musig", context)
      })
    }
    const parts = text.split("]")
    if (parts.length > 2) return yield* Result.fail("Multiple ']' characters found for a single pubkey")
    const [first = "", second] = parts
    if (second === undefined) return yield* bareKey(first, place, context)(undefined, undefined)
    if (!first.startsWith("[")) {
      return yield* Result.fail(
        `Key origin start '[ character expected but not found, got '${first[0] ?? "]"}' instead`
      )
    }
    const [fingerprint = "", ...steps] = first.slice(1).split("/")
    if (fingerprint.length !== 8) {
      return yield* Result.fail(`Fingerprint is not 4 bytes (${fingerprint.length} characters instead of 8 characters)`)
    }
    if (!FINGERPRINT.test(fingerprint)) return yield* Result.fail(`Fingerprint '${fingerprint}' is not hex`)
    const { mark, paths } = yield* keyPathsOf(steps, false)
    return yield* bareKey(second, place, context)({ fingerprint: fingerprint.toLowerCase(), path: paths[0]! }, mark)
  })
