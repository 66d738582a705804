import { createHash } from "node:crypto"
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs"
import { join } from "node:path"
import { UsageError } from "../../conformance/src/cli/usage-error.ts"

/** The chain that the import is measured with, and what Bitcoin Core says of it. */
export const BENCH_CHAIN = {
  sha256: "4d330bade306548cf64a9f4956e07027e0e9fd61ad14061571926c450a7612eb",
  height: 503,
  tip: "35fc41396d676394f4ea8bde817eaaa9d84d1ed4a6e15b6ae203c1229a90ddea",
  /** Each of them has one signature. */
  inputs: 260_305,
  muhash: "a32d0b29fd14e564dc5c3c35c3dd30a0a15c017675e264132953518eefef36bc",
  hashSerialized: "e308a69531c0cdc1bafbc57115ec624216617f58d63ba947a3de7b0b0311c2cd"
} as const

const HOW =
  "It is made in a few seconds by gen_chain.py, which comes with the project's shared bench files and needs libsecp256k1 " +
  "(Debian: libsecp256k1-1): python3 gen_chain.py DIR, then pnpm bench node --chain DIR or LOCKSTEP_BENCH_CHAIN=DIR."

/** The file of blocks in `directory`; says what to do when it is not there or not the one. */
export const benchChainFile = (directory: string | undefined): string => {
  if (directory === undefined) {
    throw new UsageError(`The node bench imports a chain of signed blocks, which is not part of the repository. ${HOW}`)
  }
  const file = join(directory, "blocks.dat")
  if (!existsSync(file)) throw new UsageError(`There is no ${file}. ${HOW}`)
  const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex")
  if (sha256 !== BENCH_CHAIN.sha256) {
    throw new UsageError(`${file} is another chain than the one that is measured. ${HOW}`)
  }
  return file
}

/** Magic and length in front of each block. */
const FRAME = 8
const HEADER = 80

/** The blocks of a file in which each comes behind its frame. */
export const blocksOf = function*(file: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  for (let at = 0; at < file.length;) {
    const end = at + FRAME + view.getUint32(at + 4, true)
    yield file.subarray(at + FRAME, end)
    at = end
  }
}

/** The headers of the blocks in such a file, without reading the rest into memory. */
export const headersOf = function*(path: string): Generator<Uint8Array> {
  const file = openSync(path, "r")
  try {
    const { size } = fstatSync(file)
    for (let at = 0; at < size;) {
      const head = Buffer.alloc(FRAME + HEADER)
      readSync(file, head, 0, head.length, at)
      yield new Uint8Array(head.subarray(FRAME))
      at += FRAME + head.readUInt32LE(4)
    }
  } finally {
    closeSync(file)
  }
}
