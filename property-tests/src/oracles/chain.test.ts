import { assert, describe, it } from "vitest"
import { agree } from "../agree.ts"
import { fromHex, toHex } from "./byte-string.ts"
import { blockSubsidy } from "./coins.ts"
import { sha256d } from "./hash.ts"
import { type NaiveWorkParameters, readHeader, retargeted, serializeHeader } from "./header.ts"
import { muHash } from "./set-hash.ts"
import { bitsOfTarget, provesWork, targetOfBits, workOfBits } from "./target.ts"

const MAINNET: NaiveWorkParameters = {
  powLimit: 2n ** 224n - 1n,
  targetTimespan: 1_209_600,
  targetSpacing: 600,
  allowMinDifficulty: false,
  noRetargeting: false,
  bip94: false
}

/** The header of block 0 of the main network. */
const GENESIS = fromHex(
  `01000000${"00".repeat(32)}3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c`
)

/** 32 bytes of which the first is `value`. */
const numbered = (value: number): Uint8Array => new Uint8Array(32).map((_, i) => (i === 0 ? value : 0))

describe("the oracles of chains and coins against what is known", () => {
  it("read the genesis header, its target and its work", () => {
    const header = readHeader(GENESIS)
    agree([header.version, header.time, header.bits, header.nonce], [1, 1_231_006_505, 0x1d00ffff, 2_083_236_893])
    agree(serializeHeader(header), GENESIS)
    agree(workOfBits(0x1d00ffff), 0x100010001n)
    assert(provesWork(sha256d(GENESIS), header.bits, MAINNET.powLimit))
    agree(bitsOfTarget(MAINNET.powLimit), 0x1d00ffff)
  })

  it("take the bits that the network's first library took", () => {
    agree([0x01123456, 0x02123456, 0x03123456, 0x04123456].map(targetOfBits), [0x12n, 0x1234n, 0x123456n, 0x12345600n])
    agree([0, 0x00123456, 0x01003456, 0x04923456, 0x01fedcba, 0xff123456].map(targetOfBits), Array(6).fill(undefined))
    agree([0x12n, 0x80n, 0x1234n, 0x92340000n].map(bitsOfTarget), [0x01120000, 0x02008000, 0x02123400, 0x05009234])
  })

  it("retarget as the main network did: blocks 2,016, 32,256, 46,368 and 68,544", () => {
    agree(retargeted(1_231_006_505, 1_233_061_996, 0x1d00ffff, MAINNET), 0x1d00ffff)
    agree(retargeted(1_261_130_161, 1_262_152_739, 0x1d00ffff, MAINNET), 0x1d00d86a)
    agree(retargeted(1_263_163_443, 1_269_211_443, 0x1c387f6f, MAINNET), 0x1d00e1fd)
    agree(retargeted(1_279_008_237, 1_279_297_671, 0x1c05a3f4, MAINNET), 0x1c0168fd)
  })

  it("halve the subsidy at 210,000 and 420,000", () => {
    agree(
      [0, 209_999, 210_000, 420_000, 6_929_999, 6_930_000].map((height) => blockSubsidy(height, 210_000)),
      [5_000_000_000n, 5_000_000_000n, 2_500_000_000n, 1_250_000_000n, 1n, 0n]
    )
  })

  it("hash a multiset as Bitcoin Core's test does", () => {
    agree(
      toHex(muHash([numbered(0), numbered(1)], [numbered(2)]).reverse()),
      "10d312b100cbd32ada024a6646e40d3482fcff103668d2625f10002a607d5863"
    )
  })
})
