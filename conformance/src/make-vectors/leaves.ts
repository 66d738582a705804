import { join, sized, tagged } from "./bytes.ts"
import { tweakedKey } from "./curve.ts"

/** Leaf version of tapscript. */
export const TAPSCRIPT = 0xc0

/** The hash of a leaf. */
export const leafHash = (script: Uint8Array, version = TAPSCRIPT): Uint8Array =>
  tagged("TapLeaf", Uint8Array.of(version), sized(script))

const branchHash = (a: Uint8Array, b: Uint8Array): Uint8Array =>
  Buffer.compare(a, b) < 0 ? tagged("TapBranch", a, b) : tagged("TapBranch", b, a)

/** A leaf in its tree: the output key, and the control block that reveals the leaf. */
export const revealed = (
  secret: bigint,
  script: Uint8Array,
  path: ReadonlyArray<Uint8Array> = [],
  version = TAPSCRIPT
) => {
  const root = path.reduce(branchHash, leafHash(script, version))
  const { internal, parity, xOnly } = tweakedKey(secret, root)
  return { outputKey: xOnly, control: join(Uint8Array.of(version + parity), internal, ...path) }
}
