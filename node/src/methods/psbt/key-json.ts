import type { KeptFields, MusigParticipants, OriginatedKey, Sorted, TaprootKey } from "@lockstep/protocol/psbt/psbt.ts"
import { inOrder } from "@lockstep/protocol/psbt/sort-keys.ts"
import * as Schema from "effect/Schema"
import { pathText } from "@lockstep/descriptors/descriptor/key-path.ts"
import { hexOf } from "../../hex.ts"
import { asmOf } from "@lockstep/descriptors/script-text/asm.ts"
import { scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import { described, Hex } from "../../answers/result-schema.ts"

/** A script that an output commits to by hash. */
export const InnerScript = Schema.Struct({
  asm: described(Schema.String, "The script in words"),
  hex: described(Hex, "The bytes of the script"),
  type: described(Schema.String, "The form of the script")
})

/** A key with its origin. */
export const Derivation = Schema.Struct({
  pubkey: described(Schema.String, "The public key"),
  master_fingerprint: described(Schema.String, "The fingerprint of the master key"),
  path: described(Schema.String, "The path from the master key")
})

/** A taproot key with its origin. */
export const TaprootDerivation = Schema.Struct({
  pubkey: described(Schema.String, "The x-only public key"),
  master_fingerprint: described(Schema.String, "The fingerprint of the master key"),
  path: described(Schema.String, "The path from the master key"),
  leaf_hashes: described(Schema.Array(Hex), "The hashes of the leaves the key is in")
})

/** An aggregate key with its participants. */
export const Participants = Schema.Struct({
  aggregate_pubkey: described(Hex, "The aggregate key"),
  participant_pubkeys: described(Schema.Array(Hex), "The keys that it is made of")
})

/** A proprietary field. */
export const Proprietary = Schema.Struct({
  identifier: described(Hex, "Whose field it is"),
  subtype: described(Schema.Number, "The type it has there"),
  key: described(Hex, "The whole key"),
  value: described(Hex, "The value")
})

/** Values by key, both in hexadecimal digits. */
export const HexByHex = Schema.Record(Schema.String, Hex)

/** Returns a list, or `undefined` if it is empty, so that answers omit it. */
export const some = <A extends ReadonlyArray<unknown>>(items: A): A | undefined =>
  items.length === 0 ? undefined : items

export const innerScriptJson = (script: Uint8Array | undefined): typeof InnerScript.Type | undefined =>
  script && { asm: asmOf(script), hex: hexOf(script), type: scriptKind(script).type }

/** Returns a derivation path as text. */
export const pathJson = (path: ReadonlyArray<number>): string => `m${pathText(path, "h")}`

export const derivationsJson = (origins: Sorted<OriginatedKey>): ReadonlyArray<typeof Derivation.Type> | undefined =>
  some(
    inOrder(origins).map(({ key, origin }) => ({
      pubkey: hexOf(key),
      master_fingerprint: hexOf(origin.fingerprint),
      path: pathJson(origin.path)
    }))
  )

export const taprootDerivationsJson = (
  origins: Sorted<TaprootKey>
): ReadonlyArray<typeof TaprootDerivation.Type> | undefined =>
  some(
    inOrder(origins).map(({ key, leafHashes, origin }) => ({
      pubkey: hexOf(key),
      master_fingerprint: hexOf(origin.fingerprint),
      path: pathJson(origin.path),
      leaf_hashes: leafHashes.map(hexOf)
    }))
  )

export const participantsJson = (
  all: Sorted<MusigParticipants>
): ReadonlyArray<typeof Participants.Type> | undefined =>
  some(
    inOrder(all).map(({ aggregate, participants }) => ({
      aggregate_pubkey: hexOf(aggregate),
      participant_pubkeys: participants.map(hexOf)
    }))
  )

export const proprietaryJson = ({ proprietary }: KeptFields): ReadonlyArray<typeof Proprietary.Type> =>
  inOrder(proprietary).map(({ identifier, key, subtype, value }) => ({
    identifier: hexOf(identifier),
    subtype,
    key: hexOf(key),
    value: hexOf(value)
  }))

export const unknownJson = ({ unknown }: KeptFields): typeof HexByHex.Type =>
  Object.fromEntries(inOrder(unknown).map(({ key, value }) => [hexOf(key), hexOf(value)]))
