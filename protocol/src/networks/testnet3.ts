import { ScriptFlag } from "@lockstep/kernel/script"
import { firstBlock } from "./genesis.ts"
import { bytesOfHex, hashOfDigits, numberOfDigits } from "./hex.ts"
import type { Network } from "./network.ts"
import { workParameters } from "./work.ts"

/** The test network of 2012, where a block twenty minutes late may be as easy as the first. */
export const TESTNET3: Network = {
  name: "testnet3",
  parameters: {
    genesisHash: hashOfDigits("000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943"),
    work: workParameters(numberOfDigits(`00000000${"f".repeat(56)}`), { allowMinDifficulty: true }),
    heights: { bip34: 21_111, bip65: 581_885, bip66: 330_776, csv: 770_112, segwit: 834_624 },
    bip34Hash: hashOfDigits("0000000023b3a96d3484e5abb3755c413e7d41500f8e2a5c3f0dd01299cd8ef8"),
    scriptFlagExceptions: [
      {
        hash: hashOfDigits("00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105"),
        flags: ScriptFlag.NONE
      }
    ],
    repeatedCoinbases: [],
    subsidyHalvingInterval: 210_000,
    signetChallenge: undefined
  },
  genesisBlock: firstBlock("dae5494dffff001d1aa4ae18"),
  magic: bytesOfHex("0b110907"),
  port: 18_333,
  addresses: { publicKeyHash: 0x6f, scriptHash: 0xc4, witness: "tb" },
  dnsSeeds: [
    "testnet-seed.bitcoin.jonasschnelli.ch",
    "seed.tbtc.petertodd.net",
    "seed.testnet.bitcoin.sprovoost.nl",
    "testnet-seed.bluematt.me",
    "seed.testnet.achownodes.xyz"
  ],
  minimumChainWork: numberOfDigits("17dde1c649f3708d14b6"),
  headersSync: { commitmentPeriod: 673, redownloadBuffer: 14_460 },
  assumedValid: {
    height: 4_842_348,
    hash: hashOfDigits("000000007a61e4230b28ac5cb6b5e5a0130de37ac1faf2f8987d2fa6505b67f4")
  },
  assumeUtxo: [{
    height: 2_500_000,
    hash: hashOfDigits("0000000000000093bcb68c03a9a168ae252572d348a2eaeba2cdf9231d73206f"),
    setHash: hashOfDigits("f841584909f68e47897952345234e37fcd9128cd818f41ee6c3ca68db8071be7"),
    chainTransactions: 66_484_552
  }],
  chainTransactions: { time: 1_772_051_651, count: 536_108_416, rate: 0.02691479016257117 }
}
