import type { Crypto } from "@lockstep/kernel/crypto"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { musigKey } from "@lockstep/protocol/psbt/sort-keys.ts"
import { participantsFor } from "../sign/known-participants.ts"
import { jointKeyOf, type MusigPurpose } from "../sign/joint-key.ts"
import type { SignatureData } from "../sign/signature-data.ts"

/** One participant of a joint key, and whether its parts are available. */
export interface Participant {
  readonly key: Uint8Array
  readonly hasNonce: boolean
  readonly hasSigned: boolean
}

/** Returns the participants of a joint key, or `undefined` if it is not known to be one. */
export const participantsOf = (
  x: Uint8Array,
  purpose: MusigPurpose,
  known: { readonly data: SignatureData; readonly crypto: Crypto }
): ReadonlyArray<Participant> | undefined => {
  const { musigNonces, musigPartialSignatures, musigParticipants, taprootKeys } = known.data
  const origin = taprootKeys.get(hexOf(x))?.origin
  for (const each of participantsFor(x, origin, musigParticipants, known.crypto)) {
    const joint = jointKeyOf(x, each, purpose, known)
    if (joint === undefined) continue
    return joint.participants.map((key) => {
      const place = musigKey(joint.bytes, joint.leafHash, key)
      return { key, hasNonce: musigNonces.has(place), hasSigned: musigPartialSignatures.has(place) }
    })
  }
  return undefined
}
