import { firstBlock } from "./genesis.ts"
import { bytesOfHex, hashOfDigits, numberOfDigits } from "./hex.ts"
import { knownSnapshot } from "./known-snapshot.ts"
import type { Network } from "./network.ts"
import { workParameters } from "./work.ts"

/** A private network for tests: every other hash is a block, and the subsidy halves every 150. */
export const REGTEST: Network = {
  name: "regtest",
  parameters: {
    genesisHash: hashOfDigits("0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"),
    work: workParameters(numberOfDigits(`7f${"f".repeat(62)}`), {
      targetTimespan: 86_400,
      allowMinDifficulty: true,
      noRetargeting: true
    }),
    heights: { bip34: 1, bip65: 1, bip66: 1, csv: 1, segwit: 0 },
    bip34Hash: undefined,
    scriptFlagExceptions: [],
    repeatedCoinbases: [],
    subsidyHalvingInterval: 150,
    signetChallenge: undefined
  },
  genesisBlock: firstBlock("dae5494dffff7f2002000000"),
  magic: bytesOfHex("fabfb5da"),
  port: 18_444,
  addresses: { publicKeyHash: 0x6f, scriptHash: 0xc4, witness: "bcrt" },
  /** An unresolvable name, by which tests observe that the seed is queried. */
  dnsSeeds: ["dummySeed.invalid."],
  minimumChainWork: 0n,
  headersSync: { commitmentPeriod: 275, redownloadBuffer: 7_017 },
  assumedValid: undefined,
  assumeUtxo: [
    knownSnapshot(
      110,
      "135eec25a6fb277884e5824e7aa7d052c4868161c99a5122170b5266f86c273d",
      "86e9a1205b418b16dde3a18a78c730e30137e28466bda5dbf6b33ab8fc05447c",
      111
    ),
    knownSnapshot(
      200,
      "385901ccbd69dff6bbd00065d01fb8a9e464dede7cfe0372443884f9b1dcf6b9",
      "17dcc016d188d16068907cdeb38b75691a118d43053b8cd6a25969419381d13a",
      201
    ),
    knownSnapshot(
      299,
      "0c552ced4721c249a389eb9b08cb8da261cd46f0e7b5f9d064d48f3113406853",
      "106b2c56233e378a824cf0d5ff2be42ed32c72f1605c9be288d00942908a40ac",
      334
    )
  ],
  chainTransactions: { time: 0, count: 0, rate: 0.001 }
}
