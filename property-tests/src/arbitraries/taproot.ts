import fc, { type Arbitrary } from "fast-check"
import { join } from "../oracles/byte-string.ts"
import { tapBranchHash, tapLeafHash } from "../oracles/taproot.ts"
import { bytesOf } from "./bytes.ts"
import { keyPair } from "./key.ts"
import { anyScript } from "./script.ts"
import { keyPairOfSecret, tweakedSecret } from "./signer.ts"

/** An output with one of its leaves and the control block that reveals it. */
export interface RevealedLeaf {
  readonly program: Uint8Array
  readonly control: Uint8Array
  readonly root: Uint8Array
  readonly leafVersion: number
  readonly script: Uint8Array
}

export const leafVersion: Arbitrary<number> = fc.oneof(
  fc.constantFrom(0xc0, 0xc2, 0x00, 0x50, 0x66, 0xfe),
  fc.nat(127).map((n) => 2 * n)
)

export const treePath: Arbitrary<ReadonlyArray<Uint8Array>> = fc.oneof(
  fc.array(bytesOf(32), { maxLength: 4 }),
  fc.constant(Array.from({ length: 128 }, (_, i) => new Uint8Array(32).fill(i)))
)

export const revealedLeaf: Arbitrary<RevealedLeaf> = fc
  .tuple(keyPair, leafVersion, anyScript, treePath)
  .map(([pair, version, script, path]) => {
    const root = path.reduce(tapBranchHash, tapLeafHash(version, script))
    const output = keyPairOfSecret(tweakedSecret(pair, root))
    const control = join([version + Number(output.point.y % 2n)], pair.xOnly, ...path)
    return { program: output.xOnly, control, root, leafVersion: version, script }
  })
