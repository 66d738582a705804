import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { MAGIC, wireCrypto } from "../sockets/regtest-wire.ts"
import { hex } from "../company/served-chain.ts"

const HEAD = 8
const HEADER = 80

/**
 * Hashes of the blocks that stand whole in the block files of a data directory, whether a commit speaks of them or not.
 */
export const blocksOnDisk = (directory: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const blocks = join(directory, "regtest", "blocks")
  const names = readdirSync(blocks)
  const key = names.includes("xor.dat") ? readFileSync(join(blocks, "xor.dat")) : Buffer.alloc(HEAD)
  for (const name of names.filter((each) => /^blk\d+\.dat$/.test(each))) {
    const bytes = readFileSync(join(blocks, name))
    for (let i = 0; i < bytes.length; i++) bytes[i]! ^= key[i % key.length]!
    for (let at = 0; at + HEAD + HEADER <= bytes.length && MAGIC.every((byte, i) => bytes[at + i] === byte);) {
      const end = at + HEAD + bytes.readUInt32LE(at + 4)
      if (end > bytes.length) break
      found.add(hex(wireCrypto.sha256d(bytes.subarray(at + HEAD, at + HEAD + HEADER))))
      at = end
    }
  }
  return found
}
