import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { decodeTransaction } from "@lockstep/kernel/model"
import { decodePsbt } from "@lockstep/protocol/psbt/decode-psbt.ts"
import { encodePsbt } from "@lockstep/protocol/psbt/encode-psbt.ts"
import { mergePsbt } from "@lockstep/protocol/psbt/merge-psbts.ts"
import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import { psbtOf } from "@lockstep/protocol/psbt/unsigned-transaction.ts"
import { ECDH } from "node:crypto"
import { join } from "../../src/oracles/byte-string.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import type { Random } from "../random.ts"
import { difference } from "../run/difference.ts"
import type { Seeds, Target } from "../target.ts"

const isPublicKey = (key: Uint8Array): boolean => {
  try {
    ECDH.convertKey(key, "secp256k1")
    return true
  } catch {
    return false
  }
}

const reading = { crypto: nobleCrypto, isPublicKey }

/** Adds what fields of an input and an output may hold. */
const filled = (psbt: Psbt, random: Random, { keys, scripts }: Seeds): Psbt => {
  for (const input of psbt.inputs) {
    if (random.oneIn(2)) input.redeemScript = random.pick(scripts)
    if (random.oneIn(2)) input.finalWitness = [random.pick(scripts), random.bytes(random.below(70))]
    if (random.oneIn(2)) input.taprootKeySignature = random.bytes(64 + random.below(2))
    const key = random.pick(keys)
    const origin = { fingerprint: random.bytes(4), path: [random.below(2 ** 31)] }
    if (random.oneIn(2)) input.origins.set(String(key), { key, origin })
    const field = { key: join([0x40 + random.below(9)], random.bytes(3)), value: random.bytes(random.below(9)) }
    input.unknown.set(String(field.key), field)
  }
  for (const output of psbt.outputs) {
    if (random.oneIn(2)) output.taprootTree = [{ depth: 0, version: 0xc0, script: random.pick(scripts) }]
    if (random.oneIn(2)) output.witnessScript = random.pick(scripts)
  }
  return psbt
}

/** Any bytes as a partially signed transaction: a fault in words, or one that is written and read as the same. */
export const psbtTarget: Target<{ readonly bytes: Uint8Array }> = {
  name: "psbt",
  about: "partially signed transactions, read, written, read again and combined",
  generate: (random, seeds) => {
    const decoded = decodeTransaction(random.pick(seeds.transactions))
    if (decoded._tag === "Failure") return { bytes: random.bytes(random.below(50)) }
    const { success: tx } = decoded
    const bytes = encodePsbt(filled(psbtOf(tx, random.oneIn(2) ? 0 : 2), random, seeds))
    return { bytes: random.oneIn(4) ? bytes : mutateBytes(bytes, random, random.pick(seeds.transactions)) }
  },
  judge: ({ bytes }) => {
    const first = decodePsbt(bytes, reading)
    if (first._tag === "Failure") return first.failure === "" ? "no words" : undefined
    const written = encodePsbt(first.success)
    const second = decodePsbt(written, reading)
    if (second._tag === "Failure") return `what was written is refused: ${second.failure}`
    const wrong = difference("written again", String(encodePsbt(second.success)), String(written))
    if (wrong !== undefined) return wrong
    const isOne = mergePsbt(first.success, second.success, nobleCrypto)
    return isOne ? difference("combined with itself", String(encodePsbt(first.success)), String(written)) : undefined
  }
}
