import { compareVersions, type SemanticVersion, semanticVersionOf } from "./semantic-version.ts"

/** One condition: from `least` on, below `below`; either may be missing. */
interface Range {
  readonly least: SemanticVersion | undefined
  readonly below: SemanticVersion | undefined
  /** True if `least` itself is excluded, or `below` itself is included. */
  readonly excludesLeast?: boolean
  readonly includesBelow?: boolean
}

/** Conditions that must hold together. */
export type VersionRequirement = ReadonlyArray<Range>

const release = (major: number, minor: number, patch: number): SemanticVersion => ({
  major,
  minor,
  patch,
  prerelease: []
})

/** Returns the end of a `^` range: the next version after increasing the leftmost number that is not zero. */
const caretEnd = ({ major, minor, patch }: SemanticVersion): SemanticVersion =>
  major > 0 ? release(major + 1, 0, 0) : minor > 0 ? release(0, minor + 1, 0) : release(0, 0, patch + 1)

const comparatorRange = (operator: string, version: SemanticVersion): Range => {
  switch (operator) {
    case ">=":
      return { least: version, below: undefined }
    case ">":
      return { least: version, below: undefined, excludesLeast: true }
    case "<":
      return { least: undefined, below: version }
    case "<=":
      return { least: undefined, below: version, includesBelow: true }
    case "^":
      return { least: version, below: caretEnd(version) }
    case "~":
      return { least: version, below: release(version.major, version.minor + 1, 0) }
    default:
      return { least: version, below: version, includesBelow: true }
  }
}

const WILDCARD = /^(?:\*|(0|[1-9]\d{0,8})\.(?:\*|(0|[1-9]\d{0,8})\.\*))$/
const COMPARATOR = /^(>=|<=|>|<|\^|~|=)?\s*(\S+)$/

const wildcardRange = (major: string | undefined, minor: string | undefined): Range => {
  if (major === undefined) return { least: undefined, below: undefined }
  const least = release(Number(major), Number(minor ?? 0), 0)
  return {
    least,
    below: minor === undefined ? release(least.major + 1, 0, 0) : release(least.major, least.minor + 1, 0)
  }
}

const rangeOf = (text: string): Range | undefined => {
  const wildcard = WILDCARD.exec(text)
  if (wildcard !== null) return wildcardRange(wildcard[1], wildcard[2])
  const comparator = COMPARATOR.exec(text)
  const version = semanticVersionOf(comparator?.[2] ?? "")
  return version === undefined ? undefined : comparatorRange(comparator![1] ?? "=", version)
}

/** Maximum number of conditions in one requirement. */
const MAX_CONDITIONS = 16

/**
 * Parses a requirement: conditions, separated by commas, such as `>=1.0.0, <2.0.0`, `^1.2.0`, `~1.2.0`, `0.1.*` or
 * `1.2.3`, which is that version alone. Returns `undefined` if the text is invalid.
 */
export const versionRequirementOf = (text: string): VersionRequirement | undefined => {
  const parts = text.split(",").map((part) => part.trim())
  if (parts.length > MAX_CONDITIONS) return undefined
  const ranges = parts.map(rangeOf)
  return ranges.every((range) => range !== undefined) ? ranges : undefined
}

const isWithin = (version: SemanticVersion, { least, below, excludesLeast, includesBelow }: Range): boolean => {
  const above = least === undefined ? 1 : compareVersions(version, least)
  const under = below === undefined ? 1 : compareVersions(below, version)
  return (excludesLeast === true ? above > 0 : above >= 0) && (includesBelow === true ? under >= 0 : under > 0)
}

const namesPrereleaseOf = (version: SemanticVersion, { least, below }: Range): boolean =>
  [least, below].some((bound) =>
    bound !== undefined && bound.prerelease.length > 0 && bound.major === version.major &&
    bound.minor === version.minor && bound.patch === version.patch
  )

/**
 * Reports whether a version meets a requirement. A pre-release does so only if the requirement names a pre-release of
 * the same version: `>=1.0.0` is not met by `2.0.0-alpha`.
 */
export const meets = (version: SemanticVersion, requirement: VersionRequirement): boolean =>
  requirement.every((range) => isWithin(version, range)) &&
  (version.prerelease.length === 0 || requirement.some((range) => namesPrereleaseOf(version, range)))
