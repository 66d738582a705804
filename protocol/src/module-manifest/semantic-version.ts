/** A version according to Semantic Versioning 2.0.0. Build metadata has no meaning and is not kept. */
export interface SemanticVersion {
  readonly major: number
  readonly minor: number
  readonly patch: number
  /** The identifiers of a pre-release, in order; empty for a release. */
  readonly prerelease: ReadonlyArray<string>
}

const NUMBER = "(0|[1-9]\\d{0,8})"
const IDENTIFIER = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)"
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`
)

/** Maximum length of a version, so that longer ones need not be compared. */
const MAX_LENGTH = 128

/** Parses a version. Returns `undefined` if the text is invalid. */
export const semanticVersionOf = (text: string): SemanticVersion | undefined => {
  const found = text.length > MAX_LENGTH ? null : VERSION.exec(text)
  if (found === null) return undefined
  const [, major, minor, patch, prerelease] = found
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    prerelease: prerelease === undefined ? [] : prerelease.split(".")
  }
}

const isNumber = (identifier: string): boolean => /^\d+$/.test(identifier)

const compareNumbers = (left: string, right: string): number =>
  left.length - right.length || (left < right ? -1 : left > right ? 1 : 0)

/** Compares two identifiers: numbers precede words; numbers are compared by value, words by their characters. */
const compareIdentifiers = (left: string, right: string): number => {
  const [leftIsNumber, rightIsNumber] = [isNumber(left), isNumber(right)]
  if (leftIsNumber !== rightIsNumber) return leftIsNumber ? -1 : 1
  if (leftIsNumber) return compareNumbers(left, right)
  return left < right ? -1 : left > right ? 1 : 0
}

/**
 * Compares two pre-releases. A pre-release precedes its release; otherwise the first different identifier decides, then
 * the number of them.
 */
const comparePrereleases = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): number => {
  if (left.length === 0 || right.length === 0) return right.length - left.length
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareIdentifiers(left[i]!, right[i]!)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** Compares two versions: negative if `left` precedes `right`, 0 if they have the same precedence. */
export const compareVersions = (left: SemanticVersion, right: SemanticVersion): number =>
  left.major - right.major || left.minor - right.minor || left.patch - right.patch ||
  comparePrereleases(left.prerelease, right.prerelease)
