import { annexOf } from "@lockstep/kernel/internal/taproot/annex.ts"
import {
  controlBlockSize,
  outputCommitsToLeaf,
  tapLeafHash,
  taprootMerkleRoot
} from "@lockstep/kernel/internal/taproot/control-block.ts"
import { scanForSuccess } from "@lockstep/kernel/internal/taproot/success.ts"
import { bigEndian, fromBigEndian, join } from "../../src/oracles/byte-string.ts"
import { BASE, liftX, multiple, sum } from "../../src/oracles/curve.ts"
import { taggedHash } from "../../src/oracles/hash.ts"
import * as oracle from "../../src/oracles/taproot.ts"
import * as witness from "../../src/oracles/witness.ts"
import { KEY_PAIRS } from "../../src/arbitraries/signer.ts"
import { outcomeName } from "../../src/subject/kernel.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import { mutateScript } from "../mutate/script.ts"
import { difference } from "../run/difference.ts"
import type { Random } from "../random.ts"
import type { Seeds, Target } from "../target.ts"

interface Reveal {
  readonly program: Uint8Array
  readonly script: Uint8Array
  readonly control: Uint8Array
  readonly annex: Uint8Array
}

/** A leaf that its output commits to; one in two gets a part damaged. */
const generate = (random: Random, { scripts }: Seeds): Reveal => {
  const script = mutateScript(random.pick(scripts), random, random.pick(scripts))
  const internal = random.oneIn(4) ? random.bytes(32) : random.pick(KEY_PAIRS).xOnly
  const path = Array.from(
    { length: random.oneIn(20) ? 127 + random.below(3) : random.below(4) },
    () => random.bytes(32)
  )
  const leafVersion = random.oneIn(2) ? 0xc0 : random.below(128) * 2
  const root = path.reduce(oracle.tapBranchHash, oracle.tapLeafHash(leafVersion, script))
  const tweak = fromBigEndian(taggedHash("TapTweak", internal, root))
  const output = sum(liftX(fromBigEndian(internal), 0n), multiple(tweak, BASE))
  const control = join([leafVersion + Number((output?.y ?? 0n) % 2n)], internal, ...path)
  const program = bigEndian(output?.x ?? 0n, 32)
  const annex = join(random.oneIn(2) ? [0x50] : [], random.bytes(random.below(4)))
  const damaged = random.below(6)
  return {
    program: damaged === 0 ? join(random.bytes(1), program.subarray(1)) : program,
    script: damaged === 1 ? mutateScript(script, random) : script,
    control: damaged === 2 ? mutateBytes(control, random) : control,
    annex
  }
}

/** A revealed leaf: sizes, hashes, commitment by every provider, annex and success scan. */
export const taprootTarget: Target<Reveal> = {
  name: "taproot",
  about: "control blocks, leaves and commitments, on every crypto provider",
  generate,
  isInput: ({ program }) => program.length === 32,
  judge: ({ program, script, control, annex }, providers) => {
    const { crypto } = providers[0]!
    const items = [script, control, annex]
    const scanned = scanForSuccess(script)
    const wrong = difference("control size", controlBlockSize(control) === 0, oracle.isControlSize(control.length)) ??
      difference("annex", annexOf(items), witness.annexOf(items)) ??
      difference("success scan", outcomeName(scanned), witness.scanForSuccess(script))
    if (wrong !== undefined || !oracle.isControlSize(control.length)) return wrong
    const leafVersion = control[0]! & 0xfe
    const leafHash = oracle.tapLeafHash(leafVersion, script)
    const root = oracle.rootOfPath(control, leafHash)
    const hashes = difference("leaf hash", tapLeafHash(leafVersion, script, crypto), leafHash) ??
      difference("merkle root", taprootMerkleRoot(control, leafHash, crypto), root)
    if (hashes !== undefined) return hashes
    const expected = oracle.commits(program, control, root)
    for (const provider of providers) {
      const disagreement = difference(
        `commitment by ${provider.name}`,
        outputCommitsToLeaf(program, control, root, provider.crypto) === 0,
        expected
      )
      if (disagreement !== undefined) return disagreement
    }
    return undefined
  }
}
