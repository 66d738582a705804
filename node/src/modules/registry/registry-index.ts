import {
  compareVersions,
  meets,
  type Pin,
  type SemanticVersion,
  semanticVersionOf
} from "@lockstep/protocol/module-manifest/index.ts"
import * as Result from "effect/Result"

/** A module that a registry offers. */
export interface OfferedModule {
  readonly name: string
  readonly version: SemanticVersion
  readonly versionText: string
  /** Path of its files relative to the index, with a slash at the end. */
  readonly path: string
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** A path below the index, without `..`. */
const PATH = /^(?:[A-Za-z0-9_][A-Za-z0-9_.+-]*\/)+$/

const offeredIn = (entry: unknown): OfferedModule | undefined => {
  const { name, path, platform, version } = (entry ?? {}) as Readonly<Record<string, unknown>>
  const parsed = typeof version === "string" ? semanticVersionOf(version) : undefined
  if (typeof name !== "string" || !NAME.test(name) || parsed === undefined) return undefined
  if (typeof path !== "string" || !PATH.test(path)) return undefined
  const isOurs = platform === undefined || platform === `${process.platform}-${process.arch}`
  return isOurs ? { name, version: parsed, versionText: String(version), path } : undefined
}

/**
 * Parses the offers of an index that this machine can use. Entries in another form belong to other versions of the
 * index.
 */
export const offersIn = (index: Uint8Array): Result.Result<ReadonlyArray<OfferedModule>, string> => {
  try {
    const { modules } = JSON.parse(Buffer.from(index).toString("utf8")) as { readonly modules?: unknown }
    if (!Array.isArray(modules)) return Result.fail("the index has no list of modules")
    return Result.succeed(modules.flatMap((entry) => offeredIn(entry) ?? []))
  } catch {
    return Result.fail("the index is not JSON")
  }
}

/** Returns the newest offer that a pin allows. */
export const newestOffer = (
  offers: ReadonlyArray<OfferedModule>,
  name: string,
  { requirement }: Pin
): OfferedModule | undefined =>
  offers.filter((offer) => offer.name === name && meets(offer.version, requirement))
    .toSorted((left, right) => compareVersions(right.version, left.version))[0]
