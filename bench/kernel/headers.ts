import type { AvailableProvider } from "../../crypto/src/index.ts"
import { checkHeader } from "../../kernel/src/header/check-header.ts"
import { childOf, type HeaderNode } from "../../kernel/src/chain/header-node.ts"
import { blockHash } from "../../kernel/src/model/identity.ts"
import { decodeHeader, type Header } from "../../kernel/src/model/header.ts"
import { proofOfWork } from "../../kernel/src/work/proof-of-work.ts"
import { requiredBits } from "../../kernel/src/header/required-work.ts"
import { networkCalled } from "../../protocol/src/index.ts"
import { type Effort, median, race, ratio, type Timing } from "../measure.ts"
import type { Row } from "../row.ts"

export const HEADERS = "header accepted, hashing left out"

/** More than two difficulty periods. */
const COUNT = 5_000
const SPACING = 600

const serialized = (parent: HeaderNode, time: number, bits: number): Header => {
  const bytes = new Uint8Array(80)
  const view = new DataView(bytes.buffer)
  view.setInt32(0, 0x20000000, true)
  bytes.set(parent.hash, 4)
  view.setUint32(68, time, true)
  view.setUint32(72, bits, true)
  const verdict = decodeHeader(bytes)
  if (verdict._tag === "Failure") throw new Error("80 bytes are no header")
  return verdict.success
}

/** How many headers a second are checked on top of their parents and added to the tree, against hashing them. */
export const headerRows = ({ crypto, name }: AvailableProvider, effort: Effort): ReadonlyArray<Row> => {
  const { genesisBlock, parameters } = networkCalled("mainnet")!
  const first = decodeHeader(genesisBlock.subarray(0, 80))
  if (first._tag === "Failure") throw new Error("the genesis block has no header")
  const genesis = childOf(undefined, first.success, blockHash(first.success, crypto))
  // A limit that any hash meets: what is measured is looking, not finding.
  const easy = { ...parameters, work: { ...parameters.work, powLimit: (1n << 224n) - 1n } }
  const headers: Array<{ readonly header: Header; readonly hash: Uint8Array }> = []
  let tip = genesis
  for (let i = 0; i < COUNT; i++) {
    const time = tip.header.time + SPACING
    const header = serialized(tip, time, requiredBits(tip, time, easy.work))
    const hash = blockHash(header, crypto)
    headers.push({ header, hash })
    tip = childOf(tip, header, hash)
  }
  const now = tip.header.time
  const heights = { ...parameters.heights, bip34: COUNT, bip65: COUNT, bip66: COUNT }
  const [hashing, accepting] = race([
    () => headers.map(({ header }) => blockHash(header, crypto)),
    () => {
      let parent = genesis
      for (const { hash, header } of headers) {
        proofOfWork(hash, header.bits, easy.work.powLimit)
        checkHeader(header, parent, now, { ...easy, heights })
        parent = childOf(parent, header, hash)
      }
      return parent
    }
  ], effort) as [Timing, Timing]
  return [{
    name: HEADERS,
    provider: name,
    value: COUNT / median(accepting),
    unit: "/s",
    ratio: ratio(accepting, hashing),
    to: "hashing"
  }]
}
