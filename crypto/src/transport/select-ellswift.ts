import { type Attempt, attempt } from "../attempt.ts"
import { agreesOnEllSwift } from "../known-answers.ts"
import { addonPoints } from "./addon-points.ts"
import type { EllSwift } from "./ellswift.ts"
import { libraryEllSwift } from "./library-ellswift.ts"
import { mappedEllSwift } from "./mapped-ellswift.ts"
import { noblePoints } from "./noble-points.ts"

/** ElligatorSwift, and what it runs on, in words. */
export interface EllSwiftProvider {
  readonly detail: string
  readonly ellSwift: EllSwift
}

const ofLibrary = (): Attempt<EllSwiftProvider> => {
  const found = libraryEllSwift()
  return found.ok ? { ok: true, value: { detail: found.value.file, ellSwift: found.value.ellSwift } } : found
}

const ofAddon = (): Attempt<EllSwiftProvider> => {
  const points = addonPoints()
  return points.ok ? { ok: true, value: { detail: "secp256k1", ellSwift: mappedEllSwift(points.value) } } : points
}

const REFERENCE: EllSwiftProvider = { detail: "pure JavaScript", ellSwift: mappedEllSwift(noblePoints) }

/** A library can be present under the right name and still be another version, broken or built for something else. */
const checked = (find: () => Attempt<EllSwiftProvider>): ReadonlyArray<EllSwiftProvider> => {
  const found = find()
  if (!found.ok) return []
  const answer = attempt(() => agreesOnEllSwift(found.value.ellSwift))
  return answer.ok && answer.value ? [found.value] : []
}

const LIBRARIES = [ofLibrary, ofAddon]

/** All that this machine has and that agree with the reference, the fastest first; the reference is the last. */
export const ellSwiftProviders = (): ReadonlyArray<EllSwiftProvider> => [...LIBRARIES.flatMap(checked), REFERENCE]

/** The first of them, without loading the others. */
export const fastestEllSwift = (): EllSwiftProvider => {
  for (const find of LIBRARIES) {
    for (const provider of checked(find)) return provider
  }
  return REFERENCE
}
