import { ScriptFlag } from "@lockstep/kernel/script"
import { firstBlock } from "./genesis.ts"
import { bytesOfHex, hashOfDigits, numberOfDigits } from "./hex.ts"
import { knownSnapshot } from "./known-snapshot.ts"
import type { Network } from "./network.ts"
import { workParameters } from "./work.ts"

/** Bitcoin. */
export const MAINNET: Network = {
  name: "mainnet",
  parameters: {
    genesisHash: hashOfDigits("000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"),
    work: workParameters(numberOfDigits(`00000000${"f".repeat(56)}`)),
    heights: { bip34: 227_931, bip65: 388_381, bip66: 363_725, csv: 419_328, segwit: 481_824 },
    bip34Hash: hashOfDigits("000000000000024b89b42a942fe0d9fea3bb44ab7bd1b19115dd6a759c0808b8"),
    scriptFlagExceptions: [
      {
        hash: hashOfDigits("00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22"),
        flags: ScriptFlag.NONE
      },
      {
        hash: hashOfDigits("0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad"),
        flags: ScriptFlag.P2SH | ScriptFlag.WITNESS
      }
    ],
    repeatedCoinbases: [
      { height: 91_842, hash: hashOfDigits("00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caec") },
      { height: 91_880, hash: hashOfDigits("00000000000743f190a18c5577a3c2d2a1f610ae9601ac046a38084ccb7cd721") }
    ],
    subsidyHalvingInterval: 210_000,
    signetChallenge: undefined
  },
  genesisBlock: firstBlock("29ab5f49ffff001d1dac2b7c"),
  magic: bytesOfHex("f9beb4d9"),
  port: 8_333,
  addresses: { publicKeyHash: 0x00, scriptHash: 0x05, witness: "bc" },
  dnsSeeds: [
    "seed.bitcoin.sipa.be",
    "dnsseed.bluematt.me",
    "seed.bitcoin.jonasschnelli.ch",
    "seed.btc.petertodd.net",
    "seed.bitcoin.sprovoost.nl",
    "dnsseed.emzy.de",
    "seed.bitcoin.wiz.biz",
    "seed.mainnet.achownodes.xyz"
  ],
  minimumChainWork: numberOfDigits("01128750f82f4c366153a3a030"),
  headersSync: { commitmentPeriod: 641, redownloadBuffer: 15_218 },
  assumedValid: {
    height: 938_343,
    hash: hashOfDigits("00000000000000000000ccebd6d74d9194d8dcdc1d177c478e094bfad51ba5ac")
  },
  assumeUtxo: [
    knownSnapshot(
      840_000,
      "0000000000000000000320283a032748cef8227873ff4872689bf23f1cda83a5",
      "a2a5521b1b5ab65f67818e5e8eccabb7171a517f9e2382208f77687310768f96",
      991_032_194
    ),
    knownSnapshot(
      880_000,
      "000000000000000000010b17283c3c400507969a9c2afd1dcf2082ec5cca2880",
      "dbd190983eaf433ef7c15f78a278ae42c00ef52e0fd2a54953782175fbadcea9",
      1_145_604_538
    ),
    knownSnapshot(
      910_000,
      "0000000000000000000108970acb9522ffd516eae17acddcb1bd16469194a821",
      "4daf8a17b4902498c5787966a2b51c613acdab5df5db73f196fa59a4da2f1568",
      1_226_586_151
    ),
    knownSnapshot(
      935_000,
      "0000000000000000000147034958af1652b2b91bba607beacc5e72a56f0fb5ee",
      "e4b90ef9eae834f56c4b64d2d50143cee10ad87994c614d7d04125e2a6025050",
      1_305_397_408
    )
  ],
  chainTransactions: { time: 1_772_055_173, count: 1_315_805_869, rate: 5.40111006496122 }
}
