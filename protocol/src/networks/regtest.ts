import { firstBlock } from "./genesis.ts"
import { bytesOfHex, hashOfDigits, numberOfDigits } from "./hex.ts"
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
  /** No name server knows it: tests see that it is asked. */
  dnsSeeds: ["dummySeed.invalid."],
  minimumChainWork: 0n,
  assumedValid: undefined,
  assumeUtxo: [],
  chainTransactions: { time: 0, count: 0, rate: 0.001 }
}
