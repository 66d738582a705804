import { type Attempt, attempt } from "../attempt.ts"
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

const PRIVATE_KEY = new Uint8Array(32).fill(0x11)
const ENTROPY = new Uint8Array(32).fill(0x22)

/** Whether a library answers as the reference does, and so is the one that it was taken for. */
const agrees = ({ encodePublicKey, sharedSecret }: EllSwift): boolean => {
  const reference = mappedEllSwift(noblePoints)
  const [ours, theirs] = [reference.encodePublicKey(PRIVATE_KEY, ENTROPY), new Uint8Array(64).fill(0x33)]
  const answer = attempt(() =>
    Buffer.compare(encodePublicKey(PRIVATE_KEY, ENTROPY), ours) === 0 &&
    [true, false].every((isInitiator) =>
      Buffer.compare(
        sharedSecret(PRIVATE_KEY, ours, theirs, isInitiator),
        reference.sharedSecret(PRIVATE_KEY, ours, theirs, isInitiator)
      ) === 0
    )
  )
  return answer.ok && answer.value
}

const ofLibrary = (): Attempt<EllSwiftProvider> => {
  const found = libraryEllSwift()
  return found.ok ? { ok: true, value: { detail: found.value.file, ellSwift: found.value.ellSwift } } : found
}

const ofAddon = (): Attempt<EllSwiftProvider> => {
  const points = addonPoints()
  return points.ok ? { ok: true, value: { detail: "secp256k1", ellSwift: mappedEllSwift(points.value) } } : points
}

/** All that this machine has and that agree with the reference, the fastest first; the reference is the last. */
export const ellSwiftProviders = (): ReadonlyArray<EllSwiftProvider> => [
  ...[ofLibrary(), ofAddon()].flatMap((found) => found.ok && agrees(found.value.ellSwift) ? [found.value] : []),
  { detail: "pure JavaScript", ellSwift: mappedEllSwift(noblePoints) }
]
