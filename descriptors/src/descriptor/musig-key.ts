import type { HDKey } from "@scure/bip32"
import * as Result from "effect/Result"
import { aggregateKey, aggregateRoot } from "./aggregate-key.ts"
import { argumentsOf, takeText, takeExpression } from "./expression-text.ts"
import type { DerivedKey, DescriptorKey } from "./descriptor-key.ts"
import { HARDENED, keyPathsOf, pathText } from "./key-path.ts"
import { fingerprintText, originText } from "./key-origin.ts"
import { childKeyOf } from "./key-text.ts"

type Keys = ReadonlyArray<DescriptorKey>

/** Derivation from the aggregate key: a path, and one child per position if ranged. */
interface Derivation {
  readonly path: ReadonlyArray<number>
  readonly isRanged: boolean
}

type Musig = NonNullable<DerivedKey["musig"]>

/**
 * Derives the participants at a position and their aggregate key. Returns `undefined` if one of them needs an unknown
 * private key.
 */
const aggregateAt = (participants: Keys, position: number): Musig | undefined => {
  const keys: Array<DerivedKey> = []
  for (const participant of participants) {
    const key = participant.at(position)
    if (key === undefined) return undefined
    keys.push(key)
  }
  const aggregate = aggregateKey(keys.map(({ bytes }) => bytes))
  return aggregate && { aggregate, participants: keys }
}

const musigKey = (participants: Keys, { isRanged, path }: Derivation): DescriptorKey => {
  const hasRangedParticipants = participants.some((participant) => participant.isRanged)
  const isDerived = isRanged || path.length > 0
  let constant: Musig | undefined
  const musigAt = (position: number): Musig | undefined =>
    hasRangedParticipants ? aggregateAt(participants, position) : constant ??= aggregateAt(participants, 0)
  return {
    text: `musig(${participants.map(({ text }) => text).join(",")})${pathText(path)}${isRanged ? "/*" : ""}`,
    isRanged: isRanged || hasRangedParticipants,
    isPrivate: participants.some(({ isPrivate }) => isPrivate),
    isExtended: participants.every(({ isExtended }) => isExtended),
    isHardened: participants.some(({ isHardened }) => isHardened),
    size: 32,
    at: (position) => {
      const musig = musigAt(position)
      if (musig === undefined) return undefined
      const { aggregate: bytes } = musig
      if (!isDerived) {
        return {
          bytes,
          secret: undefined,
          musig,
          origin: originText({ fingerprint: fingerprintText(bytes), path: [] })
        }
      }
      const steps = isRanged ? [...path, position] : path
      const child = steps.reduce((key: HDKey | undefined, step) => key && childKeyOf(key, step), aggregateRoot(bytes))
      const origin = originText({ fingerprint: fingerprintText(bytes), path: steps })
      return child && { bytes: child.publicKey!, secret: undefined, origin, musig }
    }
  }
}

const participantsOf = (
  inside: string,
  readKeys: (text: string) => Result.Result<Keys, string>
): Result.Result<ReadonlyArray<Keys>, string> =>
  Result.gen(function*() {
    const rest = { text: inside }
    const all: Array<Keys> = []
    while (rest.text !== "") {
      if (all.length > 0 && !takeText(",", rest)) {
        return yield* Result.fail(`musig(): expected ',', got '${rest.text[0]}'`)
      }
      all.push(yield* Result.mapError(readKeys(takeExpression(rest)), (problem) => `musig(): ${problem}`))
    }
    return all.length > 0 ? all : yield* Result.fail("musig(): Must contain key expressions")
  })

const derivationsOf = (
  text: string,
  participants: ReadonlyArray<Keys>
): Result.Result<ReadonlyArray<Derivation>, string> =>
  Result.gen(function*() {
    // As in Bitcoin Core, text after the bracket that does not begin with a slash is ignored.
    if (!text.startsWith("/")) return [{ path: [], isRanged: false }]
    if (!participants.every(([first]) => first!.isExtended)) {
      return yield* Result.fail("musig(): derivation requires all participants to be xpubs or xprvs")
    }
    if (participants.some(([first]) => first!.isRanged)) {
      return yield* Result.fail("musig(): Cannot have ranged participant keys if musig() also has derivation")
    }
    const steps = text.split("/").slice(1)
    const last = steps.at(-1)
    if (last === "*h" || last === "*'") return yield* Result.fail("musig(): Cannot have hardened child derivation")
    const isRanged = last === "*"
    const { paths } = yield* Result.mapError(keyPathsOf(isRanged ? steps.slice(0, -1) : steps, true), (problem) =>
      `musig(): ${problem}`)
    if (
      paths.some((path) =>
        path.some((step) => step >= HARDENED)
      )
    ) {
      return yield* Result.fail("musig(): cannot have hardened derivation steps")
    }
    return paths.map((path) => ({ path, isRanged }))
  })

/** Parses the keys of a `musig` expression (BIP390). `readKeys` parses a participant. */
export const musigKeysOf = (
  text: string,
  readKeys: (text: string) => Result.Result<Keys, string>
): Result.Result<Keys, string> =>
  Result.gen(function*() {
    const end = text.indexOf(")") + 1
    if (text.includes(")", end)) return yield* Result.fail("Too many ')' in musig() expression")
    const inside = argumentsOf("musig", text.slice(0, end))
    if (inside === undefined) return yield* Result.fail("Invalid musig() expression")
    const participants = yield* participantsOf(inside, readKeys)
    const derivations = yield* derivationsOf(text.slice(end), participants)
    const most = Math.max(...participants.map(({ length }) => length))
    if (most > 1 && derivations.length > 1) {
      return yield* Result.fail("musig(): Cannot have multipath participant keys if musig() is also multipath")
    }
    if (participants.some(({ length }) => length !== 1 && length !== most)) {
      return yield* Result.fail("musig(): Multipath derivation paths have mismatched lengths")
    }
    return Array.from({ length: Math.max(most, derivations.length) }, (_, i) =>
      musigKey(
        participants.map((each) => each[each.length === 1 ? 0 : i]!),
        derivations[derivations.length === 1 ? 0 : i]!
      ))
  })
